// The same figures are computed in two ways: here from verdicts, and in run_summary.cc from the totals that
// the database keeps. Both use one definition of each figure (CallTally, CorrectnessOf, PartialText), so a
// list and a report agree. A function that answers every call with NoImplement counts as not implemented,
// although the library exports it.
#include "reports/model/report.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/findings/describe.h"
#include "proto/abi/abi.h"
#include "reports/model/completeness.h"
#include "reports/model/group_facts.h"
#include "reports/model/suite.h"
#include "server/store/run_kind.h"

namespace diopi::reports {
namespace {

v1::Coverage CoverageOf(const v1::RunOptions& options, const FunctionTallies& tallies) {
  v1::Coverage coverage;
  coverage.set_abi_functions(static_cast<int64_t>(abi::Functions().size()));
  std::set<std::string> implemented(options.implemented().begin(), options.implemented().end());
  coverage.set_selected(static_cast<int64_t>(tallies.size()));
  coverage.set_with_cases(FunctionsWithCases(coverage.selected()));
  for (const auto& [function, tally] : tallies) {
    if (tally.tested()) coverage.set_tested(coverage.tested() + 1);
    if (tally.passing()) coverage.set_passing(coverage.passing() + 1);
    if (tally.hollow()) implemented.erase(function);
  }
  coverage.set_implemented(static_cast<int64_t>(implemented.size()));
  return coverage;
}

bool Flushes(const v1::Verdict& verdict) {
  return std::any_of(verdict.outputs().begin(), verdict.outputs().end(),
                     [](const v1::OutputStats& stats) { return stats.flushed() > 0; });
}

void AddToRule(const v1::Verdict& verdict, v1::PublicRule* rule) {
  const bool passed = verdict.outcome() == v1::OUTCOME_PASS;
  const std::optional<PublicVerdict> theirs = PublicVerdictOf(verdict);
  if (!theirs.has_value() || (!passed && !IsFailure(verdict.outcome()))) return;
  rule->set_judged(rule->judged() + 1);
  if (!passed && theirs->pass) rule->set_ours_alone(rule->ours_alone() + 1);
  if (passed && !theirs->pass) rule->set_theirs_alone(rule->theirs_alone() + 1);
}

}  // namespace

FunctionTallies TallyFunctions(const std::vector<v1::Verdict>& results) {
  FunctionTallies tallies;
  for (const v1::Verdict& verdict : results) {
    if (!verdict.function().empty()) tallies[verdict.function()].Add(verdict.outcome());
  }
  return tallies;
}

int64_t FailedCases(const OutcomeCounts& outcomes) {
  int64_t failed = 0;
  for (const auto& [outcome, cases] : outcomes) failed += IsFailure(outcome) ? cases : 0;
  return failed;
}

v1::Correctness CorrectnessOf(int64_t called, int64_t passed, const OutcomeCounts& outcomes, int64_t cases) {
  v1::Correctness correctness;
  correctness.set_called(called);
  correctness.set_passed(passed);
  int64_t checks = -called;
  for (const auto& [outcome, count] : outcomes) checks += IsCalled(outcome) ? count : 0;
  correctness.set_asked(cases - checks);
  return correctness;
}

std::optional<PublicVerdict> PublicVerdictOf(const v1::Verdict& verdict) {
  if (verdict.outputs_size() == 0) return std::nullopt;
  PublicVerdict theirs;
  for (const v1::OutputStats& stats : verdict.outputs()) {
    theirs.pass = theirs.pass && stats.public_pass();
    theirs.mismatch_ratio = std::fmax(theirs.mismatch_ratio, stats.public_mismatch_ratio());
  }
  return theirs;
}

namespace {

std::vector<WaiverRow> WaiversOf(const v1::RunProfile& profile, const std::vector<v1::Verdict>& results) {
  std::vector<WaiverRow> rows;
  for (const v1::RunProfile::Waiver& waiver : profile.waiver()) {
    WaiverRow& row = rows.emplace_back();
    row.waiver = waiver;
    for (const v1::Verdict& verdict : results) {
      if (verdict.waiver() == waiver.id()) ++row.cases;
    }
  }
  return rows;
}

std::vector<ContractEffect> EffectsOf(const std::vector<v1::Verdict>& results) {
  std::map<std::string, ContractEffect> by_name;
  for (const v1::Verdict& verdict : results) {
    if (verdict.outcome() != v1::OUTCOME_FAIL) continue;
    for (const std::string& contract : verdict.would_pass_under()) {
      ContractEffect& effect = by_name[contract];
      effect.contract = contract;
      ++effect.cases;
      ++effect.by_dtype[verdict.dtype()];
    }
  }
  std::vector<ContractEffect> effects;
  effects.reserve(by_name.size());
  for (auto& [name, effect] : by_name) effects.push_back(std::move(effect));
  std::stable_sort(effects.begin(), effects.end(),
                   [](const ContractEffect& a, const ContractEffect& b) { return a.cases > b.cases; });
  return effects;
}

}  // namespace

RunReport BuildReport(v1::RunInfo run, std::vector<v1::Verdict> results) {
  RunReport report;
  std::map<std::string, v1::OperatorRow> rows;
  std::set<std::string> references, device_references;
  bool flushes = false;
  for (const v1::Verdict& verdict : results) {
    ++report.outcomes[verdict.outcome()];
    v1::OperatorRow& row = rows[verdict.operator_()];
    row.set_operator_(verdict.operator_());
    AddToRow(verdict.outcome(), 1, &row);
    flushes = flushes || Flushes(verdict);
    if (verdict.contracts_size() > 0) ++report.widened;
    if (verdict.outcome() == v1::OUTCOME_FAIL) ++report.wrong_numbers;
    AddToRule(verdict, &report.public_rule);
    if (verdict.adapted()) ++report.adapted;
    if (!verdict.device_reference().empty()) device_references.insert(verdict.device_reference());
    if (!verdict.reference().empty()) references.insert(verdict.reference());
  }
  for (auto& [name, row] : rows) report.operators.push_back(std::move(row));
  const FunctionTallies tallies = TallyFunctions(results);
  report.coverage = CoverageOf(run.options(), tallies);
  report.badges.assign(run.options().contracts().begin(), run.options().contracts().end());
  if (!AdaptorLines(run.options().profile()).empty()) report.badges.emplace_back(kAdaptorBadge);
  report.waivers = WaiversOf(run.options().profile(), results);
  report.would_pass = EffectsOf(results);
  if (flushes) report.badges.emplace_back(kFlushBadge);
  report.references.assign(references.begin(), references.end());
  report.device_references.assign(device_references.begin(), device_references.end());
  const auto done = static_cast<int64_t>(results.size());
  report.cases = run.cases() > done ? run.cases() : done;
  report.missing = report.cases - done;
  int64_t called = 0, passed = 0;
  for (const auto& [function, tally] : tallies) {
    called += tally.called;
    passed += tally.passed;
  }
  report.correctness = CorrectnessOf(called, passed, report.outcomes, report.cases);
  report.partial = FindingText(WhyPartial(run.options(), run.state(), report.cases, done));
  report.failures = GroupFailures(results);
  std::vector<std::string> passing;
  if (!report.failures.empty()) {
    for (const v1::Verdict& verdict : results) {
      if (verdict.outcome() == v1::OUTCOME_PASS) passing.push_back(verdict.case_id());
    }
    AddGroupFacts(passing, &report.failures);
  }
  report.run = std::move(run);
  report.results = std::move(results);
  return report;
}

google::protobuf::RepeatedPtrField<v1::OutcomeCount> CountsOf(const OutcomeCounts& outcomes) {
  google::protobuf::RepeatedPtrField<v1::OutcomeCount> counts;
  for (const auto& [outcome, cases] : outcomes) {
    v1::OutcomeCount& count = *counts.Add();
    count.set_outcome(outcome);
    count.set_cases(cases);
  }
  return counts;
}

void AddToRow(v1::Outcome outcome, int64_t cases, v1::OperatorRow* row) {
  row->set_cases(row->cases() + cases);
  if (outcome == v1::OUTCOME_PASS) {
    row->set_passed(row->passed() + cases);
  } else if (IsFailure(outcome)) {
    row->set_failed(row->failed() + cases);
  } else if (outcome == v1::OUTCOME_NOT_IMPLEMENTED) {
    row->set_not_implemented(row->not_implemented() + cases);
  } else {
    row->set_other(row->other() + cases);
  }
}

int64_t FunctionsWithCases(int64_t selected) {
  return std::max(selected, static_cast<int64_t>(BuiltinSuite().size()));
}

absl::StatusOr<RunReport> LoadReport(server::Database& database, const std::string& run_id) {
  ASSIGN_OR_RETURN(v1::RunInfo run, database.GetRun(run_id));
  RETURN_IF_ERROR(server::CheckHasVerdicts(run.run_id(), run.options()));
  ASSIGN_OR_RETURN(std::vector<v1::Verdict> verdicts,
                   database.Verdicts(run.run_id(), server::VerdictFilter{}));
  ASSIGN_OR_RETURN(server::StoredPerformance performance, database.Performance(run.run_id()));
  RunReport report = BuildReport(std::move(run), std::move(verdicts));
  report.performance = std::move(performance);
  return report;
}

}  // namespace diopi::reports
