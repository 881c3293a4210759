#include "cases/core/operator_file.h"

#include <utility>

#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "cases/core/point_sets.h"

namespace diopi::cases {

absl::StatusOr<ParsedOperator> ParseOperator(std::string_view text, std::string_view file_name) {
  v1::OperatorFile op;
  ASSIGN_OR_RETURN(SourceLines lines, ParseTextproto(text, std::string(file_name), &op));
  ParsedOperator parsed{std::move(op), std::move(lines)};
  RETURN_IF_ERROR(ResolveSets(parsed.lines, &parsed.file));
  RETURN_IF_ERROR(CheckOperator(parsed.file, parsed.lines));
  return parsed;
}

absl::StatusOr<v1::OperatorFile> ParseOperatorFile(std::string_view text, std::string_view file_name) {
  ASSIGN_OR_RETURN(ParsedOperator parsed, ParseOperator(text, file_name));
  return std::move(parsed.file);
}

absl::StatusOr<std::vector<v1::Case>> Expand(const v1::OperatorFile& op, std::string_view file_name) {
  return ExpandOperator(op, SourceLines(std::string(file_name)));
}

std::string ParsedOperator::PointLine(const std::string& label) const {
  for (int g = 0; g < file.grid_size(); ++g) {
    for (int p = 0; p < file.grid(g).point_size(); ++p) {
      if (file.grid(g).point(p).label() == label) return lines.At({{"grid", g}, {"point", p}});
    }
  }
  return lines.At({});
}

}  // namespace diopi::cases
