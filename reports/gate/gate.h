// The gate: may a run's library be merged? Turns a run, its expectations and an earlier run into findings.
// Everything here is pure.
#ifndef REPORTS_GATE_GATE_H_
#define REPORTS_GATE_GATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reports/gate/date.h"
#include "reports/gate/expectations.h"
#include "reports/model/completeness.h"
#include "reports/model/report.h"

namespace diopi::reports {

struct GateOptions {
  Day today;
  // The run is a selection on purpose: cases that it leaves out are no findings.
  bool partial = false;
  // Notes on the expectations (passes now, matches nothing, no issue) also fail the gate.
  bool strict = false;
  int64_t min_passing = 0;      // --min-coverage, in functions; 0: no minimum
  double max_slowdown = 0;      // 0: does not judge time; otherwise at least 1
  double max_error_growth = 0;  // 0: does not judge errors; otherwise at least 1
};

struct GateInput {
  const RunReport* run = nullptr;
  const Expectations* expectations = nullptr;  // null: none; then `reference` says what may fail
  const RunReport* reference = nullptr;        // null: none
  // Further runs of the same libraries as `run` and `reference`, for times: each case's fastest call counts.
  std::vector<const RunReport*> repeats;
  std::vector<const RunReport*> reference_repeats;
};

// Names (FindingName) are part of the JSON and JUnit output: never change.
enum class FindingKind {
  kIncomplete,    // the run is not finished, or has no cases
  kNotListed,     // does not pass, and no line excuses it
  kOtherOutcome,  // does not pass, and its line excuses other outcomes
  kRegressed,     // passed, or had another outcome, in the reference run
  kExpired,       // a line has expired
  kCoverage,      // fell below the floor or the reference run
  kNotJudged,     // harness_error: our fault
  kSlower,
  kLessAccurate,
  // Notes, unless GateOptions.strict makes findings of the first four.
  kPassesNow,       // a line whose cases all pass
  kPartlyPasses,    // a line of which some cases pass
  kMatchesNothing,  // a line without a case in the run
  kNoIssue,         // a line without a link
  kExpiresSoon,     // within 14 days
  kSuspected,       // slower, but only in one run
  kDeclared,        // the run declares other contracts than the reference
};

// A kind's name for programs ("not_listed", "passes_now") and for people ("new failure", "passes now").
std::string FindingName(FindingKind kind);
std::string FindingWords(FindingKind kind);

struct GateFinding {
  FindingKind kind = FindingKind::kIncomplete;
  int line = 0;                    // of the expectations; 0: none
  std::string subject;             // a case, a function, a line's glob, or "run"
  std::string text;                // the problem, one line
  std::string action;              // what to do about it: a command or a line to delete; may be empty
  std::vector<std::string> cases;  // concerned, where there are several
  std::string local_action = "";   // `action` for a terminal of the run's machine, where it differs
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;  // of the case that it is about, if it is about one
};

// How the gate classifies one case.
struct GatedCase {
  enum class State { kPass, kExpected, kFinding };
  const v1::Verdict* verdict = nullptr;  // of GateInput.run
  State state = State::kPass;
  int line =
      0;  // kExpected: the line that excuses it; 0: the reference run, or a waiver of the device profile
  std::string text;  // why it is excused, or the finding's text
};

struct GateResult {
  std::vector<GateFinding>
      findings;  // wrong numbers first, what was not called last; the gate is green without any
  std::vector<GateFinding> notes;
  std::vector<GatedCase> cases;   // in case order
  int64_t expected_failures = 0;  // excused by a line or the reference run
  int64_t waived = 0;             // by the device profile
  bool green() const { return findings.empty(); }
  // Whether all findings are about the run, not the library: incomplete, not judged.
  bool only_ours() const;
};

// Whether the library does not export the verdict's function: coverage counts it, and no line need excuse it.
bool IsNotExported(const RunReport& run, const v1::Verdict& verdict);

GateResult RunGate(const GateInput& input, const GateOptions& options);

// Whether the run is finished and whole, and every case passes, is waived, or is excused by a line, expired
// or not: the condition of `--against last-green`. `expectations` may be null.
bool IsGreen(const RunReport& run, const Expectations* expectations);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_GATE_H_
