// Failures of all chips are merged by the key of their cause, which is the same in every run. Checks of the
// library as a whole belong to no operator and are left out of the matrix.
#include "reports/model/lab.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/core/library_checks.h"
#include "reports/model/chips.h"
#include "reports/model/failure_groups.h"

namespace diopi::reports {
namespace {

using Counts = std::map<std::string, v1::OperatorCounts>;  // by operator

absl::StatusOr<Counts> CountsOf(server::Queries& queries, const std::string& run_id) {
  ASSIGN_OR_RETURN(const std::vector<server::TallyRow> tallies, queries.Tallies(run_id));
  Counts counts;
  for (const server::TallyRow& tally : tallies) {
    if (tally.op == cases::kLibraryOperator) continue;
    v1::OperatorCounts& of = counts[tally.op];
    of.set_cases(of.cases() + tally.cases);
    if (tally.outcome == v1::OUTCOME_PASS) of.set_passed(of.passed() + tally.cases);
    if (IsFailure(tally.outcome)) of.set_failed(of.failed() + tally.cases);
  }
  return counts;
}

// Searches the complete runs from the newest of `range` backwards, and counts those that are not green.
absl::Status FindGreen(server::Queries& queries, const server::TimeRange& range, v1::LabChip* chip) {
  return VisitCompleteRuns(queries, {chip->chip(), kGreenRuns, {.to = range.to}}, [chip](v1::RunSummary run) {
    const bool green = run.failed() == 0;
    if (green) {
      *chip->mutable_green() = std::move(run);
    } else {
      chip->set_runs_since(chip->runs_since() + 1);
    }
    return !green;
  });
}

std::vector<v1::OperatorChange> Changes(const Counts& before, const Counts& now) {
  std::map<std::string, v1::OperatorChange> changes;
  for (const auto& [op, counts] : before) *changes[op].mutable_before() = counts;
  for (const auto& [op, counts] : now) *changes[op].mutable_now() = counts;
  std::vector<v1::OperatorChange> list;
  for (auto& [op, change] : changes) {
    change.set_operator_(op);
    change.mutable_before();
    change.mutable_now();
    if (change.before().passed() != change.now().passed() ||
        change.before().failed() != change.now().failed())
      list.push_back(std::move(change));
  }
  std::stable_sort(list.begin(), list.end(), [](const v1::OperatorChange& a, const v1::OperatorChange& b) {
    return a.now().failed() > b.now().failed();
  });
  return list;
}

// Merges the failures of all chips, by the key that a cause has in every run.
class Failures {
 public:
  void Add(const std::string& chip, const std::string& run_id, std::vector<FailureGroup> groups) {
    for (FailureGroup& group : groups) {
      const auto [found, added] = by_key_.try_emplace(group.key, failures_.size());
      if (added) failures_.emplace_back();
      Merged& merged = failures_[found->second];
      v1::LabFailureOnChip& on = *merged.shown.add_chips();
      on.set_chip(chip);
      on.set_run_id(run_id);
      on.set_cases(static_cast<int64_t>(group.cases.size()));
      on.set_example(group.example.case_id());
      merged.shown.set_cases(merged.shown.cases() + on.cases());
      if (added) {
        merged.group = std::move(group);
      } else {
        ShareCause(group, &merged.group);
        AddNames(group.operators, &merged.group.operators);
      }
    }
  }

  void MoveTo(v1::LabPage* page) && {
    std::stable_sort(failures_.begin(), failures_.end(), [](const Merged& a, const Merged& b) {
      return std::tuple(a.shown.chips_size(), a.shown.cases()) >
             std::tuple(b.shown.chips_size(), b.shown.cases());
    });
    for (Merged& merged : failures_) {
      merged.shown.set_key(merged.group.key);
      merged.shown.set_outcome(merged.group.outcome);
      merged.shown.set_cause(merged.group.cause);
      *merged.shown.mutable_finding() = merged.group.finding;
      merged.shown.set_diagnosed(merged.group.diagnosed);
      merged.shown.mutable_operators()->Assign(merged.group.operators.begin(), merged.group.operators.end());
      *page->add_failures() = std::move(merged.shown);
    }
  }

 private:
  struct Merged {
    FailureGroup group;  // of the first chip, with the operators of all
    v1::LabFailure shown;
  };

  static void AddNames(const std::vector<std::string>& more, std::vector<std::string>* names) {
    names->insert(names->end(), more.begin(), more.end());
    std::sort(names->begin(), names->end());
    names->erase(std::unique(names->begin(), names->end()), names->end());
  }

  std::map<std::string, size_t> by_key_;
  std::vector<Merged> failures_;
};

void FillCells(const std::vector<Counts>& by_chip, v1::LabPage* page) {
  std::set<std::string> operators;
  for (const Counts& counts : by_chip) {
    for (const auto& [op, count] : counts) operators.insert(op);
  }
  for (const std::string& op : operators) {
    v1::LabOperator& row = *page->add_operators();
    row.set_operator_(op);
    for (const Counts& counts : by_chip) {
      const auto found = counts.find(op);
      *row.add_cells() = found == counts.end() ? v1::OperatorCounts() : found->second;
    }
  }
}

}  // namespace

absl::StatusOr<v1::LabPage> LoadLab(server::Queries& queries, const server::TimeRange& range) {
  ASSIGN_OR_RETURN(const std::vector<server::ChipRow> chips, queries.Chips(range));
  v1::LabPage page;
  Failures failures;
  std::vector<Counts> by_chip;
  for (const server::ChipRow& row : chips) {
    v1::LabChip& chip = *page.add_chips();
    Counts& now = by_chip.emplace_back();
    chip.set_chip(row.chip);
    ASSIGN_OR_RETURN(std::vector<v1::RunSummary> run, CompleteRuns(queries, row.chip, 1, range));
    RETURN_IF_ERROR(FindGreen(queries, range, &chip));
    if (run.empty()) continue;
    *chip.mutable_run() = std::move(run.front());
    const std::string& run_id = chip.run().run_id();
    ASSIGN_OR_RETURN(now, CountsOf(queries, run_id));
    ASSIGN_OR_RETURN(RunFailures failed, LoadFailures(queries, run_id));
    failures.Add(row.chip, run_id, std::move(failed.groups));
    if (!chip.has_green()) continue;
    ASSIGN_OR_RETURN(const Counts before, CountsOf(queries, chip.green().run_id()));
    const std::vector<v1::OperatorChange> changes = Changes(before, now);
    chip.mutable_changes()->Assign(changes.begin(), changes.end());
  }
  FillCells(by_chip, &page);
  std::move(failures).MoveTo(&page);
  return page;
}

}  // namespace diopi::reports
