// An expectations file: the cases known not to pass on one chip (README.md has the grammar).
#ifndef REPORTS_GATE_EXPECTATIONS_H_
#define REPORTS_GATE_EXPECTATIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/verdict.pb.h"
#include "reports/gate/date.h"

namespace diopi::reports {

// Replaces the link in lines that --update wrote: the gate asks for the link.
inline constexpr char kIssuePlaceholder[] = "TODO";

// A line of kind fail, flake or skip.
struct Expectation {
  enum class Kind {
    kFail,   // does not pass
    kFlake,  // may or may not pass
    kSkip,   // is not called: not implemented, unsupported dtype, skipped, or not in the run
  };
  int line = 0;  // from 1; 0 for a line not yet in a file
  Kind kind = Kind::kFail;
  std::string glob;                   // of case ids, with * and ?
  std::vector<v1::Outcome> outcomes;  // outcome=; empty: DefaultOutcomes
  Day expires;                        // the last day on which it holds
  std::string issue;                  // a link, or kIssuePlaceholder
  std::string reason;
  std::string comment;  // from "#" to the end of the line; empty: none

  bool Excuses(v1::Outcome outcome) const;
  bool ExpiredOn(Day today) const { return today > expires; }
};

// The outcomes that a line without outcome= excuses. Crashes, timeouts and memory findings must be named.
const std::vector<v1::Outcome>& DefaultOutcomes(Expectation::Kind kind);

// "fail", "flake", "skip".
std::string KindName(Expectation::Kind kind);

// The floor of coverage: the run must have at least this much.
struct CoverageFloor {
  int line = 0;
  std::optional<int64_t> passing;      // functions that pass
  std::optional<int64_t> implemented;  // functions
  std::optional<int64_t> tested;       // functions with a case in which they were called
  std::optional<int64_t> cases;        // in the run
};

struct Expectations {
  std::string file;  // for messages
  std::string chip;  // empty: any
  std::optional<CoverageFloor> floor;
  std::vector<Expectation> cases;  // in the file's order
  std::vector<std::string> lines;  // the whole text, without line ends
};

// InvalidArgument lists at most twenty mistakes, each as a line "FILE:LINE:COLUMN: what is wrong, what was
// expected"; columns count bytes from 1.
absl::StatusOr<Expectations> ParseExpectations(std::string_view text, std::string_view file);

// The line as --update writes it, without its end.
std::string FormatExpectation(const Expectation& expectation);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_EXPECTATIONS_H_
