// Functions with measurements are judged first and left out of the rest, because measured rounds are better
// evidence than single calls. Times and errors then go through one test (evidence.h). A slowdown that
// everything shares is one finding and divided out, so that a slower machine does not accuse every function.
#include "reports/gate/regressions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/gate/evidence.h"
#include "reports/performance/comparison.h"

namespace diopi::reports {
namespace {

using Groups = std::map<std::string, std::vector<Pair>>;

constexpr size_t kShared = 5;  // functions needed to determine a shared slowdown

struct Timing {
  std::string function;
  double best_us = 0;
  int runs = 0;
};
using Timings = std::unordered_map<std::string, Timing>;

void AddTimes(const RunReport& report, Timings* timings) {
  for (const v1::Verdict& verdict : report.results) {
    if (verdict.outcome() != v1::OUTCOME_PASS || verdict.function().empty()) continue;
    if (!(verdict.call_us() > 0) || !std::isfinite(verdict.call_us())) continue;
    Timing& timing = (*timings)[verdict.case_id()];
    timing.function = verdict.function();
    timing.best_us = timing.runs == 0 ? verdict.call_us() : std::min(timing.best_us, verdict.call_us());
    ++timing.runs;
  }
}

Timings TimesOf(const RunReport& report, const std::vector<const RunReport*>& repeats) {
  Timings timings;
  AddTimes(report, &timings);
  Timings of_run = timings;
  for (const RunReport* repeat : repeats) AddTimes(*repeat, &timings);
  // Keeps only cases of the run itself.
  std::erase_if(timings, [&of_run](const auto& entry) { return !of_run.contains(entry.first); });
  return timings;
}

std::string GrowthText(const Growth& growth, double factor, const char* what) {
  return absl::StrFormat(
      "%d of %d %s are more than %g times those of the reference, the median is %.2f times (p = %.1g)",
      growth.above, growth.pairs, what, factor, growth.median_ratio, growth.p);
}

// Judges the functions of calls that both runs measured (diopi-agent --performance), and names them.
std::vector<GateFinding> JudgeMeasurements(const GateInput& input, const GateOptions& options,
                                           std::set<std::string>* measured) {
  const Comparison comparison =
      Compare(input.reference->performance.measurements, input.run->performance.measurements,
              {options.max_slowdown, /*share=*/true});
  std::vector<GateFinding> findings;
  std::map<std::string, std::vector<const CallComparison*>> slower;
  for (const CallComparison& call : comparison.calls) {
    measured->insert(call.after.function());
    if (call.change == CallComparison::Change::kSlower) slower[call.after.function()].push_back(&call);
  }
  if (comparison.shared > options.max_slowdown) {
    findings.push_back(
        {FindingKind::kSlower,
         0,
         "run",
         absl::StrFormat("everything: measured calls take %.2f times as long as in the reference; "
                         "a slower machine would look the same",
                         comparison.shared),
         "",
         {}});
  }
  for (const auto& [function, calls] : slower) {
    const CallComparison& most = **std::max_element(
        calls.begin(), calls.end(),
        [](const CallComparison* a, const CallComparison* b) { return a->ratio < b->ratio; });
    GateFinding finding{
        FindingKind::kSlower,
        0,
        function,
        absl::StrFormat("%d measured calls are slower beyond a factor of %.2f; %s %s takes %.3g us "
                        "instead of %.3g us, %.2f to %.2f times as long (p = %.1g)",
                        calls.size(), comparison.factor, v1::Dtype::Code_Name(most.after.dtype()),
                        most.after.shapes(), most.after_us.median, most.before_us.median, most.low, most.high,
                        most.p),
        "",
        {}};
    for (const CallComparison* call : calls) finding.cases.push_back(call->after.judged_case());
    findings.push_back(std::move(finding));
  }
  return findings;
}

class TimeJudge {
 public:
  // Leaves out the functions in `measured`.
  TimeJudge(const GateInput& input, const GateOptions& options, const std::set<std::string>& measured)
      : input_(input), options_(options), measured_(measured) {}

  std::vector<GateFinding> Judge() {
    const Timings before = TimesOf(*input_.reference, input_.reference_repeats);
    Groups confirmed, all;
    std::vector<Pair> of_run;
    for (const auto& [id, timing] : TimesOf(*input_.run, input_.repeats)) {
      const auto at = before.find(id);
      if (at == before.end() || measured_.contains(timing.function)) continue;
      const Pair pair{at->second.best_us, timing.best_us};
      all[timing.function].push_back(pair);
      if (timing.runs < 2 || at->second.runs < 2) continue;
      confirmed[timing.function].push_back(pair);
      of_run.push_back(pair);
    }
    JudgeShared(std::move(of_run), &confirmed);
    std::set<std::string> slower;
    for (const Growth& growth : JudgeGrowth(confirmed, options_.max_slowdown)) {
      if (!growth.grew) continue;
      slower.insert(growth.group);
      findings_.push_back({FindingKind::kSlower,
                           0,
                           growth.group,
                           GrowthText(growth, options_.max_slowdown, "cases' times"),
                           "",
                           {}});
    }
    for (const Growth& growth : JudgeGrowth(all, options_.max_slowdown)) {
      if (!growth.grew || slower.contains(growth.group) ||
          confirmed[growth.group].size() == all[growth.group].size()) {
        continue;
      }
      findings_.push_back(
          {FindingKind::kSuspected,
           0,
           growth.group,
           absl::StrCat("may be slower: ", GrowthText(growth, options_.max_slowdown, "cases' times"),
                        ", but one run is not evidence"),
           absl::StrCat("run the function once more with each of the two libraries: diopi-agent --fname ",
                        growth.group),
           {}});
    }
    return std::move(findings_);
  }

 private:
  // A slower machine and a slower library look the same here: one finding for what all share, and the rest is
  // judged relative to it.
  void JudgeShared(std::vector<Pair> of_run, Groups* groups) {
    if (groups->size() < kShared) return;
    const double shared = MedianRatio(of_run);
    for (const Growth& growth : JudgeGrowth({{"run", std::move(of_run)}}, options_.max_slowdown)) {
      if (!growth.grew) continue;
      findings_.push_back(
          {FindingKind::kSlower,
           0,
           "run",
           absl::StrCat("everything: ", GrowthText(growth, options_.max_slowdown, "cases' times"),
                        "; a slower machine would look the same"),
           "",
           {}});
    }
    if (shared <= 1) return;
    for (auto& [function, pairs] : *groups) {
      for (Pair& pair : pairs) pair.after /= shared;
    }
  }

  const GateInput& input_;
  const GateOptions& options_;
  const std::set<std::string>& measured_;
  std::vector<GateFinding> findings_;
};

std::map<std::pair<std::string, std::string>, double> ErrorsOf(const RunReport& report) {
  std::map<std::pair<std::string, std::string>, double> errors;
  for (const v1::Verdict& verdict : report.results) {
    for (const v1::OutputStats& stats : verdict.outputs()) {
      if (stats.elements() == 0 || !std::isfinite(stats.rms_z()) || stats.rms_z() < 0) continue;
      errors[{verdict.case_id(), stats.key()}] = std::max(stats.rms_z(), kErrorFloor);
    }
  }
  return errors;
}

}  // namespace

std::vector<GateFinding> JudgeTime(const GateInput& input, const GateOptions& options) {
  if (options.max_slowdown <= 0 || input.reference == nullptr) return {};
  std::set<std::string> measured;
  std::vector<GateFinding> findings = JudgeMeasurements(input, options, &measured);
  std::vector<GateFinding> others = TimeJudge(input, options, measured).Judge();
  findings.insert(findings.end(), std::make_move_iterator(others.begin()),
                  std::make_move_iterator(others.end()));
  return findings;
}

std::vector<GateFinding> JudgeErrors(const GateInput& input, const GateOptions& options) {
  if (options.max_error_growth <= 0 || input.reference == nullptr) return {};
  const auto before = ErrorsOf(*input.reference);
  const auto now = ErrorsOf(*input.run);
  Groups groups;
  for (const v1::Verdict& verdict : input.run->results) {
    if (verdict.function().empty()) continue;
    for (const v1::OutputStats& stats : verdict.outputs()) {
      const auto then = before.find({verdict.case_id(), stats.key()});
      const auto here = now.find({verdict.case_id(), stats.key()});
      if (then == before.end() || here == now.end()) continue;
      groups[verdict.function()].push_back({then->second, here->second});
    }
  }
  std::vector<GateFinding> findings;
  for (const Growth& growth : JudgeGrowth(groups, options.max_error_growth)) {
    if (!growth.grew) continue;
    findings.push_back({FindingKind::kLessAccurate,
                        0,
                        growth.group,
                        GrowthText(growth, options.max_error_growth, "outputs' errors"),
                        "",
                        {}});
  }
  return findings;
}

}  // namespace diopi::reports
