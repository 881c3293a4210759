#include "reports/model/explorations.h"

#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "reports/model/completeness.h"
#include "reports/model/report.h"

namespace diopi::reports {
namespace {

void AddCause(const v1::Exploration::Cause& cause, v1::ExplorationPage* page) {
  v1::ShownCause& shown = *page->add_causes();
  shown.set_key(cause.key());
  shown.set_outcome(cause.outcome());
  shown.set_cause(cause.cause());
  *shown.mutable_finding() = cause.finding();
  *shown.mutable_operators() = cause.operators();
  shown.set_calls(cause.calls());
  shown.set_example(cause.example());
  shown.set_reason(cause.reason());
  *shown.mutable_findings() = cause.findings();
  *shown.mutable_likely_cause() = cause.likely_cause();
  shown.set_file(cause.file());
  shown.set_text(cause.text());
  shown.set_command(cause.command());
  shown.set_known(cause.known());
}

v1::ExplorationRow RowOf(const v1::RunInfo& run) {
  const v1::RunOptions& options = run.options();
  const v1::ExplorationPage shown = ExplorationOf(run);
  v1::ExplorationRow row;
  row.set_run_id(run.run_id());
  row.set_chip(options.chip());
  row.set_vendor_name(options.vendor_name());
  row.set_impl_version(options.impl_version());
  row.set_impl_sha256(options.impl_sha256());
  row.set_state(run.state());
  row.set_created(run.created());
  row.set_finished(run.finished());
  *row.mutable_labels() = options.labels();
  if (shown.has_asked_calls()) row.set_asked_calls(shown.asked_calls());
  if (shown.has_asked_seconds()) row.set_asked_seconds(shown.asked_seconds());
  row.set_seed(shown.seed());
  row.set_selection(shown.selection());
  *row.mutable_selection_found() = shown.selection_found();
  row.set_calls(shown.calls());
  row.set_failed(shown.failed());
  row.set_seconds(shown.seconds());
  row.set_functions_called(shown.functions_called());
  row.set_causes(shown.causes_size());
  return row;
}

}  // namespace

int64_t FailedCalls(const v1::Exploration& exploration) {
  int64_t failed = 0;
  for (const auto& [outcome, count] : OutcomesOf(exploration)) failed += IsFailure(outcome) ? count : 0;
  return failed;
}

v1::ExplorationPage ExplorationOf(const v1::RunInfo& run) {
  const v1::ExplorationOptions& asked = run.options().exploration();
  const v1::Exploration& done = run.exploration();
  v1::ExplorationPage page;
  if (asked.calls() > 0) page.set_asked_calls(asked.calls());
  if (asked.seconds() > 0) page.set_asked_seconds(asked.seconds());
  page.set_seed(asked.seed());
  page.set_stop_on_first(asked.stop_on_first());
  *page.mutable_selection_found() = ExploredPart(run.options().selection());
  page.set_selection(FindingText(page.selection_found()));
  page.set_calls(done.calls());
  page.set_failed(FailedCalls(done));
  page.set_seconds(done.seconds());
  *page.mutable_outcomes() = CountsOf(OutcomesOf(done));
  page.set_functions_called(done.functions_called());
  page.set_classes(done.classes());
  page.set_pairs(done.pairs());
  page.set_refused(done.refused());
  page.set_false_alarms(done.false_alarms());
  *page.mutable_given_up() = done.given_up();
  for (const v1::Exploration::Function& function : done.functions()) {
    v1::ExploredFunction& shown = *page.add_functions();
    shown.set_function(function.name());
    shown.set_calls(function.calls());
    shown.set_failures(function.failures());
    shown.set_classes(function.classes());
    shown.set_pairs(function.pairs());
  }
  for (const v1::Exploration::Cause& cause : done.causes()) AddCause(cause, &page);
  return page;
}

absl::StatusOr<v1::ExplorationsPage> LoadExplorations(server::Queries& queries,
                                                      const server::RunFilter& filter) {
  ASSIGN_OR_RETURN(const std::vector<v1::RunInfo> runs, queries.Explorations(filter));
  v1::ExplorationsPage page;
  for (const v1::RunInfo& run : runs) *page.add_explorations() = RowOf(run);
  return page;
}

}  // namespace diopi::reports
