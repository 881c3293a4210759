// A run's report for a terminal. Every value that a run recorded passes OneLine or PrintableText, because a
// library chooses some of them and must not control the terminal. Commands are this machine's
// (LocalReproCommand), as the reader sits at it.
#include "cases/base/text.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/outcome.h"
#include "proto/enum_name.h"
#include "reports/render/machine.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

std::string OutcomeLine(const RunReport& report) {
  std::vector<std::string> parts;
  for (const v1::Outcome outcome : OutcomeOrder()) {
    const auto it = report.outcomes.find(outcome);
    if (it != report.outcomes.end()) parts.push_back(absl::StrCat(OutcomeName(outcome), " ", it->second));
  }
  if (report.missing > 0) parts.push_back(absl::StrCat("not run yet ", report.missing));
  return parts.empty() ? "none" : absl::StrJoin(parts, ", ");
}

std::string RunHeader(const RunReport& report) {
  const v1::RunOptions& options = report.run.options();
  std::string out;
  const auto add = [&out](const char* name, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&out, absl::StrFormat("%-13s%s\n", name, OneLine(value)));
  };
  add("Run", absl::StrCat(report.run.run_id(), " (", EnumName(report.run.state()), ")"));
  add("Aborted", options.abort_reason());
  absl::StrAppend(&out, "Library      ", OneLine(options.impl_path()), "\n");
  add("", absl::StrCat(options.vendor_name().empty() ? "no vendor name" : options.vendor_name(), ", ",
                       options.impl_version().empty() ? "no version" : options.impl_version(), ", sha256 ",
                       options.impl_sha256().substr(0, 16), ", device functions: ", options.dialect()));
  add("Chip", options.chip());
  std::vector<std::string> machine;
  for (const auto& [name, value] : MachineRows(options.machine(), English())) machine.push_back(value);
  add("Machine", absl::StrJoin(machine, "; "));
  for (const std::string& line : LabelLines(options)) add("Label", line);
  for (const std::string& line : EnvironmentLines(options)) add("Environment", line);
  for (const std::string& reference : report.references) add("Reference", reference);
  return out;
}

std::string OperatorText(const RunReport& report) {
  size_t width = 8;
  for (const v1::OperatorRow& row : report.operators) width = std::max(width, row.operator_().size());
  const int column = static_cast<int>(width);
  std::string out = absl::StrFormat("%-*s %7s %7s %7s %9s %7s\n", column, "Operator", "cases", "pass",
                                    "failed", "not impl.", "other");
  for (const v1::OperatorRow& row : report.operators) {
    absl::StrAppend(
        &out, absl::StrFormat("%-*s %7d %7d %7d %9d %7d\n", column, OneLine(row.operator_()), row.cases(),
                              row.passed(), row.failed(), row.not_implemented(), row.other()));
  }
  return out;
}

std::string EveryFailure(const RunReport& report) {
  std::string out;
  for (const v1::Verdict& verdict : report.results) {
    if (!IsListed(verdict.outcome())) continue;
    absl::StrAppend(&out, "\n", OneLine(verdict.case_id()), ": ", OutcomeName(verdict.outcome()), "\n  ",
                    OneLine(verdict.reason()), "\n");
    const bool said = absl::StrContains(verdict.reason(), verdict.likely_cause());
    if (!said) absl::StrAppend(&out, "  Likely cause: ", OneLine(verdict.likely_cause()), "\n");
    if (verdict.adapted()) absl::StrAppend(&out, "  ", OneLine(AdaptedText(verdict)), "\n");
    for (const v1::OutputStats& stats : verdict.outputs()) {
      if (!stats.ok()) absl::StrAppend(&out, "  ", OneLine(OutputText(stats)), "\n");
    }
    absl::StrAppend(&out, "  ", LocalReproCommand(report.run.options(), verdict, report.data_folder), "\n");
  }
  return out;
}

// The cases that pass here but fail the public rule; the csv format has the full list.
std::string TheirFailuresText(const RunReport& report) {
  constexpr int64_t kShown = 20;
  std::string out;
  int64_t count = 0;
  for (const v1::Verdict& verdict : report.results) {
    const std::optional<PublicVerdict> theirs = PublicVerdictOf(verdict);
    if (verdict.outcome() != v1::OUTCOME_PASS || !theirs.has_value() || theirs->pass) continue;
    if (++count <= kShown)
      absl::StrAppend(&out, OneLine(verdict.case_id()), ": public rule: ", PublicText(verdict), "\n");
  }
  if (count > kShown) absl::StrAppend(&out, "and ", count - kShown, " more\n");
  return out;
}

// Empty where the run measured nothing.
std::string MeasuredLine(const RunReport& report) {
  const std::vector<v1::Measurement>& all = report.performance.measurements;
  if (all.empty()) return "";
  const auto measured = std::count_if(all.begin(), all.end(), [](const v1::Measurement& one) {
    return !one.has_refused() && one.not_measured().empty();
  });
  return absl::StrCat("Performance  ", measured, " of ", all.size(),
                      " calls timed; diopi-cli performance --run ", report.run.run_id(), " shows them\n");
}

}  // namespace

std::string HarnessName(const v1::Verdict& verdict) {
  const bool backward = absl::EndsWith(verdict.function(), "Backward");
  return absl::StrCat(verdict.operator_(), backward ? "_backward" : "");
}

std::string RenderSummary(const RunReport& report) {
  std::string badges = absl::StrCat("Contracts    ", OneLine(BadgeText(report)));
  if (report.widened > 0)
    absl::StrAppend(&badges, "; they widened the tolerance of ", report.widened, " verdicts");
  for (const std::string& line : ContractLines(report))
    absl::StrAppend(&badges, "\n             ", OneLine(line));
  for (const std::string& line : WaiverLines(report))
    absl::StrAppend(&badges, "\nWaivers      ", OneLine(line));
  const std::string partial = report.partial.empty()
                                  ? ""
                                  : absl::StrCat("Partial      ", OneLine(report.partial),
                                                 ": this run does not represent its chip\n");
  return absl::StrCat("Coverage     ", PassingText(report.coverage), "\n",            //
                      "             ", CoverageText(report.coverage), "\n", partial,  //
                      "Called       ", CalledText(report), "\n",                      //
                      "Correctness  ", CorrectText(report.correctness), "\n",         //
                      "Outcomes     ", OutcomeLine(report), "\n",                     //
                      badges, "\n", "Public rule  would decide ", PublicRuleText(report), "\n",
                      MeasuredLine(report));
}

std::string RenderFailures(const RunReport& report) {
  if (report.failures.empty()) return "";
  std::string out = absl::StrCat("Did not pass: ", FailuresText(report), "\n");
  for (const FailureGroup& group : report.failures) {
    absl::StrAppend(&out, "\n", OneLine(GroupText(group)), ": ", OutcomeName(group.outcome), "\n");
    for (const std::string& line : GroupLines(group)) absl::StrAppend(&out, "  ", line, "\n");
    absl::StrAppend(&out, "  ", LocalReproCommand(report.run.options(), group.example, report.data_folder),
                    "\n");
  }
  return out;
}

std::string RenderText(const RunReport& report, const RenderOptions& options) {
  std::string out = absl::StrCat(RunHeader(report), RenderSummary(report), "\n", OperatorText(report));
  const std::string failures = RenderFailures(report);
  if (!failures.empty()) absl::StrAppend(&out, "\n", failures);
  if (!failures.empty() && options.verbose) absl::StrAppend(&out, "\nEvery case:\n", EveryFailure(report));
  if (!failures.empty() && !options.verbose) absl::StrAppend(&out, "\n--verbose lists every case.\n");
  const std::string theirs = TheirFailuresText(report);
  if (!theirs.empty()) absl::StrAppend(&out, "\nPassed here, but not by the public rule:\n\n", theirs);
  return out;
}

}  // namespace diopi::reports
