// Small runs, for the tests of the gate.
#ifndef REPORTS_GATE_TESTING_H_
#define REPORTS_GATE_TESTING_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reports/gate/expectations.h"
#include "reports/model/report.h"

namespace diopi::reports {

struct SmallCase {
  std::string id;
  v1::Outcome outcome = v1::OUTCOME_PASS;
  double call_us = 10;
  double rms_z = 0.5;
};

// A finished complete run; a case's function is "diopi_" and its id up to the first dot.
inline RunReport SmallRun(const std::string& run_id, const std::vector<SmallCase>& cases) {
  v1::RunInfo run;
  run.set_run_id(run_id);
  run.set_state(v1::RUN_STATE_FINISHED);
  run.set_created("2026-11-20T10:00:00Z");
  run.set_cases(static_cast<int64_t>(cases.size()));
  run.mutable_options()->set_chip("demo");
  run.mutable_options()->set_impl_path("lib.so");
  run.mutable_options()->set_impl_sha256("0123456789abcdef0123");
  std::vector<v1::Verdict> verdicts;
  for (const SmallCase& small : cases) {
    v1::Verdict verdict;
    verdict.set_case_id(small.id);
    verdict.set_operator_(small.id.substr(0, small.id.find('.')));
    verdict.set_function("diopi_" + verdict.operator_());
    verdict.set_outcome(small.outcome);
    verdict.set_reason(small.outcome == v1::OUTCOME_PASS ? "" : "why, of " + small.id);
    verdict.set_call_us(small.call_us);
    v1::OutputStats* stats = verdict.add_outputs();
    stats->set_key("out");
    stats->set_elements(100);
    stats->set_ok(true);
    stats->set_rms_z(small.rms_z);
    if (small.outcome != v1::OUTCOME_NOT_IMPLEMENTED) {
      run.mutable_options()->add_implemented(verdict.function());
    }
    verdicts.push_back(std::move(verdict));
  }
  RunReport report = BuildReport(std::move(run), std::move(verdicts));
  report.coverage.set_with_cases(12);  // independent of the real suite
  return report;
}

inline Expectations Lines(const std::string& text) {
  absl::StatusOr<Expectations> read = ParseExpectations(text, "demo.txt");
  EXPECT_TRUE(read.ok()) << read.status();
  return read.ok() ? *std::move(read) : Expectations();
}

}  // namespace diopi::reports

#endif  // REPORTS_GATE_TESTING_H_
