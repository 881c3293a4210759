// Rewrites an expectations file from a run. Pure; the caller replaces the file.
#ifndef REPORTS_GATE_UPDATE_H_
#define REPORTS_GATE_UPDATE_H_

#include <string>

#include "reports/gate/expectations.h"
#include "reports/model/report.h"

namespace diopi::reports {

struct UpdateOptions {
  Day expires;  // of new lines
};

struct UpdateResult {
  std::string text;
  int kept = 0;      // lines that still hold, including expired ones: no update prolongs a line
  int deleted = 0;   // lines whose cases all pass, or that match nothing in a complete run
  int narrowed = 0;  // globs of which some cases hold: one line per case, with the reason, issue and day
  int added = 0;     // new lines, with issue=TODO
};

// Lines that still hold stay as written, and so do comments and all other lines. New lines have the fewest
// globs that match no other case of a run of whole operators; they follow those of the same operator, or come
// last. What the library does not export has none where the floor counts functions. Cases with harness_error
// get no line: they say nothing about the library.
UpdateResult UpdateExpectations(const Expectations& old, const RunReport& run, const UpdateOptions& options);

// The start of a new file: its chip, and the run's coverage as the floor.
std::string NewExpectations(const RunReport& run);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_UPDATE_H_
