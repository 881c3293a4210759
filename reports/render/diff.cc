#include "reports/render/diff.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "proto/enum_name.h"
#include "reports/model/outcome.h"
#include "reports/render/json_parts.h"
#include "reports/render/measurements.h"
#include "reports/render/run_document.h"

namespace diopi::reports {
namespace {

std::string RunLine(const RunSummary& run) {
  const server::RunFacts& facts = run.facts;
  return absl::StrCat(facts.run_id, " (", EnumName(facts.state), "), ",
                      facts.chip.empty() ? "no chip name" : facts.chip, ", ", facts.vendor_name, " ",
                      facts.impl_version, ", variant ", run.variant);
}

std::string FigureLine(const RunSummary& run) {
  return absl::StrCat(PassingText(run.coverage), run.partial.empty() ? "" : " [partial: ", run.partial,
                      run.partial.empty() ? "; " : "]; ", run.correctness.passed, " of ",
                      run.correctness.called, " called cases pass (",
                      Percent(run.correctness.passed, run.correctness.called), ")");
}

std::string Measured(double value, const char* unit) {
  return std::isnan(value) ? "not measured" : absl::StrFormat("%.4g %s", value, unit);
}

// The value of one side that a kind of change concerns.
Text SideText(const std::optional<DiffSide>& side, DiffKind kind) {
  if (!side.has_value()) return {"-", Tone::kMuted};
  switch (kind) {
    case DiffKind::kWorse:
    case DiffKind::kBetter:
      return {Measured(side->max_z, "z")};
    case DiffKind::kSlower:
    case DiffKind::kFaster:
      return {absl::StrFormat("%.4g to %.4g us", side->call_low_us, side->call_high_us)};
    default:
      return {OutcomeName(side->outcome), ToneOf(side->outcome)};
  }
}

const char* TitleOf(DiffKind kind) {
  switch (kind) {
    case DiffKind::kNewlyFailing:
      return "Newly failing";
    case DiffKind::kNewlyPassing:
      return "Newly passing";
    case DiffKind::kChanged:
      return "Changed otherwise";
    case DiffKind::kRedefined:
      return "Redefined: another case under the same id";
    case DiffKind::kWorse:
      return "Worse by error";
    case DiffKind::kBetter:
      return "Better by error";
    case DiffKind::kSlower:
      return "Slower";
    case DiffKind::kFaster:
      return "Faster";
    case DiffKind::kAppeared:
      return "Appeared: only in B";
    case DiffKind::kVanished:
      return "Vanished: only in A";
    case DiffKind::kSame:
      return "Same";
  }
  return "";
}

bool HasFactor(DiffKind kind) {
  return kind == DiffKind::kWorse || kind == DiffKind::kBetter || kind == DiffKind::kSlower ||
         kind == DiffKind::kFaster;
}

Table KindTable(const Diff& diff, DiffKind kind) {
  Table table{{{"Case"}, {"A"}, {"B"}}, {}};
  if (HasFactor(kind)) table.columns.push_back({"B over A", true});
  for (const DiffRow& row : diff.rows) {
    if (row.kind != kind) continue;
    table.rows.push_back({{row.case_id, Tone::kPlain, true}, SideText(row.a, kind), SideText(row.b, kind)});
    if (HasFactor(kind)) {
      table.rows.back().push_back({row.factor.has_value() ? absl::StrFormat("%.3g", *row.factor) : "-"});
    }
  }
  return table;
}

const char* NameOf(int part) {
  switch (part) {
    case v1::RunComparison::PART_LIBRARY:
      return "library (SHA-256)";
    case v1::RunComparison::PART_CASES:
      return "cases (suite hash)";
    case v1::RunComparison::PART_AGENT_VERSION:
      return "agent version";
    default:
      return nullptr;
  }
}

std::string PartNames(const google::protobuf::RepeatedField<int>& parts, const char* separator) {
  return absl::StrJoin(parts, separator, [](std::string* out, int part) {
    const char* name = NameOf(part);
    absl::StrAppend(out, name != nullptr ? name : EnumName(static_cast<v1::RunComparison::Part>(part)));
  });
}

int64_t CountOf(const Diff& diff, DiffKind kind) {
  const auto it = diff.counts.find(kind);
  return it == diff.counts.end() ? 0 : it->second;
}

Json RunJson(const RunSummary& run) {
  const server::RunFacts& facts = run.facts;
  return {{"run_id", facts.run_id},
          {"state", EnumName(facts.state)},
          {"created", facts.created},
          {"chip", facts.chip},
          {"vendor_name", facts.vendor_name},
          {"impl_version", facts.impl_version},
          {"impl_sha256", facts.impl_sha256},
          {"suite_hash", facts.suite_hash},
          {"variant", run.variant},
          {"badges", run.badges},
          {"cases", run.cases},
          {"done", run.done},
          {"outcomes", OutcomesJson(run.outcomes)},
          {"coverage", CoverageJson(run.coverage)},
          {"correctness", CorrectnessJson(run.correctness)},
          {"partial", JsonText(run.partial)}};
}

}  // namespace

std::string ComparableText(const v1::RunComparison& comparison) {
  const bool same = comparison.identity().empty();
  const std::string text =
      same ? "the same variant" : absl::StrCat("differ in ", PartNames(comparison.identity(), ", "));
  if (comparison.judged().empty()) return absl::StrCat(text, same ? ", reference and agent" : "");
  return absl::StrCat(text, "; judged with other ", PartNames(comparison.judged(), " and "));
}

std::string TimesText(const v1::RunComparison::Times& times) {
  switch (times.kind()) {
    case v1::RunComparison::Times::KIND_SAME_LIBRARY:
      return "not compared: both runs are of the same library on the same machine";
    case v1::RunComparison::Times::KIND_COMPARED:
      return absl::StrCat("compared over ", times.runs_a(), " runs of A's library and ", times.runs_b(),
                          " of B's");
    default:
      return absl::StrCat("not compared: one run's times are too noisy. A comparison needs ", times.needed(),
                          " finished runs of each library on one machine; there are ", times.runs_a(),
                          " of A's and ", times.runs_b(), " of B's");
  }
}

Document DiffDocument(const Diff& diff) {
  Document document;
  document.title = absl::StrCat("From run ", diff.a.facts.run_id, " to run ", diff.b.facts.run_id);
  document.subtitle =
      diff.same_variant ? "Runs of the same variant: they should agree." : "Runs of two variants.";
  Facts facts;
  facts.rows = {{"A", {RunLine(diff.a)}},
                {"", {FigureLine(diff.a)}},
                {"B", {RunLine(diff.b)}},
                {"", {FigureLine(diff.b)}},
                {"Comparison", {ComparableText(diff.comparison)}},
                {"Times", {TimesText(diff.comparison.times())}}};
  document.blocks.emplace_back(std::move(facts));
  document.blocks.emplace_back(Heading{2, "Cases"});
  Facts counts;
  for (const DiffKind kind : DiffKinds())
    counts.rows.push_back({TitleOf(kind), {absl::StrCat(CountOf(diff, kind))}});
  document.blocks.emplace_back(std::move(counts));
  for (const DiffKind kind : DiffKinds()) {
    Table table = KindTable(diff, kind);
    if (table.rows.empty()) continue;
    document.blocks.emplace_back(Heading{2, TitleOf(kind)});
    document.blocks.emplace_back(std::move(table));
  }
  document.footer =
      "A and B are compared case by case; errors in units of the reference's rounding noise (z).";
  return document;
}

std::string RenderDiffJson(const Diff& diff) {
  Json counts = Json::object();
  for (const DiffKind kind : DiffKinds()) counts[DiffKindName(kind)] = CountOf(diff, kind);
  const Json head = {{"a", RunJson(diff.a)},
                     {"b", RunJson(diff.b)},
                     {"same_variant", diff.same_variant},
                     {"comparable", ComparableText(diff.comparison)},
                     {"times", TimesText(diff.comparison.times())},
                     {"counts", std::move(counts)}};
  return absl::StrCat("{", JsonMembers(head), "\n  \"rows\": ", JsonLines(diff.rows, DiffRowJson), "\n}\n");
}

absl::StatusOr<std::string> RenderDiff(const Diff& diff, const std::string& format) {
  if (format == "text") return WriteText(DiffDocument(diff));
  if (format == "markdown") return WriteMarkdown(DiffDocument(diff));
  if (format == "json") return RenderDiffJson(diff);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown format '", format, "'; known: text, markdown, json"));
}

}  // namespace diopi::reports
