// A run's report is in English; its parts take a translator, because the evaluation report shows them in both
// languages. Coverage, called cases and correctness stand side by side everywhere, since each alone would
// mislead.
#include "reports/render/run_document.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "cases/findings/describe.h"
#include "proto/enum_name.h"
#include "reports/model/completeness.h"
#include "reports/render/machine.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

// "not recorded" for an empty text.
class Recorded {
 public:
  explicit Recorded(const Translator& t) : t_(t) {}
  Text operator()(const std::string& text, bool code = false) const {
    if (text.empty()) return {t_("not recorded"), Tone::kMuted};
    return {text, Tone::kPlain, code};
  }

 private:
  const Translator& t_;
};

// A rate as text and bar; "-" when `whole` is 0.
Text Rate(int64_t part, int64_t whole) {
  Text text{Percent(part, whole)};
  if (whole == 0) return text;
  text.share = static_cast<double>(part) / static_cast<double>(whole);
  text.tone = part == whole ? Tone::kGood : Tone::kBad;
  return text;
}

Text CountOf(int64_t count, Tone tone) {
  return {absl::StrCat(count), count == 0 ? Tone::kMuted : tone};
}

Finding FindingOf(const RunReport& report, const v1::Verdict& verdict, const Translator& t) {
  Finding finding{verdict.case_id(), {OutcomeName(verdict.outcome()), ToneOf(verdict.outcome())}, {}, ""};
  const std::string reason = ReasonText(verdict, t.language());
  const std::string cause = LikelyCauseText(verdict, t.language());
  if (!reason.empty()) finding.lines.push_back(OneLine(reason));
  if (!absl::StrContains(reason, cause)) finding.lines.push_back(t("Likely cause: $0", OneLine(cause)));
  if (verdict.adapted()) finding.lines.push_back(OneLine(AdaptedText(verdict, t)));
  for (const v1::OutputStats& stats : verdict.outputs()) {
    if (!stats.ok()) finding.lines.push_back(OutputText(stats));
  }
  finding.command = ReproCommand(report.run.options(), verdict);
  return finding;
}

// The cases that pass here but fail the public rule.
Table TheirFailures(const RunReport& report) {
  Table table{{{"Case"}, {"Public rule"}}, {}, "None."};
  for (const v1::Verdict& verdict : report.results) {
    const std::optional<PublicVerdict> theirs = PublicVerdictOf(verdict);
    if (verdict.outcome() != v1::OUTCOME_PASS || !theirs.has_value() || theirs->pass) continue;
    table.rows.push_back({{verdict.case_id(), Tone::kPlain, true}, {PublicText(verdict)}});
  }
  return table;
}

}  // namespace

Tone ToneOf(v1::Outcome outcome) {
  if (outcome == v1::OUTCOME_PASS) return Tone::kGood;
  if (IsFailure(outcome)) return Tone::kBad;
  if (outcome == v1::OUTCOME_WAIVED || outcome == v1::OUTCOME_HARNESS_ERROR) return Tone::kWarn;
  return Tone::kMuted;
}

Facts LibraryFacts(const RunReport& report, const Translator& t) {
  const v1::RunOptions& options = report.run.options();
  const Recorded recorded(t);
  Facts facts;
  facts.rows = {
      {t("Run"), {absl::StrCat(report.run.run_id(), " (", EnumName(report.run.state()), ")")}},
      {t("Chip"), recorded(options.chip())},
      {t("Library"), recorded(LibraryName(options), true)},
      {"SHA-256", recorded(options.impl_sha256(), true)},
      {t("Vendor name"), recorded(options.vendor_name())},
      {t("Version"), recorded(options.impl_version())},
      {t("Device functions"), recorded(options.dialect())},
      {t("Declared contracts"), {BadgeText(report, t)}},
      {t("Host"), recorded(options.host())},
      {t("Agent version"), recorded(options.agent_version())},
      {t("Started"), recorded(t.Time(report.run.created()))},
      {t("Finished"), recorded(t.Time(report.run.finished()))},
      {t("Suite hash"), recorded(report.run.suite_hash(), true)},
  };
  if (const std::string why = t(AbortReason(options)); !why.empty())
    facts.rows.push_back({t("Aborted"), {why}});
  for (const std::string& line : LabelLines(options))
    facts.rows.push_back({t("Label"), {line, Tone::kPlain, true}});
  for (const std::string& line : EnvironmentLines(options))
    facts.rows.push_back({t("Environment"), {line, Tone::kPlain, true}});
  for (const std::string& reference : report.references) facts.rows.push_back({t("Reference"), {reference}});
  if (report.references.empty()) facts.rows.push_back({t("Reference"), {t("none was used"), Tone::kMuted}});
  return facts;
}

Tiles FigureTiles(const RunReport& report, const Translator& t) {
  const v1::Coverage& coverage = report.coverage;
  const v1::Correctness& correctness = report.correctness;
  const int64_t failures = FailedCases(report.outcomes);
  const auto groups = std::count_if(report.failures.begin(), report.failures.end(),
                                    [](const FailureGroup& group) { return IsFailure(group.outcome); });
  Tiles tiles;
  tiles.tiles.push_back({t("Functions that pass"),
                         t("$0 of $1", coverage.passing(), coverage.abi_functions()),
                         Percent(coverage.passing(), coverage.abi_functions()), Tone::kPlain});
  tiles.tiles.push_back({t("Tested functions"), t("$0 of $1", coverage.tested(), coverage.with_cases()),
                         t("that have cases; $0 exported", coverage.implemented()), Tone::kPlain});
  tiles.tiles.push_back(
      {t("Called cases"), t("$0 of $1", correctness.called(), correctness.asked()),
       absl::StrCat(Percent(correctness.called(), correctness.asked()), NotCalledText(report, t)),
       Tone::kPlain});
  tiles.tiles.push_back({t("Correctness"), Percent(correctness.passed(), correctness.called()),
                         t("$0 of $1 called cases pass", correctness.passed(), correctness.called()),
                         correctness.called() == 0                      ? Tone::kMuted
                         : correctness.passed() == correctness.called() ? Tone::kGood
                                                                        : Tone::kBad});
  tiles.tiles.push_back({t("Failures"), absl::StrCat(failures),
                         failures == 0 ? t("cases") : t("cases in $0 group|cases in $0 groups", groups),
                         failures > 0 ? Tone::kBad : Tone::kGood});
  return tiles;
}

Bar OutcomeBar(const RunReport& report, const Translator& t) {
  Bar bar;
  for (const v1::Outcome outcome : OutcomeOrder()) {
    const auto it = report.outcomes.find(outcome);
    if (it != report.outcomes.end()) bar.parts.push_back({OutcomeName(outcome), it->second, ToneOf(outcome)});
  }
  if (report.missing > 0) bar.parts.push_back({t("not run yet"), report.missing, Tone::kMuted});
  return bar;
}

Table OperatorTable(const RunReport& report) {
  Table table{{{"Operator"},
               {"Cases", true},
               {"Pass", true},
               {"Failed", true},
               {"Not implemented", true},
               {"Other", true},
               {"Pass rate", true}},
              {},
              "No case was run."};
  for (const v1::OperatorRow& row : report.operators) {
    table.rows.push_back({{row.operator_(), Tone::kPlain, true},
                          {absl::StrCat(row.cases())},
                          CountOf(row.passed(), Tone::kPlain),
                          CountOf(row.failed(), Tone::kBad),
                          CountOf(row.not_implemented(), Tone::kWarn),
                          CountOf(row.other(), Tone::kWarn),
                          Rate(row.passed(), row.passed() + row.failed())});
  }
  return table;
}

std::string PartialReason(const RunReport& report, const Translator& t) {
  const v1::RunInfo& run = report.run;
  return t(WhyPartial(run.options(), run.state(), report.cases, report.cases - report.missing));
}

std::vector<Block> PartialNote(const RunReport& report, const Translator& t) {
  if (report.partial.empty()) return {};
  return {Note{t("Partial run: $0. It does not represent its chip.", PartialReason(report, t)), Tone::kWarn}};
}

std::vector<Block> FailureGroupBlocks(const RunReport& report) {
  std::vector<Block> blocks;
  for (const FailureGroup& group : report.failures) {
    Finding finding{GroupText(group), {OutcomeName(group.outcome), ToneOf(group.outcome)}, {}, ""};
    finding.lines = GroupLines(group);
    finding.command = ReproCommand(report.run.options(), group.example);
    blocks.emplace_back(std::move(finding));
  }
  return blocks;
}

std::vector<Block> FailureBlocks(const RunReport& report, const Translator& t) {
  std::map<std::string, std::vector<Block>> findings;
  for (const v1::Verdict& verdict : report.results) {
    if (IsListed(verdict.outcome()))
      findings[verdict.operator_()].emplace_back(FindingOf(report, verdict, t));
  }
  std::vector<Block> blocks;
  for (auto& [op, cases] : findings) {
    blocks.emplace_back(Heading{3, absl::StrCat(op, ": ", t("$0 case|$0 cases", std::ssize(cases)))});
    for (Block& block : cases) blocks.push_back(std::move(block));
  }
  return blocks;
}

Document RunDocument(const RunReport& report, const RenderOptions& render) {
  const v1::RunOptions& options = report.run.options();
  Document document;
  document.title = options.chip().empty() ? "DIOPI conformance report"
                                          : absl::StrCat("DIOPI conformance: ", options.chip());
  document.subtitle = absl::StrCat("Run ", report.run.run_id(), ", ", EnumName(report.run.state()), ", ",
                                   report.run.created(), "; library ", LibraryName(options));
  std::vector<Block>& blocks = document.blocks;
  for (Block& block : PartialNote(report)) blocks.push_back(std::move(block));
  blocks.emplace_back(FigureTiles(report));
  blocks.emplace_back(OutcomeBar(report));
  if (report.widened > 0) {
    blocks.emplace_back(Note{absl::StrCat("The contracts this device declares (", BadgeText(report),
                                          ") widened the tolerance of ", report.widened, " verdicts."),
                             Tone::kWarn});
  }
  for (const std::string& line : ContractLines(report))
    blocks.emplace_back(Note{absl::StrCat(line, "."), Tone::kPlain});
  for (const std::string& line : WaiverLines(report)) {
    blocks.emplace_back(Note{absl::StrCat("A tolerance is overridden by ", line), Tone::kWarn});
  }
  if (report.adapted > 0) {
    blocks.emplace_back(
        Note{absl::StrCat("An adaptor converted tensors between the suite and the library in ",
                          report.adapted, " verdicts."),
             Tone::kWarn});
  }
  blocks.emplace_back(Heading{2, "Library and environment"});
  Facts facts = LibraryFacts(report);
  for (const auto& [name, value] : MachineRows(report.run.options().machine(), English()))
    facts.rows.push_back({name, {value}});
  blocks.emplace_back(std::move(facts));
  blocks.emplace_back(Heading{2, "Operators"});
  blocks.emplace_back(OperatorTable(report));
  blocks.emplace_back(Heading{2, "Did not pass"});
  blocks.emplace_back(Paragraph{
      report.failures.empty() ? std::string("No case failed.")
                              : absl::StrCat(FailuresText(report), ", by cause, the largest group first.")});
  for (Block& block : FailureGroupBlocks(report)) blocks.push_back(std::move(block));
  if (render.verbose && !report.failures.empty()) {
    blocks.emplace_back(Heading{2, "Every case that did not pass"});
    for (Block& block : FailureBlocks(report)) blocks.push_back(std::move(block));
  }
  blocks.emplace_back(Heading{2, "Comparison with the public rule"});
  blocks.emplace_back(
      Paragraph{absl::StrCat("The public harness's rule would decide ", PublicRuleText(report),
                             ". It never decides here. Passed here, but not by that rule:")});
  blocks.emplace_back(TheirFailures(report));
  document.footer = absl::StrCat(
      "Coverage, the cases called, and correctness are three figures: only a case that was called and "
      "passed counts as pass. Run ",
      report.run.run_id(), ".");
  return document;
}

std::string RenderHtml(const RunReport& report, const RenderOptions& options) {
  return WriteHtml(RunDocument(report, options));
}

std::string RenderMarkdown(const RunReport& report, const RenderOptions& options) {
  return WriteMarkdown(RunDocument(report, options));
}

}  // namespace diopi::reports
