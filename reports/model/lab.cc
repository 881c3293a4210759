#include "reports/model/lab.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "cases/core/library_checks.h"
#include "reports/model/chips.h"
#include "reports/model/outcome.h"

namespace diopi::reports {
namespace {

using Counts = std::map<std::string, OperatorCounts>;  // by operator

absl::StatusOr<Counts> CountsOf(server::Queries& queries, const std::string& run_id) {
  const absl::StatusOr<std::vector<server::TallyRow>> tallies = queries.Tallies(run_id);
  if (!tallies.ok()) return tallies.status();
  Counts counts;
  for (const server::TallyRow& tally : *tallies) {
    if (tally.op == cases::kLibraryOperator) continue;
    OperatorCounts& of = counts[tally.op];
    of.cases += tally.cases;
    if (tally.outcome == v1::OUTCOME_PASS) of.passed += tally.cases;
    if (IsFailure(tally.outcome)) of.failed += tally.cases;
  }
  return counts;
}

absl::StatusOr<std::optional<RunSummary>> NewestRun(server::Queries& queries, const std::string& chip,
                                                    const server::TimeRange& range) {
  const absl::StatusOr<std::vector<RunSummary>> complete = CompleteRuns(queries, chip, 1, range);
  if (!complete.ok()) return complete.status();
  if (!complete->empty()) return complete->front();
  const absl::StatusOr<std::vector<RunSummary>> runs = LoadRuns(queries, {chip, kTrendRuns, range});
  if (!runs.ok()) return runs.status();
  const auto judged =
      std::find_if(runs->begin(), runs->end(), [](const RunSummary& run) { return run.done > 0; });
  return judged == runs->end() ? std::nullopt : std::optional<RunSummary>(*judged);
}

// Searches the complete runs from the newest of `range` backwards, and counts those that are not green.
absl::Status FindGreen(server::Queries& queries, const server::TimeRange& range, LabChip* chip) {
  return VisitCompleteRuns(queries, {chip->chip, kGreenRuns, {.to = range.to}}, [chip](RunSummary run) {
    const bool green = run.failed == 0;
    if (green) {
      chip->green = std::move(run);
    } else {
      ++chip->runs_since;
    }
    return !green;
  });
}

std::vector<OperatorChange> Changes(const Counts& before, const Counts& now) {
  std::map<std::string, OperatorChange> changes;
  for (const auto& [op, counts] : before) changes[op] = {op, counts, {}};
  for (const auto& [op, counts] : now) {
    changes[op].op = op;
    changes[op].now = counts;
  }
  std::vector<OperatorChange> list;
  for (auto& [op, change] : changes) {
    if (change.before.passed != change.now.passed || change.before.failed != change.now.failed)
      list.push_back(std::move(change));
  }
  std::stable_sort(list.begin(), list.end(), [](const OperatorChange& a, const OperatorChange& b) {
    return a.now.failed > b.now.failed;
  });
  return list;
}

// Merges the failures of all chips, by the key that a cause has in every run.
class Failures {
 public:
  void Add(const std::string& chip, const std::string& run_id, std::vector<FailureGroup> groups) {
    for (FailureGroup& group : groups) {
      const auto cases = static_cast<int64_t>(group.cases.size());
      const LabFailure::OnChip on{chip, run_id, cases, group.cases.front()};
      group.cases.clear();
      const auto [found, added] = by_key_.try_emplace(group.key, failures_.size());
      if (added) failures_.emplace_back();
      LabFailure& failure = failures_[found->second];
      if (added) {
        failure.group = std::move(group);
      } else {
        ShareCause(group, &failure.group);
        AddNames(group.operators, &failure.group.operators);
      }
      failure.cases += cases;
      failure.chips.push_back(on);
    }
  }

  std::vector<LabFailure> Sorted() && {
    std::stable_sort(failures_.begin(), failures_.end(), [](const LabFailure& a, const LabFailure& b) {
      return std::tuple(a.chips.size(), a.cases) > std::tuple(b.chips.size(), b.cases);
    });
    return std::move(failures_);
  }

 private:
  static void AddNames(const std::vector<std::string>& more, std::vector<std::string>* names) {
    names->insert(names->end(), more.begin(), more.end());
    std::sort(names->begin(), names->end());
    names->erase(std::unique(names->begin(), names->end()), names->end());
  }

  std::map<std::string, size_t> by_key_;
  std::vector<LabFailure> failures_;
};

void FillCells(const std::vector<Counts>& by_chip, Lab* lab) {
  std::map<std::string, std::vector<std::optional<OperatorCounts>>> rows;
  for (size_t chip = 0; chip < by_chip.size(); ++chip) {
    for (const auto& [op, counts] : by_chip[chip]) {
      auto& row = rows[op];
      row.resize(by_chip.size());
      row[chip] = counts;
    }
  }
  for (auto& [op, row] : rows) {
    lab->operators.push_back(op);
    lab->cells.push_back(std::move(row));
  }
}

}  // namespace

absl::StatusOr<Lab> LoadLab(server::Queries& queries, const server::TimeRange& range) {
  const absl::StatusOr<std::vector<server::ChipRow>> chips = queries.Chips(range);
  if (!chips.ok()) return chips.status();
  Lab lab;
  Failures failures;
  std::vector<Counts> by_chip;
  for (const server::ChipRow& row : *chips) {
    LabChip& chip = lab.chips.emplace_back();
    Counts& now = by_chip.emplace_back();
    chip.chip = row.chip;
    absl::StatusOr<std::optional<RunSummary>> run = NewestRun(queries, row.chip, range);
    if (!run.ok()) return run.status();
    chip.run = *std::move(run);
    if (absl::Status status = FindGreen(queries, range, &chip); !status.ok()) return status;
    if (!chip.run.has_value()) continue;
    const std::string& run_id = chip.run->facts.run_id;
    absl::StatusOr<Counts> counts = CountsOf(queries, run_id);
    if (!counts.ok()) return counts.status();
    now = *std::move(counts);
    absl::StatusOr<RunFailures> failed = LoadFailures(queries, run_id);
    if (!failed.ok()) return failed.status();
    failures.Add(row.chip, run_id, std::move(failed->groups));
    // A partial run says nothing of what it left out.
    if (!chip.green.has_value() || !chip.run->partial.empty()) continue;
    const absl::StatusOr<Counts> before = CountsOf(queries, chip.green->facts.run_id);
    if (!before.ok()) return before.status();
    chip.changes = Changes(*before, now);
  }
  FillCells(by_chip, &lab);
  lab.failures = std::move(failures).Sorted();
  return lab;
}

}  // namespace diopi::reports
