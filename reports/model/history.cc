// Outcomes are compared only between runs of the same library and of the same version of a case. Flaky cases
// are searched for among failures, which an index finds without reading passes; only the best candidates are
// then read in every run.
#include "reports/model/history.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "reports/model/cases_table.h"
#include "reports/model/variant.h"

namespace diopi::reports {
namespace {

// How many candidates to examine per flaky case wanted: nearly all candidates are flaky.
constexpr size_t kLookedAt = 2;

// Whether the verdict says something about the chip.
bool Speaks(v1::Outcome outcome) {
  return outcome != v1::OUTCOME_SKIPPED && outcome != v1::OUTCOME_HARNESS_ERROR;
}

// A library and a case's hash: together they should always give the same outcome.
using Same = std::pair<std::string, std::string>;

// A sequence of outcomes that should be equal.
struct Sequence {
  int64_t runs = 0;
  int64_t changes = 0;
  v1::Outcome last = v1::OUTCOME_UNSPECIFIED;

  void Add(v1::Outcome outcome) {
    if (runs > 0 && outcome != last) ++changes;
    last = outcome;
    ++runs;
  }
};

// Runs that say nothing about the chip are ignored.
void FindStretch(v1::History* history) {
  for (auto point = history->points().rbegin(); point != history->points().rend(); ++point) {
    if (!Speaks(point->outcome())) continue;
    if (point->outcome() == v1::OUTCOME_PASS) {
      if (history->has_first_bad()) history->set_last_good(point->run_id());
      return;
    }
    history->set_first_bad(point->run_id());
  }
}

v1::HistoryPoint PointOf(const server::RunFacts& run, const server::CaseRow& verdict) {
  v1::HistoryPoint point;
  point.set_run_id(run.run_id);
  point.set_created(run.created);
  point.set_state(run.state);
  point.set_impl_sha256(run.impl_sha256);
  point.set_impl_version(run.impl_version);
  point.set_variant(VariantOf(run));
  point.set_outcome(verdict.outcome);
  point.set_reason(verdict.reason);
  point.set_call_us(TimeOf(verdict));
  point.set_max_ulp(verdict.max_ulp);
  point.set_max_z(verdict.max_z);
  point.set_rms_z(verdict.rms_z);
  return point;
}

// The runs of one library, oldest first, and the cases that may be flaky in them.
struct Candidates {
  std::vector<const server::RunFacts*> runs;
  std::vector<std::string> cases;
};

// An upper bound on how often the outcome changed, from failures only: a case that did not fail counts as
// passed in runs with the same cases as a run in which it failed; other runs say nothing.
int64_t ChangesAtMost(const std::vector<const server::RunFacts*>& runs,
                      const std::map<size_t, v1::Outcome>& failures) {
  std::set<std::string> suites;
  for (const auto& [run, outcome] : failures) suites.insert(runs[run]->suite_hash);
  Sequence sequence;
  int64_t unknown = 0;
  for (size_t run = 0; run < runs.size(); ++run) {
    const auto failure = failures.find(run);
    if (failure != failures.end()) {
      sequence.Add(failure->second);
    } else if (suites.contains(runs[run]->suite_hash)) {
      sequence.Add(v1::OUTCOME_PASS);
    } else {
      unknown = 1;
    }
  }
  return sequence.changes + unknown;
}

absl::Status FindCandidates(server::Queries& queries, size_t limit, Candidates* candidates) {
  std::map<std::string, std::map<size_t, v1::Outcome>> failures;
  for (size_t run = 0; run < candidates->runs.size(); ++run) {
    ASSIGN_OR_RETURN(const std::vector<server::OutcomeRow> rows,
                     queries.Failures(candidates->runs[run]->run_id));
    for (const server::OutcomeRow& row : rows) failures[row.case_id][run] = row.outcome;
  }
  std::vector<std::pair<int64_t, std::string>> ranked;
  for (const auto& [case_id, in] : failures) {
    const int64_t changes = ChangesAtMost(candidates->runs, in);
    if (changes > 0) ranked.emplace_back(-changes, case_id);
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > limit) ranked.resize(limit);
  for (auto& [rank, case_id] : ranked) candidates->cases.push_back(std::move(case_id));
  return absl::OkStatus();
}

absl::Status CollectFlaky(server::Queries& queries, const Candidates& candidates,
                          std::vector<v1::FlakyCase>* flaky) {
  std::map<Same, Sequence> sequences;
  for (const server::RunFacts* run : candidates.runs) {
    ASSIGN_OR_RETURN(const std::vector<server::OutcomeRow> rows,
                     queries.OutcomesOf(run->run_id, candidates.cases));
    for (const server::OutcomeRow& row : rows) {
      if (IsCalled(row.outcome)) sequences[{row.case_id, row.case_hash}].Add(row.outcome);
    }
  }
  for (const auto& [same, sequence] : sequences) {
    if (sequence.changes == 0) continue;
    v1::FlakyCase& one = flaky->emplace_back();
    one.set_case_id(same.first);
    one.set_runs(sequence.runs);
    one.set_changes(sequence.changes);
  }
  return absl::OkStatus();
}

}  // namespace

v1::History BuildHistory(const std::string& case_id, const std::string& chip,
                         const std::vector<server::CasePoint>& points) {
  v1::History history;
  history.set_case_id(case_id);
  history.set_chip(chip);
  std::map<Same, Sequence> sequences;
  for (const server::CasePoint& point : points) {
    *history.add_points() = PointOf(point.run, point.verdict);
    if (!IsCalled(point.verdict.outcome)) continue;
    sequences[{LibraryVariantOf(point.run), point.verdict.case_hash}].Add(point.verdict.outcome);
  }
  for (const auto& [same, sequence] : sequences) {
    history.set_changes(history.changes() + sequence.changes);
    if (sequence.changes > 0) history.set_flaky(true);
  }
  FindStretch(&history);
  return history;
}

absl::StatusOr<v1::History> LoadHistory(server::Queries& queries, const std::string& case_id,
                                        const std::string& chip, int limit) {
  ASSIGN_OR_RETURN(const std::vector<server::CasePoint> points, queries.History(case_id, chip, limit));
  return BuildHistory(case_id, chip, points);
}

absl::StatusOr<std::vector<v1::FlakyCase>> FindFlaky(server::Queries& queries, const std::string& chip,
                                                     int runs, size_t limit) {
  ASSIGN_OR_RETURN(const std::vector<server::RunFacts> facts, queries.RunsFacts({chip, runs}));
  std::map<std::string, Candidates> libraries;
  for (auto run = facts.rbegin(); run != facts.rend(); ++run) {
    libraries[LibraryVariantOf(*run)].runs.push_back(&*run);
  }
  std::vector<v1::FlakyCase> flaky;
  for (auto& [variant, candidates] : libraries) {
    if (candidates.runs.size() < 2) continue;
    // Only a case that failed in some run can be flaky.
    absl::Status status = FindCandidates(queries, kLookedAt * limit, &candidates);
    if (status.ok()) status = CollectFlaky(queries, candidates, &flaky);
    if (!status.ok()) return status;
  }
  std::sort(flaky.begin(), flaky.end(), [](const v1::FlakyCase& a, const v1::FlakyCase& b) {
    return a.changes() != b.changes() ? a.changes() > b.changes() : a.case_id() < b.case_id();
  });
  if (flaky.size() > limit) flaky.resize(limit);
  return flaky;
}

}  // namespace diopi::reports
