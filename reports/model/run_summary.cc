#include "reports/model/run_summary.h"

#include <algorithm>
#include <map>
#include <utility>

#include "proto/abi/abi.h"
#include "reports/model/outcome.h"
#include "reports/model/variant.h"

namespace diopi::reports {
namespace {

absl::StatusOr<std::vector<Waiver>> LoadWaivers(server::Queries& queries, const RunSummary& summary,
                                                const v1::RunProfile& profile) {
  std::vector<Waiver> waivers;
  if (summary.waivers_in_force == 0) return waivers;
  server::CaseFilter filter;
  filter.outcomes = {v1::OUTCOME_WAIVED};
  absl::StatusOr<std::vector<server::CaseRow>> rows = queries.Cases(summary.facts.run_id, filter);
  if (!rows.ok()) return rows.status();
  waivers.reserve(rows->size());
  for (server::CaseRow& row : *rows) {
    Waiver& waiver = waivers.emplace_back(Waiver{row.case_id, row.reason, row.parts, "", ""});
    for (const v1::RunProfile::Waiver& one : profile.waiver()) {
      if (one.id() != row.waiver) continue;
      waiver.link = one.issue();
      waiver.expires = one.expires();
    }
  }
  return waivers;
}

}  // namespace

RunSummary Summarize(const server::RunRow& row) {
  const server::RunTotals& totals = row.totals;
  RunSummary summary;
  summary.facts = row.facts;
  summary.cases = std::max(row.facts.cases, totals.done);
  summary.done = totals.done;
  summary.outcomes = totals.outcomes;
  summary.coverage = {static_cast<int64_t>(abi::Functions().size()), totals.implemented, totals.selected,
                      FunctionsWithCases(totals.selected),           totals.tested,      totals.passing};
  summary.correctness = {totals.called, totals.passed};
  summary.badges = row.facts.contracts;
  if (totals.flushed > 0) summary.badges.emplace_back(kFlushBadge);
  summary.references = totals.references;
  summary.widened = totals.widened;
  summary.public_rule = {totals.judged, totals.ours_alone, totals.theirs_alone};
  for (const auto& [outcome, count] : totals.outcomes) {
    if (IsFailure(outcome)) summary.failed += count;
    if (outcome == v1::OUTCOME_WAIVED) summary.waivers_in_force += count;
  }
  summary.partial = PartialText(row.facts.scope, row.facts.state, summary.cases, summary.done);
  summary.variant = VariantOf(row.facts);
  return summary;
}

absl::StatusOr<RunSummary> LoadSummary(server::Queries& queries, const std::string& run_id) {
  const absl::StatusOr<server::RunRow> row = queries.Run(run_id);
  if (!row.ok()) return row.status();
  return Summarize(*row);
}

absl::StatusOr<std::vector<RunSummary>> LoadRuns(server::Queries& queries, const server::RunFilter& filter) {
  const absl::StatusOr<std::vector<server::RunRow>> rows = queries.Runs(filter);
  if (!rows.ok()) return rows.status();
  std::vector<RunSummary> runs;
  runs.reserve(rows->size());
  for (const server::RunRow& row : *rows) runs.push_back(Summarize(row));
  return runs;
}

absl::StatusOr<RunDetail> LoadDetail(server::Queries& queries, const std::string& run_id) {
  absl::StatusOr<RunSummary> summary = LoadSummary(queries, run_id);
  if (!summary.ok()) return summary.status();
  const std::string id = summary->facts.run_id;  // "latest" may be another run by now
  absl::StatusOr<v1::RunInfo> info = queries.Describe(id);
  if (!info.ok()) return info.status();
  const absl::StatusOr<std::vector<server::TallyRow>> tallies = queries.Tallies(id);
  if (!tallies.ok()) return tallies.status();
  absl::StatusOr<std::vector<server::DeviceRow>> devices = queries.Devices(id);
  if (!devices.ok()) return devices.status();
  absl::StatusOr<std::vector<Waiver>> waivers = LoadWaivers(queries, *summary, info->options().profile());
  if (!waivers.ok()) return waivers.status();
  if (!info->options().profile().adaptor().empty()) summary->badges.emplace_back(kAdaptorBadge);
  return RunDetail{*std::move(summary), *std::move(info), OperatorRows(*tallies), *std::move(waivers),
                   *std::move(devices)};
}

std::vector<OperatorRow> OperatorRows(const std::vector<server::TallyRow>& tallies) {
  std::map<std::string, OperatorRow> rows;
  for (const server::TallyRow& tally : tallies) {
    OperatorRow& row = rows[tally.op];
    row.op = tally.op;
    row.cases += tally.cases;
    if (tally.outcome == v1::OUTCOME_PASS) {
      row.passed += tally.cases;
    } else if (IsFailure(tally.outcome)) {
      row.failed += tally.cases;
    } else if (tally.outcome == v1::OUTCOME_NOT_IMPLEMENTED) {
      row.not_implemented += tally.cases;
    } else {
      row.other += tally.cases;
    }
  }
  std::vector<OperatorRow> sorted;
  sorted.reserve(rows.size());
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  return sorted;
}

}  // namespace diopi::reports
