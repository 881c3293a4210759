#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cases/base/dtype.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

// "[float32, inplace, scalar, adapted]"
std::string Tags(const v1::Verdict& verdict) {
  std::string tags(DtypeName(verdict.dtype()));
  if (!verdict.variant().empty())
    absl::StrAppend(&tags, ", ", absl::StrReplaceAll(OneLine(verdict.variant()), {{"_", ", "}}));
  return absl::StrCat("[", tags, verdict.adapted() ? ", adapted]" : "]");
}

// `repeat`: the command that repeats the case, or empty.
std::string Entry(size_t number, const v1::Verdict& verdict, const char* what, const std::string& repeat) {
  return absl::StrCat(number, "--Run diopi_functions.", OneLine(HarnessName(verdict)), " ", what,
                      ".   TestTag: ", Tags(verdict), "  TensorInfo : ",
                      verdict.tensor_info().empty() ? "[]" : OneLine(verdict.tensor_info()),
                      repeat.empty() ? "" : "  Repeat : ", OneLine(repeat), "\n");
}

const char* SkipWord(v1::Outcome outcome) {
  switch (outcome) {
    case v1::OUTCOME_NOT_IMPLEMENTED:
      return "not implemented";
    case v1::OUTCOME_UNSUPPORTED_DTYPE:
      return "skipped, dtype not supported";
    case v1::OUTCOME_WAIVED:
      return "waived";
    case v1::OUTCOME_HARNESS_ERROR:
      return "not judged, harness error";
    default:
      return "skipped";
  }
}

}  // namespace

std::string RenderErrorReport(const RunReport& report) {
  const std::string rule(33, '-');
  std::string failed;
  std::string skipped;
  size_t failures = 0;
  size_t skips = 0;
  for (const v1::Verdict& verdict : report.results) {
    if (IsFailure(verdict.outcome())) {
      failed += Entry(++failures, verdict, "failed", ReproCommand(report.run.options(), verdict));
    } else if (verdict.outcome() != v1::OUTCOME_PASS) {
      skipped += Entry(++skips, verdict, SkipWord(verdict.outcome()), "");
    }
  }
  const std::string badges =
      report.badges.empty() ? "" : absl::StrCat("Contracts: ", OneLine(BadgeText(report)), "\n", rule, "\n");
  std::string waivers;
  for (const std::string& line : WaiverLines(report))
    absl::StrAppend(&waivers, "Waivers: ", OneLine(line), "\n");
  if (!waivers.empty()) absl::StrAppend(&waivers, rule, "\n");
  return absl::StrCat("DIOPI-Test Error Report\n", rule, "\n", badges, waivers, failures, " Tests failed:\n",
                      failed, rule, "\nTest skipped or op not implemented:\n", skipped);
}

}  // namespace diopi::reports
