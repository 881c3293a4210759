// A line of a list costs one row of stored totals, not the run's verdicts. "latest" is resolved once, and
// everything else is read by the id found, so that a run that starts meanwhile does not mix with it.
#include "reports/model/run_summary.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/findings/describe.h"
#include "proto/abi/abi.h"
#include "reports/model/explorations.h"
#include "reports/model/variant.h"
#include "reports/model/workers_word.h"

namespace diopi::reports {
namespace {

absl::Status AddWaivers(server::Queries& queries, const v1::RunProfile& profile, v1::RunPage* page) {
  if (page->summary().waivers_in_force() == 0) return absl::OkStatus();
  server::CaseFilter filter;
  filter.outcomes = {v1::OUTCOME_WAIVED};
  ASSIGN_OR_RETURN(const std::vector<server::CaseRow> rows, queries.Cases(page->summary().run_id(), filter));
  for (const server::CaseRow& row : rows) {
    v1::Waiver& waiver = *page->add_waivers();
    waiver.set_case_id(row.case_id);
    waiver.set_reason(row.reason);
    *waiver.mutable_findings() = row.parts.findings;
    *waiver.mutable_cause() = row.parts.cause;
    for (const v1::RunProfile::Waiver& one : profile.waiver()) {
      if (one.id() != row.waiver) continue;
      waiver.set_link(one.issue());
      waiver.set_expires(one.expires());
    }
  }
  return absl::OkStatus();
}

v1::ShownOptions Shown(const v1::RunOptions& options) {
  v1::ShownOptions shown;
  shown.set_repeat(options.repeat());
  shown.set_shuffle_seed(options.shuffle_seed());
  shown.set_timeout_s(options.timeout_s());
  *shown.mutable_selection_found() = SelectionOf(options.selection());
  shown.set_selection(FindingText(shown.selection_found()));
  shown.set_suite(options.selection().suite().empty() ? "core" : options.selection().suite());
  *shown.mutable_sandbox_found() = SandboxOf(options);
  shown.set_sandbox(FindingText(shown.sandbox_found()));
  *shown.mutable_workers_word_found() = WorkersWord(options);
  shown.set_workers_word(FindingText(shown.workers_word_found()));
  shown.set_owner(options.owner());
  shown.set_shard_index(options.shard_index());
  shown.set_shard_count(options.shard_count());
  return shown;
}

void SetFacts(const server::RunFacts& facts, v1::RunSummary* run) {
  run->set_run_id(facts.run_id);
  run->set_chip(facts.chip);
  run->set_vendor_name(facts.vendor_name);
  run->set_impl_version(facts.impl_version);
  run->set_impl_sha256(facts.impl_sha256);
  run->set_impl_path(facts.impl_path);
  run->set_suite_hash(facts.suite_hash);
  run->set_state(facts.state);
  run->set_created(facts.created);
  run->set_finished(facts.finished);
  run->set_host(facts.host);
  run->set_agent_version(facts.agent_version);
  run->set_dialect(facts.dialect);
  run->mutable_contracts()->Assign(facts.contracts.begin(), facts.contracts.end());
  run->mutable_environment()->Assign(facts.environment.begin(), facts.environment.end());
  run->mutable_adaptor()->Assign(facts.adaptor.begin(), facts.adaptor.end());
  run->mutable_labels()->insert(facts.labels.begin(), facts.labels.end());
  *run->mutable_abort_reason_found() = facts.scope.aborted();
  run->set_abort_reason(FindingText(facts.scope.aborted()));
  *run->mutable_scope() = facts.scope;
}

}  // namespace

v1::RunSummary Summarize(const server::RunRow& row) {
  const server::RunTotals& totals = row.totals;
  v1::RunSummary run;
  SetFacts(row.facts, &run);
  *run.mutable_badges() = run.contracts();
  if (totals.flushed > 0) run.add_badges(kFlushBadge);
  run.set_cases(std::max(row.facts.cases, totals.done));
  run.set_done(totals.done);
  *run.mutable_outcomes() = CountsOf(totals.outcomes);
  v1::Coverage& coverage = *run.mutable_coverage();
  coverage.set_abi_functions(static_cast<int64_t>(abi::Functions().size()));
  coverage.set_implemented(totals.implemented);
  coverage.set_selected(totals.selected);
  coverage.set_with_cases(FunctionsWithCases(totals.selected));
  coverage.set_tested(totals.tested);
  coverage.set_passing(totals.passing);
  *run.mutable_correctness() = CorrectnessOf(totals.called, totals.passed, totals.outcomes, run.cases());
  run.set_failed(FailedCases(totals.outcomes));
  const auto waived = totals.outcomes.find(v1::OUTCOME_WAIVED);
  run.set_waivers_in_force(waived == totals.outcomes.end() ? 0 : waived->second);
  run.set_widened(totals.widened);
  run.mutable_references()->Assign(totals.references.begin(), totals.references.end());
  *run.mutable_partial_found() = WhyPartial(row.facts.scope, row.facts.state, run.cases(), run.done());
  run.set_partial(FindingText(run.partial_found()));
  run.set_variant(VariantOf(row.facts));
  v1::PublicRule& rule = *run.mutable_public_rule();
  rule.set_judged(totals.judged);
  rule.set_ours_alone(totals.ours_alone);
  rule.set_theirs_alone(totals.theirs_alone);
  return run;
}

absl::StatusOr<v1::RunSummary> LoadSummary(server::Queries& queries, const std::string& run_id) {
  ASSIGN_OR_RETURN(const server::RunRow row, queries.Run(run_id));
  return Summarize(row);
}

absl::StatusOr<v1::RunsPage> LoadRuns(server::Queries& queries, const server::RunFilter& filter) {
  ASSIGN_OR_RETURN(const std::vector<server::RunRow> rows, queries.Runs(filter));
  v1::RunsPage page;
  for (const server::RunRow& row : rows) *page.add_runs() = Summarize(row);
  return page;
}

absl::StatusOr<v1::RunPage> LoadRun(server::Queries& queries, const std::string& run_id) {
  ASSIGN_OR_RETURN(v1::RunSummary summary, LoadSummary(queries, run_id));
  const std::string id = summary.run_id();  // "latest" may be another run by now
  ASSIGN_OR_RETURN(const v1::RunInfo info, queries.Describe(id));
  ASSIGN_OR_RETURN(const std::vector<server::TallyRow> tallies, queries.Tallies(id));
  ASSIGN_OR_RETURN(const std::vector<server::DeviceRow> devices, queries.Devices(id));
  ASSIGN_OR_RETURN(const int64_t measured, queries.MeasuredCalls(id));
  v1::RunPage page;
  *page.mutable_public_rule() = summary.public_rule();
  *page.mutable_summary() = std::move(summary);
  const v1::RunOptions& options = info.options();
  RETURN_IF_ERROR(AddWaivers(queries, options.profile(), &page));
  *page.mutable_adaptor_found() = options.profile().rules();
  if (!page.summary().adaptor().empty()) page.mutable_summary()->add_badges(kAdaptorBadge);
  if (options.has_machine()) *page.mutable_machine() = options.machine();
  *page.mutable_options() = Shown(options);
  for (v1::OperatorRow& row : OperatorRows(tallies)) *page.add_operators() = std::move(row);
  for (const server::DeviceRow& device : devices) {
    v1::DeviceCount& count = *page.add_devices();
    if (device.device_index >= 0) count.set_device_index(device.device_index);
    count.set_cases(device.cases);
    count.set_passed(device.passed);
  }
  if (info.has_exploration()) *page.mutable_exploration() = ExplorationOf(info);
  if (info.has_submission()) {
    v1::ShownSubmission& submission = *page.mutable_submission();
    submission.set_note(info.submission().note());
    submission.set_cancelled(info.submission().cancelled());
    submission.set_exit_code(info.submission().exit_code());
  }
  page.set_measured_calls(measured);
  return page;
}

std::vector<v1::OperatorRow> OperatorRows(const std::vector<server::TallyRow>& tallies) {
  std::map<std::string, v1::OperatorRow> rows;
  for (const server::TallyRow& tally : tallies) {
    v1::OperatorRow& row = rows[tally.op];
    row.set_operator_(tally.op);
    AddToRow(tally.outcome, tally.cases, &row);
  }
  std::vector<v1::OperatorRow> sorted;
  sorted.reserve(rows.size());
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  return sorted;
}

}  // namespace diopi::reports
