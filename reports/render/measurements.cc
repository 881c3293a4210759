// Each sentence about figures is written here once, so that terminal, page, CI and document say the same. A
// rate is rounded down, because 100 % must mean all.
#include "reports/render/measurements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "cases/findings/finding_text.h"

namespace diopi::reports {
namespace {

std::string PublicWords(bool pass, double mismatch_ratio) {
  if (std::isnan(mismatch_ratio)) return pass ? "pass" : "fail";
  return absl::StrFormat("%s, %.2f %% differ", pass ? "pass" : "fail", 100 * mismatch_ratio);
}

constexpr std::array<v1::Outcome, 12> kOrder = {
    v1::OUTCOME_PASS,
    v1::OUTCOME_FAIL,
    v1::OUTCOME_ERROR,
    v1::OUTCOME_CRASH,
    v1::OUTCOME_TIMEOUT,
    v1::OUTCOME_MEMORY,
    v1::OUTCOME_NONDETERMINISTIC,
    v1::OUTCOME_NOT_IMPLEMENTED,
    v1::OUTCOME_UNSUPPORTED_DTYPE,
    v1::OUTCOME_SKIPPED,
    v1::OUTCOME_WAIVED,
    v1::OUTCOME_HARNESS_ERROR,
};

}  // namespace

absl::Span<const v1::Outcome> OutcomeOrder() {
  return kOrder;
}

std::string PassingText(const v1::Coverage& coverage) {
  return absl::StrCat(coverage.passing(), " of ", coverage.abi_functions(), " functions pass (",
                      Percent(coverage.passing(), coverage.abi_functions()), ")");
}

std::string CoverageText(const v1::Coverage& coverage) {
  return absl::StrCat(coverage.implemented(), " exported, ", coverage.tested(), " tested of ",
                      coverage.with_cases(), " with cases, ", coverage.passing(), " passing");
}

std::string NotCalledText(const RunReport& report, const Translator& t) {
  std::string others;
  const auto add = [&others](const std::string& what, int64_t cases) {
    absl::StrAppend(&others, others.empty() ? "; " : ", ", what, " ", cases);
  };
  for (const v1::Outcome outcome : OutcomeOrder()) {
    const auto it = report.outcomes.find(outcome);
    if (it != report.outcomes.end() && !IsCalled(outcome)) add(OutcomeName(outcome), it->second);
  }
  if (report.missing > 0) add(t("not run yet"), report.missing);
  return others;
}

std::string CalledText(const RunReport& report, const Translator& t) {
  const int64_t called = report.correctness.called(), asked = report.correctness.asked();
  return absl::StrCat(t("$0 of $1 cases ($2)", called, asked, Percent(called, asked)),
                      NotCalledText(report, t));
}

std::string CorrectText(const v1::Correctness& correctness) {
  return absl::StrCat(correctness.passed(), " of ", correctness.called(), " called cases pass (",
                      Percent(correctness.passed(), correctness.called()), ")");
}

std::string GroupText(const FailureGroup& group) {
  if (group.cases.size() == 1) return group.cases.front();
  return absl::StrCat(group.cases.size(), " cases of ", OperatorsText(group), " (", DtypesText(group), ")");
}

std::string AdaptedText(const v1::Verdict& verdict, const Translator& t) {
  if (!verdict.adapted()) return "";
  return absl::StrCat(t("through the adaptor"), verdict.conversions().empty() ? "" : ": ",
                      absl::StrJoin(verdict.conversions(), ", "));
}

std::vector<std::string> GroupLines(const FailureGroup& group) {
  std::vector<std::string> lines = {group.cause};
  if (group.separation.code() != v1::Finding::CODE_UNSPECIFIED)
    lines.push_back(FindingText(group.separation));
  const bool said = group.reason == group.cause || group.reason.empty();
  if (!said && group.cases.size() == 1) lines.push_back(group.reason);
  if (!said && group.cases.size() > 1)
    lines.push_back(absl::StrCat("For example ", group.example.case_id(), ": ", group.reason));
  if (!group.reveals.empty()) lines.push_back(absl::StrCat("This case reveals: ", group.reveals));
  for (std::string& line : lines) line = OneLine(line);
  return lines;
}

std::string FailuresText(const RunReport& report) {
  int64_t cases = 0;
  for (const FailureGroup& group : report.failures) cases += std::ssize(group.cases);
  if (cases == 0) return "none";
  return absl::StrCat(CountOf(cases, "case", "cases"), " in ",
                      CountOf(std::ssize(report.failures), "group", "groups"));
}

double Seconds(const v1::Verdict& verdict) {
  return (verdict.elapsed_us() > 0 ? verdict.elapsed_us() : verdict.call_us()) / 1e6;
}

std::string CountOf(int64_t count, const char* one, const char* many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

std::string Percent(int64_t part, int64_t whole) {
  if (whole == 0) return "-";
  const int64_t hundredths = part * 10000 / whole;
  return absl::StrFormat("%d.%02d %%", hundredths / 100, hundredths % 100);
}

std::string BadgeText(const RunReport& report, const Translator& t) {
  std::vector<std::string> texts;
  texts.reserve(report.badges.size());
  for (const std::string& badge : report.badges) {
    texts.push_back(badge == kFlushBadge ? t("$0 (observed: subnormal results are flushed to zero)", badge)
                    : badge == kAdaptorBadge ? t("$0 ($1 verdicts through it)", badge, report.adapted)
                                             : badge);
  }
  return texts.empty() ? t("none declared") : absl::StrJoin(texts, ", ");
}

std::vector<std::string> EnvironmentLines(const v1::RunOptions& options) {
  std::vector<std::string> lines;
  for (const v1::Variable& variable : options.profile().environment()) {
    lines.push_back(OneLine(absl::StrCat(variable.name(), "=", variable.value())));
  }
  return lines;
}

std::vector<std::string> LabelLines(const v1::RunOptions& options) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : options.labels()) lines.push_back(OneLine(absl::StrCat(key, "=", value)));
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> ContractLines(const RunReport& report) {
  std::vector<std::string> lines;
  for (const ContractEffect& effect : report.would_pass) {
    std::vector<std::pair<int64_t, std::string>> dtypes;
    dtypes.reserve(effect.by_dtype.size());
    for (const auto& [dtype, cases] : effect.by_dtype)
      dtypes.emplace_back(-cases, std::string(DtypeName(dtype)));
    std::sort(dtypes.begin(), dtypes.end());
    const auto each = [](std::string* out, const auto& entry) {
      absl::StrAppend(out, entry.second, " ", -entry.first);
    };
    lines.push_back(absl::StrCat(effect.cases, " of ", CountOf(report.wrong_numbers, "failure", "failures"),
                                 " would pass under ", effect.contract, ": ",
                                 absl::StrJoin(dtypes, ", ", each)));
  }
  return lines;
}

std::vector<std::string> WaiverLines(const RunReport& report) {
  std::vector<std::string> lines;
  for (const WaiverRow& row : report.waivers) {
    const v1::RunProfile::Waiver& waiver = row.waiver;
    lines.push_back(absl::StrCat("waiver ", waiver.id(), waiver.expired() ? " EXPIRED on " : " until ",
                                 waiver.expires(), ", ", CountOf(row.cases, "case", "cases"), " waived: ",
                                 waiver.match(), ": ", waiver.reason(), " (", waiver.issue(), ")"));
  }
  return lines;
}

std::string PublicText(const v1::Verdict& verdict) {
  const std::optional<PublicVerdict> theirs = PublicVerdictOf(verdict);
  return theirs.has_value() ? PublicWords(theirs->pass, theirs->mismatch_ratio) : "-";
}

std::string PublicRuleText(const RunReport& report, const Translator& t) {
  const v1::PublicRule& rule = report.public_rule;
  return t("$0 of $1 verdicts differently: $2 failed only our rule, $3 failed only the public rule",
           rule.ours_alone() + rule.theirs_alone(), rule.judged(), rule.ours_alone(), rule.theirs_alone());
}

std::string OutputText(const v1::OutputStats& stats) {
  std::string out =
      absl::StrCat(stats.key(), ": ", stats.ok() ? "" : "gates ", stats.ok() ? "ok" : stats.gates());
  // Exact outputs have no noise as a unit.
  if (stats.rms_z() > 0 || stats.max_z() > 0) {
    absl::StrAppend(&out, absl::StrFormat("; rms z %.3g, max z %.3g", stats.rms_z(), stats.max_z()));
    if (stats.argmax() >= 0) absl::StrAppend(&out, " at ", stats.argmax());
    if (!std::isnan(stats.bias())) absl::StrAppend(&out, absl::StrFormat(", bias %.3g", stats.bias()));
  }
  if (stats.max_ulp() > 0) absl::StrAppend(&out, absl::StrFormat("; max %.3g ulp", stats.max_ulp()));
  if (!stats.grade().empty()) {
    absl::StrAppend(&out, absl::StrFormat("; grade %s, %.3g times the device reference's error",
                                          stats.grade(), stats.rmse_ratio()));
  }
  absl::StrAppend(&out, "; public rule: ", PublicWords(stats.public_pass(), stats.public_mismatch_ratio()));
  return out;
}

}  // namespace diopi::reports
