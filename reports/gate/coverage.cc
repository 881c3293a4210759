#include "reports/gate/coverage.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/match.h"
#include "cases/base/outcome.h"
#include "reports/render/measurements.h"

namespace diopi::reports {
namespace {

constexpr size_t kNamed = 8;  // most names to list

// Exported, and not every call returned NoImplement.
std::set<std::string> Implemented(const RunReport& report, const FunctionTallies& tallies) {
  const auto& exported = report.run.options().implemented();
  std::set<std::string> functions(exported.begin(), exported.end());
  for (const auto& [function, tally] : tallies) {
    if (tally.hollow()) functions.erase(function);
  }
  return functions;
}

std::string Names(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kNamed);
  std::string text = absl::StrJoin(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", ");
  if (names.size() > shown) absl::StrAppend(&text, " and ", names.size() - shown, " more");
  return text;
}

class CoverageJudge {
 public:
  CoverageJudge(const GateInput& input, const GateOptions& options) : input_(input), options_(options) {}

  std::vector<GateFinding> Judge() {
    const Expectations* expectations = input_.expectations;
    if (expectations != nullptr && expectations->floor.has_value() && !options_.partial) {
      const CoverageFloor& floor = *expectations->floor;
      const v1::Coverage& coverage = input_.run->coverage;
      BelowFloor(floor.line, "functions pass", coverage.passing(), floor.passing);
      BelowFloor(floor.line, "functions are implemented", coverage.implemented(), floor.implemented);
      BelowFloor(floor.line, "functions are tested", coverage.tested(), floor.tested);
      BelowFloor(floor.line, "cases are in the run", input_.run->cases, floor.cases);
    }
    const v1::Coverage& coverage = input_.run->coverage;
    if (coverage.passing() < options_.min_passing) {
      findings_.push_back(
          {FindingKind::kCoverage,
           0,
           "coverage",
           absl::StrCat(PassingText(coverage), ", --min-coverage requires ", options_.min_passing),
           "",
           {}});
    }
    if (input_.reference != nullptr) AgainstReference();
    return std::move(findings_);
  }

 private:
  void BelowFloor(int line, const char* what, int64_t have, const std::optional<int64_t>& floor) {
    if (!floor.has_value() || have >= *floor) return;
    findings_.push_back({FindingKind::kCoverage,
                         line,
                         "coverage",
                         absl::StrCat(have, " ", what, ", the floor in line ", line, " is ", *floor),
                         "",
                         {}});
  }

  void Lost(const char* one, const char* many, const std::vector<std::string>& names) {
    if (names.empty()) return;
    findings_.push_back(
        {FindingKind::kCoverage, 0, "coverage",
         absl::StrCat(CountOf(std::ssize(names), one, many), " in run ", input_.reference->run.run_id(),
                      " no longer ", names.size() == 1 ? "is: " : "are: ", Names(names)),
         IsWhole(input_.run->run.options()) ? ""
                                            : "the run is a selection; if that is intended, use --partial",
         names});
  }

  bool Skipped(const std::string& case_id) const {
    if (input_.expectations == nullptr) return false;
    const std::vector<Expectation>& lines = input_.expectations->cases;
    return std::any_of(lines.begin(), lines.end(), [&](const Expectation& line) {
      return line.kind == Expectation::Kind::kSkip && !line.ExpiredOn(options_.today) &&
             GlobMatch(line.glob, case_id);
    });
  }

  void AgainstReference() {
    const FunctionTallies now = TallyFunctions(input_.run->results);
    const FunctionTallies before = TallyFunctions(input_.reference->results);
    const std::set<std::string> implemented_now = Implemented(*input_.run, now);
    std::set<std::string> present;
    for (const v1::Verdict& verdict : input_.run->results) present.insert(verdict.case_id());
    std::set<std::string> owed;  // functions with a case that is not skipped on purpose
    std::vector<std::string> missing_cases;
    for (const v1::Verdict& verdict : input_.reference->results) {
      if (Skipped(verdict.case_id())) continue;
      owed.insert(verdict.function());
      if (!present.contains(verdict.case_id())) missing_cases.push_back(verdict.case_id());
    }
    std::vector<std::string> implemented, tested;
    for (const std::string& function : Implemented(*input_.reference, before)) {
      // Functions without a case have nothing to skip.
      const bool excused = before.contains(function) && !owed.contains(function);
      if (!implemented_now.contains(function) && !excused) implemented.push_back(function);
    }
    for (const auto& [function, tally] : before) {
      const auto found = now.find(function);
      const bool reported = std::count(implemented.begin(), implemented.end(), function) > 0;
      const bool left_out = options_.partial && found == now.end();
      const bool tested_now = found != now.end() && found->second.tested();
      if (tally.tested() && !tested_now && owed.contains(function) && !reported && !left_out)
        tested.push_back(function);
    }
    Lost("function that was implemented", "functions that were implemented", implemented);
    Lost("function that was tested", "functions that were tested", tested);
    // A run with cases still to come is reported as incomplete instead.
    if (!options_.partial && input_.run->missing == 0)
      Lost("case that was", "cases that were", missing_cases);
  }

  const GateInput& input_;
  const GateOptions& options_;
  std::vector<GateFinding> findings_;
};

}  // namespace

std::vector<GateFinding> JudgeCoverage(const GateInput& input, const GateOptions& options) {
  return CoverageJudge(input, options).Judge();
}

}  // namespace diopi::reports
