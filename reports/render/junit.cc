#include "reports/document/junit.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "reports/document/escape.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

using Element = JunitCase::Element;

Element ElementOf(v1::Outcome outcome) {
  switch (outcome) {
    case v1::OUTCOME_PASS:
      return Element::kNone;
    case v1::OUTCOME_NOT_IMPLEMENTED:
    case v1::OUTCOME_UNSUPPORTED_DTYPE:
    case v1::OUTCOME_SKIPPED:
    case v1::OUTCOME_WAIVED:
      return Element::kSkipped;
    case v1::OUTCOME_FAIL:
    case v1::OUTCOME_NONDETERMINISTIC:
      return Element::kFailure;
    default:
      return Element::kError;
  }
}

// The text inside a <failure> or <error>, with everything needed to act on it. GitLab shows only this text,
// so it repeats the outcome.
std::string Details(const RunReport& report, const v1::Verdict& verdict) {
  std::string out = absl::StrCat(OutcomeName(verdict.outcome()), ": ", verdict.reason(), "\n");
  if (!verdict.likely_cause().empty()) absl::StrAppend(&out, "Likely cause: ", verdict.likely_cause(), "\n");
  for (const v1::OutputStats& stats : verdict.outputs()) {
    if (!stats.ok()) absl::StrAppend(&out, OutputText(stats), "\n");
  }
  if (!verdict.backtrace().empty()) absl::StrAppend(&out, verdict.backtrace(), "\n");
  return absl::StrCat(out, "Repeat it: ", ReproCommand(report.run.options(), verdict), "\n");
}

// Describes the case, for <system-out>.
std::string Context(const v1::Verdict& verdict) {
  std::string out = absl::StrCat("function: ", verdict.function(), "\n");
  if (!verdict.tensor_info().empty()) absl::StrAppend(&out, "arguments: ", verdict.tensor_info(), "\n");
  if (!verdict.reference().empty()) absl::StrAppend(&out, "reference: ", verdict.reference(), "\n");
  if (!verdict.error_text().empty()) absl::StrAppend(&out, "the library said: ", verdict.error_text(), "\n");
  return out;
}

// "add.diopiAdd": Jenkins takes the part before the last dot as the package, GitLab shows it as the suite.
std::string ClassName(const v1::Verdict& verdict) {
  return verdict.function().empty() ? verdict.operator_()
                                    : absl::StrCat(verdict.operator_(), ".", verdict.function());
}

JunitCase CaseOf(const RunReport& report, const v1::Verdict& verdict) {
  JunitCase c{verdict.case_id(), ClassName(verdict), Seconds(verdict), ElementOf(verdict.outcome())};
  c.type = OutcomeName(verdict.outcome());
  c.message = absl::StrCat(c.type, ": ", verdict.reason());
  if (c.element != Element::kFailure && c.element != Element::kError) return c;
  c.text = Details(report, verdict);
  c.output = Context(verdict);
  return c;
}

// The groups of failures that have cases of the operator.
std::string GroupProperties(const RunReport& report, const std::string& op) {
  std::string out;
  for (const FailureGroup& group : report.failures) {
    if (!std::binary_search(group.operators.begin(), group.operators.end(), op)) continue;
    absl::StrAppend(
        &out, "      <property name=\"failure_group\" value=\"",
        EscapeXml(absl::StrCat(GroupText(group), ": ", OutcomeName(group.outcome), ": ", OneLine(group.cause),
                               "; for example ", ReproCommand(report.run.options(), group.example))),
        "\"/>\n");
  }
  return out;
}

std::string Properties(const RunReport& report, const std::string& op) {
  const v1::RunOptions& options = report.run.options();
  const std::pair<const char*, std::string> properties[] = {
      {"run", report.run.run_id()},
      {"chip", options.chip()},
      {"library", LibraryName(options)},
      {"library_sha256", options.impl_sha256()},
      {"vendor", absl::StrCat(options.vendor_name(), " ", options.impl_version())},
      {"contracts", BadgeText(report)},
      {"public_rule", absl::StrCat("would decide ", PublicRuleText(report))},
      {"coverage", absl::StrCat(PassingText(report.coverage), ": ", CoverageText(report.coverage))},
      {"partial", report.partial},
      {"called", CalledText(report)},
      {"failures", FailuresText(report)},
      {"correctness", CorrectText(report.correctness)},
  };
  std::string out = "    <properties>\n";
  for (const auto& [name, value] : properties) {
    absl::StrAppend(&out, "      <property name=\"", name, "\" value=\"", EscapeXml(value), "\"/>\n");
  }
  for (const std::string& line : EnvironmentLines(options)) {
    absl::StrAppend(&out, "      <property name=\"environment\" value=\"", EscapeXml(line), "\"/>\n");
  }
  for (const std::string& line : LabelLines(options)) {
    absl::StrAppend(&out, "      <property name=\"label\" value=\"", EscapeXml(line), "\"/>\n");
  }
  for (const std::string& line : WaiverLines(report)) {
    absl::StrAppend(&out, "      <property name=\"waiver\" value=\"", EscapeXml(line), "\"/>\n");
  }
  return absl::StrCat(out, GroupProperties(report, op), "    </properties>\n");
}

}  // namespace

std::string RenderJunit(const RunReport& report) {
  JunitWriter writer;
  for (const v1::Verdict& verdict : report.results) writer.Add(verdict.operator_(), CaseOf(report, verdict));
  return writer.Write("diopi", report.run.created(), report.run.options().host(),
                      [&report](const std::string& op) { return Properties(report, op); });
}

}  // namespace diopi::reports
