#include "cases/core/operator_file.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/core/catalog.h"
#include "cases/core/point_sets.h"

namespace diopi::cases {
namespace {

class Collector : public google::protobuf::io::ErrorCollector {
 public:
  explicit Collector(std::string file) : file_(std::move(file)) {}
  void AddError(int line, int column, const std::string& message) override {
    errors_.push_back(absl::StrCat(file_, ":", line + 1, ":", column + 1, ": ", message));
  }
  absl::Status status() const {
    if (errors_.empty()) return absl::InvalidArgumentError(absl::StrCat(file_, ": not an operator's file"));
    return absl::InvalidArgumentError(absl::StrJoin(errors_, "\n"));
  }

 private:
  std::string file_;
  std::vector<std::string> errors_;
};

}  // namespace

absl::StatusOr<ParsedOperator> ParseOperator(std::string_view text, std::string_view file_name) {
  const std::string file(file_name);
  auto tree = std::make_unique<google::protobuf::TextFormat::ParseInfoTree>();
  Collector collector(file);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.WriteLocationsTo(tree.get());
  v1::OperatorFile op;
  if (!parser.ParseFromString(std::string(text), &op)) return collector.status();
  ParsedOperator parsed{std::move(op), SourceLines(file, std::move(tree))};
  absl::Status status = ResolveSets(parsed.lines, &parsed.file);
  if (!status.ok()) return status;
  status = CheckOperator(parsed.file, parsed.lines);
  if (!status.ok()) return status;
  return parsed;
}

absl::StatusOr<v1::OperatorFile> ParseOperatorFile(std::string_view text, std::string_view file_name) {
  absl::StatusOr<ParsedOperator> parsed = ParseOperator(text, file_name);
  if (!parsed.ok()) return parsed.status();
  return std::move(parsed->file);
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

std::string NearestText(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string> near = Nearest(name, known, 3);
  return near.empty() ? "" : absl::StrCat("; nearest: ", absl::StrJoin(near, ", "));
}

}  // namespace diopi::cases
