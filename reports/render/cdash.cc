#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "reports/document/escape.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

// CDash sorts and groups builds by the stamp's time; a run without a time gets the epoch.
absl::Time ParseTime(const std::string& text) {
  absl::Time time;
  std::string error;
  return absl::ParseTime(absl::RFC3339_full, text, &time, &error) ? time : absl::UnixEpoch();
}

std::string DateTime(absl::Time time) {
  return absl::FormatTime("%b %d %H:%M UTC", time, absl::UTCTimeZone());
}

const char* StatusOf(v1::Outcome outcome) {
  if (outcome == v1::OUTCOME_PASS) return "passed";
  return IsFailure(outcome) ? "failed" : "notrun";
}

std::string Named(const char* type, const char* name, const std::string& value) {
  return absl::StrCat("        <NamedMeasurement type=\"", type, "\" name=\"", name, "\">\n          <Value>",
                      EscapeXmlText(value), "</Value>\n        </NamedMeasurement>\n");
}

std::string Output(const v1::Verdict& verdict) {
  std::string out = verdict.reason().empty() ? "" : absl::StrCat(verdict.reason(), "\n");
  if (!verdict.likely_cause().empty()) absl::StrAppend(&out, "Likely cause: ", verdict.likely_cause(), "\n");
  for (const v1::OutputStats& stats : verdict.outputs()) {
    if (!stats.ok()) absl::StrAppend(&out, OutputText(stats), "\n");
  }
  if (!verdict.tensor_info().empty()) absl::StrAppend(&out, verdict.tensor_info(), "\n");
  if (!verdict.backtrace().empty()) absl::StrAppend(&out, verdict.backtrace(), "\n");
  return out;
}

std::string FullName(const v1::Verdict& verdict) {
  return absl::StrCat("./", verdict.operator_(), "/", verdict.case_id());
}

std::string Test(const RunReport& report, const v1::Verdict& verdict) {
  const std::string outcome = OutcomeName(verdict.outcome());
  const std::string command = ReproCommand(report.run.options(), verdict);
  std::string out = absl::StrCat("    <Test Status=\"", StatusOf(verdict.outcome()), "\">\n      <Name>",
                                 EscapeXmlText(verdict.case_id()), "</Name>\n      <Path>./",
                                 EscapeXmlText(verdict.operator_()), "</Path>\n      <FullName>",
                                 EscapeXmlText(FullName(verdict)), "</FullName>\n      <FullCommandLine>",
                                 EscapeXmlText(command), "</FullCommandLine>\n      <Results>\n");
  if (IsFailure(verdict.outcome())) out += Named("text/string", "Exit Code", outcome);
  absl::StrAppend(
      &out, Named("numeric/double", "Execution Time", absl::StrFormat("%.6f", Seconds(verdict))),
      Named("text/string", "Completion Status",
            IsCalled(verdict.outcome()) && verdict.outcome() != v1::OUTCOME_WAIVED ? "Completed" : outcome));
  if (!verdict.reference().empty()) out += Named("text/string", "Reference", verdict.reference());
  return absl::StrCat(out, "        <Measurement>\n          <Value>", EscapeXmlText(Output(verdict)),
                      "</Value>\n        </Measurement>\n      </Results>\n      <Labels>\n        <Label>",
                      EscapeXmlText(verdict.operator_()), "</Label>\n      </Labels>\n    </Test>\n");
}

}  // namespace

std::string RenderCdash(const RunReport& report) {
  const v1::RunOptions& options = report.run.options();
  const absl::Time start = ParseTime(report.run.created());
  const absl::Time end = report.run.finished().empty() ? start : ParseTime(report.run.finished());
  const std::string build = absl::StrCat(
      options.chip().empty() ? "no chip name" : options.chip(), " ", options.vendor_name(), " ",
      options.impl_version(), report.badges.empty() ? "" : absl::StrCat(" contracts: ", BadgeText(report)));
  const std::string host = options.host().empty() ? "unknown" : options.host();
  std::string out = absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Site BuildName=\"", EscapeXml(OneLine(build)),
      "\" BuildStamp=\"", absl::FormatTime("%Y%m%d-%H%M", start, absl::UTCTimeZone()),
      "-Experimental\" Name=\"", EscapeXml(host), "\" Hostname=\"", EscapeXml(host),
      "\" Generator=\"diopi-conformance\">\n  <Testing>\n    <StartDateTime>", DateTime(start),
      "</StartDateTime>\n    <StartTestTime>", absl::ToUnixSeconds(start),
      "</StartTestTime>\n    <TestList>\n");
  for (const v1::Verdict& verdict : report.results)
    absl::StrAppend(&out, "      <Test>", EscapeXmlText(FullName(verdict)), "</Test>\n");
  out += "    </TestList>\n";
  for (const v1::Verdict& verdict : report.results) out += Test(report, verdict);
  const double minutes = absl::ToDoubleSeconds(end - start) / 60;
  absl::StrAppend(&out, "    <EndDateTime>", DateTime(end), "</EndDateTime>\n    <EndTestTime>",
                  absl::ToUnixSeconds(end), "</EndTestTime>\n    <ElapsedMinutes>",
                  absl::StrFormat("%.3f", minutes), "</ElapsedMinutes>\n  </Testing>\n</Site>\n");
  return out;
}

}  // namespace diopi::reports
