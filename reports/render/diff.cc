// model/diff.cc compares; this file words the result. Kinds of change keep the order of their declaration in
// text, Markdown and JSON, the most serious first.
#include "reports/render/diff.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/outcome.h"
#include "diopi/v1/report_answers.pb.h"
#include "proto/enum_name.h"
#include "reports/render/json_parts.h"
#include "reports/render/measurements.h"
#include "reports/render/run_document.h"

namespace diopi::reports {
namespace {

std::string RunLine(const v1::RunSummary& run) {
  return absl::StrCat(run.run_id(), " (", EnumName(run.state()), "), ",
                      run.chip().empty() ? "no chip name" : run.chip(), ", ", run.vendor_name(), " ",
                      run.impl_version(), ", variant ", run.variant());
}

std::string FigureLine(const v1::RunSummary& run) {
  const v1::Correctness& correctness = run.correctness();
  return absl::StrCat(PassingText(run.coverage()), run.partial().empty() ? "" : " [partial: ", run.partial(),
                      run.partial().empty() ? "; " : "]; ", correctness.called(), " of ", correctness.asked(),
                      " cases called, ", CorrectText(correctness));
}

v1::DiffRun DiffRunOf(const v1::RunSummary& run) {
  v1::DiffRun shown;
  shown.set_run_id(run.run_id());
  shown.set_state(run.state());
  shown.set_created(run.created());
  shown.set_chip(run.chip());
  shown.set_vendor_name(run.vendor_name());
  shown.set_impl_version(run.impl_version());
  shown.set_impl_sha256(run.impl_sha256());
  shown.set_suite_hash(run.suite_hash());
  shown.set_variant(run.variant());
  *shown.mutable_badges() = run.badges();
  shown.set_cases(run.cases());
  shown.set_done(run.done());
  *shown.mutable_outcomes() = run.outcomes();
  *shown.mutable_coverage() = run.coverage();
  *shown.mutable_correctness() = run.correctness();
  shown.set_partial(run.partial());
  return shown;
}

std::string Measured(double value, const char* unit) {
  return std::isnan(value) ? "not measured" : absl::StrFormat("%.4g %s", value, unit);
}

// The value of one side that a kind of change concerns.
Text SideText(bool has, const v1::CompareSide& side, v1::CompareKind kind) {
  if (!has) return {"-", Tone::kMuted};
  switch (kind) {
    case v1::COMPARE_KIND_WORSE:
    case v1::COMPARE_KIND_BETTER:
      return {Measured(side.max_z(), "z")};
    case v1::COMPARE_KIND_SLOWER:
    case v1::COMPARE_KIND_FASTER:
      return {absl::StrFormat("%.4g to %.4g us", side.call_low_us(), side.call_high_us())};
    default:
      return {OutcomeName(side.outcome()), ToneOf(side.outcome())};
  }
}

const char* TitleOf(v1::CompareKind kind) {
  switch (kind) {
    case v1::COMPARE_KIND_NEWLY_FAILING:
      return "Newly failing";
    case v1::COMPARE_KIND_NEWLY_REFUSED:
      return "Newly refused: not implemented, or its dtype not supported";
    case v1::COMPARE_KIND_NEWLY_PASSING:
      return "Newly passing";
    case v1::COMPARE_KIND_CHANGED:
      return "Changed otherwise";
    case v1::COMPARE_KIND_REDEFINED:
      return "Redefined: another case under the same id";
    case v1::COMPARE_KIND_WORSE:
      return "Worse by error";
    case v1::COMPARE_KIND_BETTER:
      return "Better by error";
    case v1::COMPARE_KIND_SLOWER:
      return "Slower";
    case v1::COMPARE_KIND_FASTER:
      return "Faster";
    case v1::COMPARE_KIND_APPEARED:
      return "Appeared: only in B";
    case v1::COMPARE_KIND_VANISHED:
      return "Vanished: only in A";
    case v1::COMPARE_KIND_SAME:
      return "Same";
    default:
      break;
  }
  return "";
}

bool HasFactor(v1::CompareKind kind) {
  return kind == v1::COMPARE_KIND_WORSE || kind == v1::COMPARE_KIND_BETTER ||
         kind == v1::COMPARE_KIND_SLOWER || kind == v1::COMPARE_KIND_FASTER;
}

Table KindTable(const v1::Compare& diff, v1::CompareKind kind) {
  Table table{{{"Case"}, {"A"}, {"B"}}, {}};
  if (HasFactor(kind)) table.columns.push_back({"B over A", true});
  for (const v1::CompareRow& row : diff.rows()) {
    if (row.kind() != kind) continue;
    table.rows.push_back({{row.case_id(), Tone::kPlain, true},
                          SideText(row.has_a(), row.a(), kind),
                          SideText(row.has_b(), row.b(), kind)});
    if (HasFactor(kind)) {
      table.rows.back().push_back({row.has_factor() ? absl::StrFormat("%.3g", row.factor()) : "-"});
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

Document DiffDocument(const v1::Compare& diff) {
  Document document;
  document.title = absl::StrCat("From run ", diff.a().run_id(), " to run ", diff.b().run_id());
  document.subtitle =
      diff.same_variant() ? "Runs of the same variant: they should agree." : "Runs of two variants.";
  Facts facts;
  facts.rows = {{"A", {RunLine(diff.a())}},
                {"", {FigureLine(diff.a())}},
                {"B", {RunLine(diff.b())}},
                {"", {FigureLine(diff.b())}},
                {"Comparison", {ComparableText(diff.comparison())}},
                {"Times", {TimesText(diff.comparison().times())}}};
  document.blocks.emplace_back(std::move(facts));
  document.blocks.emplace_back(Heading{2, "Cases"});
  Facts counts;
  for (const v1::CompareCount& count : diff.counts())
    counts.rows.push_back({TitleOf(count.kind()), {absl::StrCat(count.cases())}});
  document.blocks.emplace_back(std::move(counts));
  for (const v1::CompareKind kind : CompareKinds()) {
    Table table = KindTable(diff, kind);
    if (table.rows.empty()) continue;
    document.blocks.emplace_back(Heading{2, TitleOf(kind)});
    document.blocks.emplace_back(std::move(table));
  }
  document.footer =
      "A and B are compared case by case; errors in units of the reference's rounding noise (z).";
  return document;
}

std::string RenderDiffJson(const v1::Compare& diff) {
  v1::DiffHead head;
  *head.mutable_a() = DiffRunOf(diff.a());
  *head.mutable_b() = DiffRunOf(diff.b());
  head.set_same_variant(diff.same_variant());
  head.set_comparable(ComparableText(diff.comparison()));
  head.set_times(TimesText(diff.comparison().times()));
  *head.mutable_counts() = diff.counts();
  return absl::StrCat("{", JsonMembers(MessageJson(head)),
                      "\n  \"rows\": ", JsonLines(diff.rows(), MessageJson), "\n}\n");
}

absl::StatusOr<std::string> RenderDiff(const v1::Compare& diff, const std::string& format) {
  if (format == "text") return WriteText(DiffDocument(diff));
  if (format == "markdown") return WriteMarkdown(DiffDocument(diff));
  if (format == "json") return RenderDiffJson(diff);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown format '", format, "'; known: text, markdown, json"));
}

}  // namespace diopi::reports
