// One document serves text, Markdown and HTML; kExplorationFormats is the list that help, errors and
// rendering share. Failures that no cause explains are counted, so the sentence about causes adds up.
#include "reports/render/exploration.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "proto/enum_name.h"
#include "reports/model/completeness.h"
#include "reports/model/explorations.h"
#include "reports/render/json_parts.h"
#include "reports/render/measurements.h"
#include "reports/render/run_document.h"

namespace diopi::reports {
namespace {

using FoundCause = v1::Exploration::Cause;

Facts ExplorationFacts(const v1::RunInfo& run) {
  const v1::RunOptions& options = run.options();
  const v1::Exploration& done = run.exploration();
  Facts facts;
  facts.rows = {
      {"Exploration", {absl::StrCat(run.run_id(), " (", EnumName(run.state()), ")")}},
      {"Chip", {options.chip()}},
      {"Library", {LibraryName(options), Tone::kPlain, true}},
      {"SHA-256", {options.impl_sha256(), Tone::kPlain, true}},
      {"Agent version", {options.agent_version()}},
      {"Started", {run.created()}},
      {"Asked for",
       {absl::StrCat(AskedText(options.exploration()), ", seed ", options.exploration().seed())}},
      {"Selection", {FindingText(ExploredPart(options.selection()))}},
      {"Calls",
       {absl::StrFormat("%d of %d functions in %.1f s", done.calls(), done.functions_called(),
                        done.seconds())}},
      {"Covered",
       {absl::StrFormat("%d classes of arguments, %d pairs of classes", done.classes(), done.pairs())}},
      {"False alarms", {absl::StrFormat("at most %.1e expected of a correct library", done.false_alarms())}},
  };
  if (done.refused() > 0) {
    facts.rows.push_back({"Left out", {absl::StrCat(done.refused(), " calls that the reference refuses")}});
  }
  if (!done.given_up().empty()) {
    facts.rows.push_back({"Given up", {absl::StrJoin(done.given_up(), " ")}});
  }
  if (!options.abort_reason().empty()) facts.rows.push_back({"Aborted", {options.abort_reason()}});
  return facts;
}

Table ExploredFunctions(const v1::Exploration& exploration) {
  Table table{
      {{"function"}, {"calls", true}, {"failures", true}, {"classes", true}, {"pairs", true}}, {}, "None."};
  for (const v1::Exploration::Function& function : exploration.functions()) {
    table.rows.push_back(
        {{function.name(), Tone::kPlain, true},
         {absl::StrCat(function.calls())},
         {absl::StrCat(function.failures()), function.failures() > 0 ? Tone::kBad : Tone::kMuted},
         {absl::StrCat(function.classes())},
         {absl::StrCat(function.pairs())}});
  }
  return table;
}

Finding CauseFinding(const FoundCause& cause) {
  Finding finding{
      absl::StrCat(absl::StrJoin(cause.operators(), ", "), ": ", cause.calls(),
                   cause.calls() == 1 ? " call" : " calls", cause.known() ? ", known before" : ""),
      {OutcomeName(cause.outcome()), ToneOf(cause.outcome())},
      {OneLine(cause.cause())},
      cause.command()};
  if (cause.reason() != cause.cause()) {
    finding.lines.push_back(OneLine(absl::StrCat(cause.example(), ": ", cause.reason())));
  }
  return finding;
}

struct ExplorationFormat {
  const char* name;
  std::string (*render)(const v1::RunInfo& run);
};

constexpr ExplorationFormat kExplorationFormats[] = {
    {"text", [](const v1::RunInfo& run) { return WriteText(ExplorationDocument(run)); }},
    {"markdown", [](const v1::RunInfo& run) { return WriteMarkdown(ExplorationDocument(run)); }},
    {"html", [](const v1::RunInfo& run) { return WriteHtml(ExplorationDocument(run)); }},
    {"csv", [](const v1::RunInfo& run) { return WriteCsv(ExploredFunctions(run.exploration())); }},
    {"json",
     [](const v1::RunInfo& run) {
       v1::RunInfo shown = run;
       shown.clear_exploration();  // comes below, in the API's words
       return absl::StrCat(
           Dump({{"run", MessageJson(shown)}, {"exploration", MessageJson(ExplorationOf(run))}}), "\n");
     }},
};

}  // namespace

std::string AskedText(const v1::ExplorationOptions& asked) {
  if (asked.calls() > 0) return absl::StrCat(asked.calls(), asked.calls() == 1 ? " call" : " calls");
  if (asked.seconds() >= 3600) return absl::StrFormat("%g h", asked.seconds() / 3600);
  return asked.seconds() >= 60 ? absl::StrFormat("%g min", asked.seconds() / 60)
                               : absl::StrFormat("%g s", asked.seconds());
}

std::string CausesSentence(const v1::Exploration& exploration) {
  const int64_t failed = FailedCalls(exploration);
  int64_t explained = 0;
  for (const FoundCause& cause : exploration.causes()) explained += cause.calls();
  const auto counted = [](int64_t count, const char* what) {
    return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
  };
  return absl::StrCat(counted(failed, "failure"), ": ", explained, " explained by ",
                      counted(exploration.causes_size(), "cause"), ", ",
                      std::max<int64_t>(0, failed - explained), " not diagnosed.");
}

Document ExplorationDocument(const v1::RunInfo& run) {
  const v1::Exploration& done = run.exploration();
  Document document;
  document.title = run.options().chip().empty() ? "DIOPI exploration"
                                                : absl::StrCat("DIOPI exploration: ", run.options().chip());
  document.subtitle = absl::StrCat("Exploration ", run.run_id(), ", ", EnumName(run.state()), ", ",
                                   run.created(), "; library ", LibraryName(run.options()));
  std::vector<Block>& blocks = document.blocks;
  Bar bar;
  const OutcomeCounts outcomes = OutcomesOf(done);
  for (const v1::Outcome outcome : OutcomeOrder()) {
    const auto found = outcomes.find(outcome);
    if (found != outcomes.end()) bar.parts.push_back({OutcomeName(outcome), found->second, ToneOf(outcome)});
  }
  blocks.emplace_back(std::move(bar));
  blocks.emplace_back(ExplorationFacts(run));
  blocks.emplace_back(Heading{2, "Causes"});
  if (done.causes().empty()) {
    blocks.emplace_back(Paragraph{
        FailedCalls(done) == 0 ? "No call failed." : "The causes of the failures were not looked for."});
  }
  if (!done.causes().empty()) blocks.emplace_back(Paragraph{CausesSentence(done)});
  for (const FoundCause& cause : done.causes()) {
    blocks.emplace_back(CauseFinding(cause));
    if (!cause.text().empty()) blocks.emplace_back(Code{cause.text()});
  }
  blocks.emplace_back(Heading{2, "Functions"});
  blocks.emplace_back(ExploredFunctions(done));
  document.footer =
      "Random calls of valid arguments. An exploration never represents a chip and is part of no trend.";
  return document;
}

const std::vector<std::string>& ExplorationFormats() {
  static const auto& names = *[] {
    auto* list = new std::vector<std::string>;
    for (const ExplorationFormat& format : kExplorationFormats) list->emplace_back(format.name);
    return list;
  }();
  return names;
}

absl::StatusOr<std::string> RenderExploration(const v1::RunInfo& run, std::string_view format) {
  for (const ExplorationFormat& known : kExplorationFormats) {
    if (format == known.name) return known.render(run);
  }
  return absl::InvalidArgumentError(absl::StrCat("an exploration has no report in the format '",
                                                 std::string(format),
                                                 "'; it has: ", absl::StrJoin(ExplorationFormats(), ", ")));
}

}  // namespace diopi::reports
