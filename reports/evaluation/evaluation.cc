// Everything is counted from verdicts in a few passes; no figure is estimated. A case counts once in each
// chart, by its worst output. Times are compared for cases that passed in both runs in the same version, as
// geometric means, because ratios multiply.
#include "reports/evaluation/evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/outcome.h"
#include "cases/core/library_checks.h"
#include "proto/abi/abi.h"

namespace diopi::reports {
namespace {

void CoverFunctions(const EvaluationInput& input, std::vector<GroupCoverage>* headers,
                    std::vector<GroupCoverage>* families) {
  const v1::RunOptions& options = input.report.run.options();
  const std::set<std::string> exported(options.implemented().begin(), options.implemented().end());
  const FunctionTallies tallies = TallyFunctions(input.report.results);
  std::map<std::string, GroupCoverage> by_family;
  const auto add = [&](const std::string& function, GroupCoverage* group) {
    const auto found = tallies.find(function);
    const CallTally tally = found == tallies.end() ? CallTally() : found->second;
    ++group->functions;
    if (exported.contains(function) && !tally.hollow()) ++group->implemented;
    if (input.suite.contains(function)) ++group->in_suite;
    if (tally.tested()) ++group->tested;
    if (tally.passing()) ++group->passing;
  };
  for (const abi::Function* function : abi::Functions()) {
    const std::string header(abi::HeaderOf(function->name()));
    if (headers->empty() || headers->back().name != header) headers->push_back({.name = header});
    add(function->name(), &headers->back());
    const auto place = input.suite.find(function->name());
    if (place == input.suite.end()) continue;
    GroupCoverage& family = by_family[place->second.family];
    family.name = place->second.family;
    add(function->name(), &family);
  }
  for (auto& [name, family] : by_family) families->push_back(family);
}

// 0 for A to 3 for D; nullopt without a device reference.
std::optional<size_t> GradeOf(const v1::Verdict& verdict) {
  std::optional<size_t> worst;
  for (const v1::OutputStats& stats : verdict.outputs()) {
    if (stats.grade().size() != 1 || stats.grade()[0] < 'A' || stats.grade()[0] > 'D') continue;
    worst = std::max(worst.value_or(0), static_cast<size_t>(stats.grade()[0] - 'A'));
  }
  return worst;
}

// The family of an operator, by any of its functions; checks of the library as a whole have none.
std::string FamilyOf(const SuiteIndex& suite, const v1::Verdict& verdict) {
  const auto place = suite.find(verdict.function());
  const bool none = place == suite.end() || verdict.operator_() == cases::kLibraryOperator;
  return none ? "" : place->second.family;
}

std::vector<OperatorResult> OperatorResults(const EvaluationInput& input, Grades* all) {
  std::map<std::pair<std::string, std::string>, OperatorResult> results;
  for (const v1::Verdict& verdict : input.report.results) {
    const std::string family = FamilyOf(input.suite, verdict);
    OperatorResult& result = results[{family, verdict.operator_()}];
    result.op = verdict.operator_();
    result.family = family;
    const v1::Outcome outcome = verdict.outcome();
    ++result.cases;
    if (IsCalled(outcome)) ++result.called;
    if (outcome == v1::OUTCOME_PASS) ++result.passed;
    if (IsFailure(outcome)) ++result.failed;
    if (outcome == v1::OUTCOME_NOT_IMPLEMENTED) ++result.not_implemented;
    if (outcome == v1::OUTCOME_WAIVED) ++result.waived;
    const std::optional<size_t> grade = GradeOf(verdict);
    if (!grade.has_value()) continue;
    ++result.grades.counts[*grade];
    ++all->counts[*grade];
  }
  std::vector<OperatorResult> sorted;
  sorted.reserve(results.size());
  for (auto& [key, result] : results) sorted.push_back(std::move(result));
  return sorted;
}

void CountError(double error, bool failed, std::vector<ErrorBin>* bins) {
  if (bins->empty()) {
    for (const double up_to : {0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 1024.0, HUGE_VAL})
      bins->push_back({up_to});
  }
  const auto bin =
      std::find_if(bins->begin(), bins->end() - 1, [error](const ErrorBin& b) { return error <= b.up_to; });
  ++(failed ? bin->failed : bin->passed);
}

// The worst errors of a case's outputs of one dtype; nullopt: not measured.
struct WorstErrors {
  std::optional<double> ulp;
  std::optional<double> z;
};

void TakeWorst(double error, std::optional<double>* worst) {
  if (!std::isnan(error)) *worst = std::max(worst->value_or(0), error);
}

void CountErrors(Evaluation* evaluation) {
  std::map<v1::Dtype::Code, DtypeErrors> by_dtype;
  for (const v1::Verdict& verdict : evaluation->input.report.results) {
    const bool failed = verdict.outcome() == v1::OUTCOME_FAIL;
    std::map<v1::Dtype::Code, WorstErrors> worst;
    for (const v1::OutputStats& stats : verdict.outputs()) {
      if (stats.ulp_histogram_size() == 0 || !(failed || verdict.outcome() == v1::OUTCOME_PASS)) continue;
      TakeWorst(stats.max_ulp(), &worst[stats.dtype()].ulp);
      TakeWorst(stats.max_z(), &worst[stats.dtype()].z);
    }
    if (worst.empty() && IsFailure(verdict.outcome())) ++evaluation->without_error[verdict.outcome()];
    for (const auto& [dtype, errors] : worst) {
      DtypeErrors& counts = by_dtype[dtype];
      counts.dtype = dtype;
      if (errors.ulp.has_value()) CountError(*errors.ulp, failed, &counts.ulp);
      if (errors.z.has_value()) CountError(*errors.z, failed, &counts.z);
    }
  }
  for (auto& [dtype, errors] : by_dtype) evaluation->errors.push_back(std::move(errors));
}

void MeasureTimes(Evaluation* evaluation) {
  const EvaluationInput& input = evaluation->input;
  if (!input.reference.has_value()) return;
  std::map<std::pair<std::string, std::string>, double> reference;  // by case id and hash
  for (const v1::Verdict& verdict : input.reference->results) {
    if (verdict.outcome() == v1::OUTCOME_PASS && verdict.call_us() > 0)
      reference[{verdict.case_id(), verdict.case_hash()}] = verdict.call_us();
  }
  std::map<std::string, OperatorTime> times;
  for (const v1::Verdict& verdict : input.report.results) {
    const auto other = reference.find({verdict.case_id(), verdict.case_hash()});
    if (verdict.outcome() != v1::OUTCOME_PASS || verdict.call_us() <= 0 || other == reference.end()) continue;
    OperatorTime& time = times[verdict.operator_()];
    time.op = verdict.operator_();
    ++time.cases;
    time.chip_us += verdict.call_us();
    time.reference_us += other->second;
    time.ratio += std::log(verdict.call_us() / other->second);
  }
  for (auto& [op, time] : times) {
    time.ratio = std::exp(time.ratio / static_cast<double>(time.cases));
    evaluation->times.push_back(time);
  }
}

}  // namespace

Evaluation Evaluate(EvaluationInput input) {
  Evaluation evaluation;
  CoverFunctions(input, &evaluation.headers, &evaluation.families);
  evaluation.operators = OperatorResults(input, &evaluation.grades);
  evaluation.input = std::move(input);
  CountErrors(&evaluation);
  MeasureTimes(&evaluation);
  return evaluation;
}

std::vector<ModelResult> ModelsOf(const v1::ModelsPage& page, const std::string& chip) {
  const auto column = std::find(page.chips().begin(), page.chips().end(), chip);
  std::vector<ModelResult> models;
  if (column == page.chips().end()) return models;
  const auto at = static_cast<int>(column - page.chips().begin());
  for (const v1::ModelRow& row : page.models()) {
    if (row.cells(at).calls() > 0) models.push_back({row.name(), row.cells(at)});
  }
  return models;
}

}  // namespace diopi::reports
