// Cases are judged first: a failing case is excused by a line in force or, where there are no expectations,
// by the same outcome in the reference run. Then each line is judged by what it still excuses. An expired
// line is one finding with the cases that need it, not one for each case. Nothing here reads a clock or a
// file; even the day is an option, so a gate can be repeated.
#include "reports/gate/gate.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "proto/enum_name.h"
#include "reports/gate/coverage.h"
#include "reports/gate/line_matches.h"
#include "reports/gate/regressions.h"
#include "reports/render/measurements.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

constexpr std::chrono::days kSoon{14};

// Indexed by FindingKind.
constexpr struct {
  const char* name;
  const char* words;
} kFindingNames[] = {
    {"incomplete", "incomplete run"},
    {"not_listed", "new failure"},
    {"other_outcome", "fails in another way"},
    {"regressed", "worse than before"},
    {"expired", "expired line"},
    {"coverage", "less coverage"},
    {"not_judged", "could not be judged"},
    {"slower", "slower"},
    {"less_accurate", "less accurate"},
    {"passes_now", "passes now"},
    {"partly_passes", "partly passes"},
    {"matches_nothing", "matches nothing"},
    {"no_issue", "no issue"},
    {"expires_soon", "expires soon"},
    {"suspected", "perhaps slower"},
    {"declared", "other contracts"},
};

// Wrong numbers come first, what was not called last.
int Rank(v1::Outcome outcome) {
  if (outcome == v1::OUTCOME_FAIL || outcome == v1::OUTCOME_NONDETERMINISTIC) return 0;
  return outcome == v1::OUTCOME_UNSPECIFIED || IsFailure(outcome) || outcome == v1::OUTCOME_HARNESS_ERROR ? 1
                                                                                                          : 2;
}

std::string Outcomes(const Expectation& line) {
  const std::vector<v1::Outcome>& outcomes =
      line.outcomes.empty() ? DefaultOutcomes(line.kind) : line.outcomes;
  return absl::StrJoin(outcomes, ", ",
                       [](std::string* out, v1::Outcome outcome) { out->append(OutcomeName(outcome)); });
}

std::string ReasonOf(const v1::Verdict& verdict) {
  const std::string reason = OneLine(verdict.reason());
  return reason.empty() ? std::string() : absl::StrCat(": ", reason);
}

class Gate {
 public:
  Gate(const GateInput& input, const GateOptions& options)
      : run_(*input.run),
        input_(input),
        options_(options),
        matches_(MatchLines(input.expectations, *input.run)),
        by_case_(run_.results.size()) {
    for (size_t line = 0; line < matches_.size(); ++line) {
      for (const size_t result : matches_[line]) by_case_[result].push_back(line);
    }
    still_failing_.resize(matches_.size());
    if (input.reference == nullptr) return;
    for (const v1::Verdict& verdict : input.reference->results) reference_[verdict.case_id()] = &verdict;
  }

  GateResult Judge() {
    JudgeRun();
    for (size_t i = 0; i < run_.results.size(); ++i) JudgeCase(i);
    for (size_t line = 0; line < matches_.size(); ++line) JudgeLine(line);
    for (GateFinding& finding : JudgeCoverage(input_, options_)) Add(std::move(finding));
    for (GateFinding& finding : JudgeTime(input_, options_)) Add(std::move(finding));
    for (GateFinding& finding : JudgeErrors(input_, options_)) Add(std::move(finding));
    JudgeContracts();
    const auto by_kind = [](const GateFinding& a, const GateFinding& b) {
      return std::pair(Rank(a.outcome), a.kind) < std::pair(Rank(b.outcome), b.kind);
    };
    std::stable_sort(result_.findings.begin(), result_.findings.end(), by_kind);
    std::stable_sort(result_.notes.begin(), result_.notes.end(), by_kind);
    return std::move(result_);
  }

 private:
  void Add(GateFinding finding) {
    bool note = finding.kind >= FindingKind::kPassesNow;
    if (options_.strict && finding.kind <= FindingKind::kNoIssue) note = false;
    (note ? result_.notes : result_.findings).push_back(std::move(finding));
  }

  void JudgeRun();
  void JudgeCase(size_t result);
  void JudgeFailing(size_t result, GatedCase* gated);
  void JudgeByReference(const v1::Verdict& verdict, GatedCase* gated);
  void Fail(FindingKind kind, int line, std::string text, GatedCase* gated);
  void JudgeLine(size_t index);
  void JudgeExpired(const Expectation& line, size_t index, size_t passing);
  void JudgePassing(const Expectation& line, size_t index, const std::vector<std::string>& passing);
  void JudgeContracts();

  // Where the floor says how many functions a library must export.
  bool IsLeftToCoverage(const v1::Verdict& verdict) const {
    const bool floor = input_.expectations != nullptr && input_.expectations->floor.has_value() &&
                       input_.expectations->floor->implemented.has_value();
    return floor && IsNotExported(run_, verdict);
  }
  const Expectation& LineAt(size_t index) const { return input_.expectations->cases[index]; }
  std::string ReferenceName() const { return absl::StrCat("run ", input_.reference->run.run_id()); }

  const RunReport& run_;
  const GateInput& input_;
  const GateOptions& options_;
  const std::vector<std::vector<size_t>> matches_;  // by line: results
  std::vector<std::vector<size_t>> by_case_;        // by result: lines
  std::vector<std::vector<std::string>>
      still_failing_;  // by line: cases that it alone would excuse, had it not expired
  std::unordered_map<std::string, const v1::Verdict*> reference_;
  GateResult result_;
};

void Gate::JudgeRun() {
  const auto incomplete = [this](const std::string& text, const std::string& action) {
    Add({FindingKind::kIncomplete, 0, "run", text, action, {}});
  };
  const int64_t done = run_.cases - run_.missing;
  if (run_.run.state() != v1::RUN_STATE_FINISHED || run_.missing > 0) {
    incomplete(absl::StrCat("run ", run_.run.run_id(), " is ", EnumName(run_.run.state()), ": ", done, " of ",
                            run_.cases, " cases have a verdict; an incomplete run is never green"),
               absl::StrCat("complete it: diopi-agent --resume ", run_.run.run_id()));
  } else if (run_.cases == 0) {
    incomplete(absl::StrCat("run ", run_.run.run_id(), " has no cases; nothing was tested"), "");
  }
  if (run_.run.options().shard_count() > 1 && !options_.partial) {
    incomplete(absl::StrCat("run ", run_.run.run_id(), " is shard ", run_.run.options().shard_index(), " of ",
                            run_.run.options().shard_count()),
               "combine the shards with diopi-cli merge, or use --partial");
  }
}

void Gate::Fail(FindingKind kind, int line, std::string text, GatedCase* gated) {
  const v1::Verdict& verdict = *gated->verdict;
  gated->state = GatedCase::State::kFinding;
  gated->text = text;
  const v1::RunOptions& options = run_.run.options();
  Add({kind,
       line,
       verdict.case_id(),
       std::move(text),
       ReproCommand(options, verdict),
       {},
       LocalReproCommand(options, verdict, run_.data_folder),
       verdict.outcome()});
}

void Gate::JudgeCase(size_t result) {
  GatedCase gated;
  gated.verdict = &run_.results[result];
  const v1::Outcome outcome = gated.verdict->outcome();
  if (outcome == v1::OUTCOME_WAIVED) {
    gated.state = GatedCase::State::kExpected;
    gated.text = absl::StrCat("waived by the device profile", ReasonOf(*gated.verdict));
    ++result_.waived;
  } else if (outcome == v1::OUTCOME_HARNESS_ERROR) {
    Fail(FindingKind::kNotJudged, 0, absl::StrCat("could not be judged", ReasonOf(*gated.verdict)), &gated);
  } else if (outcome != v1::OUTCOME_PASS && !IsLeftToCoverage(*gated.verdict)) {
    JudgeFailing(result, &gated);
  } else if (outcome != v1::OUTCOME_PASS) {
    gated.state = GatedCase::State::kExpected;
    gated.text = "not exported: coverage counts it";
    ++result_.expected_failures;
  }
  result_.cases.push_back(std::move(gated));
}

void Gate::JudgeFailing(size_t result, GatedCase* gated) {
  const v1::Verdict& verdict = *gated->verdict;
  const std::string outcome = OutcomeName(verdict.outcome());
  const Expectation* other = nullptr;  // matches, but excuses other outcomes
  bool expired = false;
  for (const size_t index : by_case_[result]) {
    const Expectation& line = LineAt(index);
    if (!line.Excuses(verdict.outcome())) {
      if (other == nullptr) other = &line;
    } else if (!line.ExpiredOn(options_.today)) {
      gated->state = GatedCase::State::kExpected;
      gated->line = line.line;
      gated->text = absl::StrCat(outcome, ", expected: ", line.reason, " (", line.issue, ")");
      ++result_.expected_failures;
      return;
    } else {
      expired = true;
      gated->line = line.line;
      gated->text = absl::StrCat(outcome, ", excused until ", DayText(line.expires), " by line ", line.line,
                                 ReasonOf(verdict));
    }
  }
  if (expired) {  // the line has its own finding
    gated->state = GatedCase::State::kFinding;
    for (const size_t index : by_case_[result]) {
      if (LineAt(index).Excuses(verdict.outcome())) still_failing_[index].push_back(verdict.case_id());
    }
    return;
  }
  if (other != nullptr) {
    return Fail(FindingKind::kOtherOutcome, other->line,
                absl::StrCat(outcome, ", but line ", other->line, " excuses ", Outcomes(*other), " only",
                             ReasonOf(verdict)),
                gated);
  }
  if (input_.expectations == nullptr && input_.reference != nullptr) return JudgeByReference(verdict, gated);
  const auto before = reference_.find(verdict.case_id());
  const bool passed = before != reference_.end() && before->second->outcome() == v1::OUTCOME_PASS;
  Fail(FindingKind::kNotListed, 0,
       absl::StrCat(outcome, ", not listed", passed ? absl::StrCat(", passed in ", ReferenceName()) : "",
                    ReasonOf(verdict)),
       gated);
}

void Gate::JudgeByReference(const v1::Verdict& verdict, GatedCase* gated) {
  const std::string outcome = OutcomeName(verdict.outcome());
  const auto before = reference_.find(verdict.case_id());
  if (before == reference_.end()) {
    return Fail(
        FindingKind::kNotListed, 0,
        absl::StrCat(outcome, ", and ", ReferenceName(), " does not have the case", ReasonOf(verdict)),
        gated);
  }
  if (before->second->outcome() != verdict.outcome()) {
    const bool passed = before->second->outcome() == v1::OUTCOME_PASS;
    return Fail(FindingKind::kRegressed, 0,
                absl::StrCat(outcome, ", ", passed ? "passed" : "was ",
                             passed ? "" : OutcomeName(before->second->outcome()), " in ", ReferenceName(),
                             ReasonOf(verdict)),
                gated);
  }
  gated->state = GatedCase::State::kExpected;
  gated->text = absl::StrCat(outcome, ", as in ", ReferenceName());
  ++result_.expected_failures;
}

void Gate::JudgeExpired(const Expectation& line, size_t index, size_t passing) {
  const std::vector<std::string>& failing = still_failing_[index];
  std::string state =
      absl::StrCat(CountOf(std::ssize(failing), "case still needs it: ", "cases still need it: "),
                   failing.empty() ? "" : failing.front(), failing.size() > 1 ? ", ..." : "");
  if (failing.empty()) {
    state = matches_[index].empty()             ? "no case of this run needs it"
            : passing == matches_[index].size() ? "every case passes"
                                                : "no case needs it alone";
  }
  Add({FindingKind::kExpired, line.line, line.glob,
       absl::StrCat("expired on ", DayText(line.expires), ": ", line.reason, " (", line.issue, "); ", state),
       failing.empty() ? "delete the line" : "fix the cause, or agree on a new expires=", failing});
}

void Gate::JudgePassing(const Expectation& line, size_t index, const std::vector<std::string>& passing) {
  const size_t all = matches_[index].size();
  const std::string text = input_.expectations->lines[static_cast<size_t>(line.line) - 1];
  if (passing.size() == all) {
    Add({FindingKind::kPassesNow, line.line, line.glob,
         all == 1 ? std::string("passes now") : absl::StrCat("all ", all, " cases pass now"),
         absl::StrCat("delete the line: ", text), all == 1 ? std::vector<std::string>() : passing});
  } else {
    Add({FindingKind::kPartlyPasses, line.line, line.glob,
         absl::StrCat(passing.size(), " of its ", all, " cases pass now: ", passing.front(),
                      passing.size() > 1 ? ", ..." : ""),
         "narrow the line; --update does", passing});
  }
}

void Gate::JudgeLine(size_t index) {
  const Expectation& line = LineAt(index);
  std::vector<std::string> passing;
  for (const size_t result : matches_[index]) {
    const v1::Verdict& verdict = run_.results[result];
    if (verdict.outcome() == v1::OUTCOME_PASS) passing.push_back(verdict.case_id());
  }
  const bool flake = line.kind == Expectation::Kind::kFlake;
  if (line.ExpiredOn(options_.today)) {
    if (!options_.partial || !matches_[index].empty()) JudgeExpired(line, index, passing.size());
  } else if (!flake && !passing.empty()) {
    JudgePassing(line, index, passing);
  } else if (matches_[index].empty() && line.kind != Expectation::Kind::kSkip &&
             IsWhole(run_.run.options())) {
    Add({FindingKind::kMatchesNothing,
         line.line,
         line.glob,
         "no case of the run has such an id",
         "delete or correct the line",
         {}});
  }
  if (line.issue == kIssuePlaceholder) {
    Add({FindingKind::kNoIssue,
         line.line,
         line.glob,
         "has no issue yet",
         absl::StrCat("replace issue=", kIssuePlaceholder, " with the issue's link"),
         {}});
  }
  if (!line.ExpiredOn(options_.today) && line.expires - options_.today <= kSoon) {
    Add({FindingKind::kExpiresSoon,
         line.line,
         line.glob,
         absl::StrCat("expires on ", DayText(line.expires), ": ", line.reason),
         "",
         {}});
  }
}

void Gate::JudgeContracts() {
  if (input_.reference == nullptr) return;
  const auto names = [](const RunReport& report) {
    std::vector<std::string> contracts(report.run.options().contracts().begin(),
                                       report.run.options().contracts().end());
    std::sort(contracts.begin(), contracts.end());
    return contracts.empty() ? std::string("none") : absl::StrJoin(contracts, ",");
  };
  if (names(run_) == names(*input_.reference)) return;
  Add({FindingKind::kDeclared,
       0,
       "run",
       absl::StrCat("declares other contracts, which widen tolerances: ", names(run_), ", was ",
                    names(*input_.reference), " in ", ReferenceName()),
       "",
       {}});
}

}  // namespace

std::string FindingName(FindingKind kind) {
  return kFindingNames[static_cast<size_t>(kind)].name;
}

std::string FindingWords(FindingKind kind) {
  return kFindingNames[static_cast<size_t>(kind)].words;
}

bool IsNotExported(const RunReport& run, const v1::Verdict& verdict) {
  const auto& exported = run.run.options().implemented();
  return verdict.outcome() == v1::OUTCOME_NOT_IMPLEMENTED &&
         std::find(exported.begin(), exported.end(), verdict.function()) == exported.end();
}

bool GateResult::only_ours() const {
  return std::all_of(findings.begin(), findings.end(), [](const GateFinding& finding) {
    return finding.kind == FindingKind::kIncomplete || finding.kind == FindingKind::kNotJudged;
  });
}

GateResult RunGate(const GateInput& input, const GateOptions& options) {
  return Gate(input, options).Judge();
}

bool IsGreen(const RunReport& run, const Expectations* expectations) {
  if (run.run.state() != v1::RUN_STATE_FINISHED || run.missing > 0 || run.cases == 0) return false;
  std::set<size_t> excused;
  const std::vector<std::vector<size_t>> matches = MatchLines(expectations, run);
  for (size_t line = 0; line < matches.size(); ++line) {
    for (const size_t result : matches[line]) {
      if (expectations->cases[line].Excuses(run.results[result].outcome())) excused.insert(result);
    }
  }
  for (size_t i = 0; i < run.results.size(); ++i) {
    const v1::Outcome outcome = run.results[i].outcome();
    if (outcome != v1::OUTCOME_PASS && outcome != v1::OUTCOME_WAIVED && !excused.contains(i)) return false;
  }
  return true;
}

}  // namespace diopi::reports
