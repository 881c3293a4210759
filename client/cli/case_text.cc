#include "client/cli/case_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "baselines/compare/expect.h"
#include "baselines/compare/readings.h"
#include "cases/base/dtype.h"
#include "cases/base/layout.h"
#include "cases/base/text.h"
#include "cases/core/argument_text.h"

namespace diopi::cli {
namespace {

std::string JudgeText(const v1::Judge& judge) {
  std::string text = absl::AsciiStrToLower(v1::Judge::Kind_Name(judge.kind()));
  if (judge.kf() != 0) absl::StrAppend(&text, ", kf ", judge.kf());
  if (!judge.groups().empty()) absl::StrAppend(&text, ", groups ", judge.groups());
  if (judge.kind() == v1::Judge::RANDOM) {
    absl::StrAppend(&text, ", ", absl::AsciiStrToLower(v1::Judge::Distribution_Name(judge.distribution())));
  }
  if (judge.may_be_nondeterministic()) absl::StrAppend(&text, ", may differ from call to call");
  if (!judge.reason().empty()) absl::StrAppend(&text, ", ", judge.reason());
  return text;
}

}  // namespace

std::string ArgumentsText(const v1::Case& c) {
  std::string text;
  for (const cases::ArgumentLine& line : cases::ArgumentLines(c)) {
    absl::StrAppend(&text, absl::StrFormat("  %-16s %-8s %s\n", PrintableLine(line.name), line.role,
                                           PrintableLine(line.text)));
  }
  return text;
}

std::string CaseText(const v1::Case& c) {
  std::string text;
  const std::pair<const char*, std::string> lines[] = {
      {"Case", c.id()},
      {"Function", c.function()},
      {"Operator", absl::StrCat(c.operator_(), " (", c.family(), ")")},
      {"Reveals", c.reveals()},
      {"Hash", absl::StrCat(c.hash(), ", generator version ", c.generator_version())}};
  for (const auto& [name, value] : lines) {
    absl::StrAppend(&text, absl::StrFormat("%-10s %s\n", name, PrintableLine(value)));
  }
  absl::StrAppend(&text, "Arguments\n", ArgumentsText(c));
  absl::StrAppend(&text, "Judged\n");
  for (const v1::Judge& judge : c.judges()) {
    absl::StrAppend(&text, absl::StrFormat("  %-16s %s\n", PrintableLine(judge.output()),
                                           PrintableLine(JudgeText(judge))));
  }
  if (!c.readings().empty()) absl::StrAppend(&text, "Also accepted\n");
  for (const v1::Reading& reading : c.readings()) {
    absl::StrAppend(&text, "  ",
                    PrintableLine(absl::StrCat(baselines::ReadingName(reading), ": ", reading.reason())),
                    "\n");
  }
  return text;
}

std::string TensorText(const HostTensor& tensor, int64_t values) {
  const int64_t count = NumElements(tensor.shape), shown = std::min(count, values);
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(shown) + 1);
  for (int64_t i = 0; i < shown; ++i) texts.push_back(baselines::ElementText(tensor, i));
  if (count > values) texts.emplace_back("...");
  return absl::StrCat(std::string(DtypeName(tensor.dtype)), " ", ShapeText(tensor.shape), ": ",
                      texts.empty() ? "empty" : absl::StrJoin(texts, ", "));
}

}  // namespace diopi::cli
