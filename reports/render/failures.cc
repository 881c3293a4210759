// The page of a run's failures by cause.
#include <utility>

#include "reports/render/render.h"

namespace diopi::reports {

v1::Failures FailuresOf(const RunFailures& failures) {
  v1::Failures page;
  page.set_run_id(failures.run.run_id());
  page.set_state(failures.run.state());
  page.set_cases(failures.cases);
  for (const FailureGroup& group : failures.groups) {
    v1::FailureGroup& shown = *page.add_groups();
    shown.set_key(group.key);
    shown.set_outcome(group.outcome);
    shown.set_cause(group.cause);
    *shown.mutable_finding() = group.finding;
    shown.set_diagnosed(group.diagnosed);
    shown.mutable_operators()->Assign(group.operators.begin(), group.operators.end());
    shown.mutable_functions()->Assign(group.functions.begin(), group.functions.end());
    shown.mutable_dtypes()->Assign(group.dtypes.begin(), group.dtypes.end());
    shown.set_cases(static_cast<int64_t>(group.cases.size()));
    v1::FailureExample& example = *shown.mutable_example();
    example.set_case_id(group.example.case_id());
    example.set_reveals(group.reveals);
    example.set_reason(group.reason);
    *example.mutable_findings() = group.example.findings();
    *example.mutable_cause() = group.example.cause();
    example.set_repro(ReproCommand(failures.run.options(), group.example));
    if (group.separation.code() != v1::Finding::CODE_UNSPECIFIED)
      *shown.mutable_separation() = group.separation;
    shown.mutable_case_ids()->Assign(group.cases.begin(), group.cases.end());
  }
  return page;
}

}  // namespace diopi::reports
