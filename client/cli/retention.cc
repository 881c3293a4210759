#include "client/cli/retention.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "proto/enum_name.h"
#include "server/store/run_state.h"

namespace diopi::cli {
namespace {

using server::RunFacts;
using server::RunRow;

// Runs with the same chip and selection, which a gate may compare with each other.
using Line = std::pair<std::string, std::string>;

Line LineOf(const RunFacts& run) {
  return {run.chip, run.scope.SerializeAsString()};
}

// Without a known end, a run's age counts from its beginning.
bool IsOlder(const RunFacts& run, absl::Duration age, absl::Time now) {
  absl::Time end;
  const std::string& text = run.finished.empty() ? run.created : run.finished;
  return absl::ParseTime(absl::RFC3339_full, text, &end, nullptr) && now - end > age;
}

}  // namespace

absl::StatusOr<absl::Duration> ParseAge(std::string_view text) {
  const std::map<char, absl::Duration> units = {{'h', absl::Hours(1)},
                                                {'d', absl::Hours(24)},
                                                {'w', absl::Hours(24 * 7)},
                                                {'y', absl::Hours(24 * 365)}};
  int number = 0;
  const auto unit = units.find(text.empty() ? '\0' : text.back());
  if (unit == units.end() || !absl::SimpleAtoi(absl::string_view(text.data(), text.size() - 1), &number) ||
      number < 0) {
    return absl::InvalidArgumentError(absl::StrCat("--older-than: '",
                                                   absl::string_view(text.data(), text.size()),
                                                   "' is not an age such as 36h, 180d, 26w or 2y"));
  }
  return unit->second * number;
}

bool AllPassed(const RunRow& run) {
  if (run.facts.state != v1::RUN_STATE_FINISHED || run.facts.cases == 0) return false;
  if (run.totals.done != run.facts.cases) return false;
  return std::all_of(run.totals.outcomes.begin(), run.totals.outcomes.end(), [](const auto& outcome) {
    return outcome.first == v1::OUTCOME_PASS || outcome.first == v1::OUTCOME_WAIVED;
  });
}

absl::StatusOr<std::vector<RetentionRow>> Decide(
    const std::vector<RunRow>& runs, const std::map<std::string, std::string>& tags,
    const RetentionPolicy& policy, absl::Time now,
    const std::function<absl::StatusOr<bool>(const RunRow&)>& is_green) {
  std::vector<RetentionRow> rows;
  std::set<Line> green;
  std::map<std::pair<std::string, bool>, int> newer;  // the chip's runs or explorations seen so far
  for (const RunRow& run : runs) {
    RetentionRow& row = rows.emplace_back(RetentionRow{&run, "", ""});
    const RunFacts& facts = run.facts;
    const int before = newer[{facts.chip, facts.scope.has_exploration()}]++;
    const auto tag = tags.find(facts.run_id);
    const bool judged = facts.state == v1::RUN_STATE_FINISHED && !facts.scope.has_exploration();
    if (judged && !green.contains(LineOf(facts))) {
      ASSIGN_OR_RETURN(const bool is, is_green(run));
      if (is) {
        green.insert(LineOf(facts));
        row.kept = "last green run";
      }
    }
    if (server::GoesOn(facts.state)) {
      row.kept = EnumName(facts.state);
    } else if (tag != tags.end()) {
      row.tag = tag->second;
      row.kept = absl::StrCat("tag ", tag->second);
    } else if (row.kept.empty() && policy.keep.has_value() && before < *policy.keep) {
      row.kept = absl::StrCat("newest ", *policy.keep, " of its chip");
    } else if (row.kept.empty() && policy.older_than.has_value() &&
               !IsOlder(facts, *policy.older_than, now)) {
      row.kept = "not old enough";
    }
  }
  return rows;
}

}  // namespace diopi::cli
