#include "reports/model/history.h"

#include <algorithm>
#include <map>
#include <utility>

#include "reports/model/outcome.h"
#include "reports/model/variant.h"

namespace diopi::reports {
namespace {

// The verdict says something about the chip.
bool Speaks(v1::Outcome outcome) {
  return outcome != v1::OUTCOME_SKIPPED && outcome != v1::OUTCOME_HARNESS_ERROR;
}

// One library and the case as one hash has it: what should always come out the same.
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

void FindStretch(History* history) {
  for (auto point = history->points.rbegin(); point != history->points.rend(); ++point) {
    if (!Speaks(point->verdict.outcome)) continue;
    if (point->verdict.outcome == v1::OUTCOME_PASS) {
      if (!history->first_bad.empty()) history->last_good = point->run.run_id;
      return;
    }
    history->first_bad = point->run.run_id;
  }
}

// The runs of one library, and the cases that did not fail in all of them in the same way.
struct Candidates {
  std::vector<std::string> runs;  // oldest first
  std::vector<std::string> cases;
};

absl::Status FindCandidates(server::Queries& queries, Candidates* candidates) {
  std::map<std::string, std::map<v1::Outcome, size_t>> failures;
  for (const std::string& run : candidates->runs) {
    const absl::StatusOr<std::vector<server::OutcomeRow>> rows = queries.Failures(run);
    if (!rows.ok()) return rows.status();
    for (const server::OutcomeRow& row : *rows) ++failures[row.case_id][row.outcome];
  }
  for (const auto& [case_id, ways] : failures) {
    if (ways.size() > 1 || ways.begin()->second < candidates->runs.size()) {
      candidates->cases.push_back(case_id);
    }
  }
  return absl::OkStatus();
}

absl::Status CollectFlaky(server::Queries& queries, const Candidates& candidates,
                          std::vector<FlakyCase>* flaky) {
  std::map<Same, Sequence> sequences;
  for (const std::string& run : candidates.runs) {
    const absl::StatusOr<std::vector<server::OutcomeRow>> rows = queries.OutcomesOf(run, candidates.cases);
    if (!rows.ok()) return rows.status();
    for (const server::OutcomeRow& row : *rows) {
      if (IsCalled(row.outcome)) sequences[{row.case_id, row.case_hash}].Add(row.outcome);
    }
  }
  for (const auto& [same, sequence] : sequences) {
    if (sequence.changes > 0) flaky->push_back({same.first, sequence.runs, sequence.changes});
  }
  return absl::OkStatus();
}

}  // namespace

History BuildHistory(const std::string& case_id, const std::string& chip,
                     const std::vector<server::CasePoint>& points) {
  History history;
  history.case_id = case_id;
  history.chip = chip;
  std::map<Same, Sequence> sequences;
  for (const server::CasePoint& point : points) {
    history.points.push_back({point.run, point.verdict, VariantOf(point.run)});
    if (!IsCalled(point.verdict.outcome)) continue;
    sequences[{LibraryVariantOf(point.run), point.verdict.case_hash}].Add(point.verdict.outcome);
  }
  for (const auto& [same, sequence] : sequences) {
    history.changes += static_cast<int>(sequence.changes);
    history.flaky = history.flaky || sequence.changes > 0;
  }
  FindStretch(&history);
  return history;
}

absl::StatusOr<History> LoadHistory(server::Queries& queries, const std::string& case_id,
                                    const std::string& chip, int limit) {
  const absl::StatusOr<std::vector<server::CasePoint>> points = queries.History(case_id, chip, limit);
  if (!points.ok()) return points.status();
  return BuildHistory(case_id, chip, *points);
}

absl::StatusOr<std::vector<FlakyCase>> FindFlaky(server::Queries& queries, const std::string& chip, int runs,
                                                 size_t limit) {
  const absl::StatusOr<std::vector<server::RunFacts>> facts = queries.RunsFacts({chip, runs});
  if (!facts.ok()) return facts.status();
  std::map<std::string, Candidates> libraries;
  for (auto run = facts->rbegin(); run != facts->rend(); ++run) {
    libraries[LibraryVariantOf(*run)].runs.push_back(run->run_id);
  }
  std::vector<FlakyCase> flaky;
  for (auto& [variant, candidates] : libraries) {
    if (candidates.runs.size() < 2) continue;
    // A case can only be flaky when it failed somewhere.
    absl::Status status = FindCandidates(queries, &candidates);
    if (status.ok()) status = CollectFlaky(queries, candidates, &flaky);
    if (!status.ok()) return status;
  }
  std::sort(flaky.begin(), flaky.end(), [](const FlakyCase& a, const FlakyCase& b) {
    return a.changes != b.changes ? a.changes > b.changes : a.case_id < b.case_id;
  });
  if (flaky.size() > limit) flaky.resize(limit);
  return flaky;
}

}  // namespace diopi::reports
