#include "server/store/labels.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"

namespace diopi::server {
namespace {

bool IsKeyCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
}

}  // namespace

absl::Status CheckLabel(const std::string& key, const std::string& value) {
  if (key.empty() || key.size() > kMaxLabelKeyBytes || !std::all_of(key.begin(), key.end(), IsKeyCharacter)) {
    return absl::InvalidArgumentError(absl::StrCat("the key of a label has 1 to ", kMaxLabelKeyBytes,
                                                   " letters, digits, '-', '_' and '.'; '", key,
                                                   "' does not"));
  }
  if (value.size() > kMaxLabelValueBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the value of label ", key, " has ", value.size(),
                                                   " bytes; the limit is ", kMaxLabelValueBytes));
  }
  if (!IsPrintableName(value)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the value of label ", key, " must have printable characters only"));
  }
  return absl::OkStatus();
}

absl::Status CheckLabels(const Labels& labels) {
  if (labels.size() > kMaxLabels) {
    return absl::InvalidArgumentError(
        absl::StrCat("a run has at most ", kMaxLabels, " labels; these are ", labels.size()));
  }
  for (const auto& [key, value] : labels) {
    RETURN_IF_ERROR(CheckLabel(key, value));
  }
  return absl::OkStatus();
}

absl::StatusOr<Labels::value_type> ParseLabel(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected KEY=VALUE, such as commit=1f2e3d, got '", text, "'"));
  }
  const std::string key = text.substr(0, equals);
  const std::string value(absl::StripAsciiWhitespace(text.substr(equals + 1)));
  RETURN_IF_ERROR(CheckLabel(key, value));
  return Labels::value_type(key, value);
}

std::string LabelsText(const Labels& labels) {
  return absl::StrJoin(labels, ", ", absl::PairFormatter("="));
}

}  // namespace diopi::server
