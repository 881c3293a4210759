// A file of expectations written anew from a run. Pure; the caller replaces the file.
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
  int kept = 0;      // lines that hold as they are; expired ones among them, as no update prolongs a line
  int deleted = 0;   // every case passes, or the run covers everything and has no such case
  int narrowed = 0;  // of a glob some cases hold: one line for each, with the line's reason, issue and day
  int added = 0;     // from a verdict, with issue=TODO
};

// The lines that still hold stay as they are written, comments and all other lines too. New lines follow
// those of the same operator, or come last. Cases of harness_error get no line: they say nothing about the
// library.
UpdateResult UpdateExpectations(const Expectations& old, const RunReport& run, const UpdateOptions& options);

// What a file starts with that is not there yet: its chip, and the run's coverage as the floor.
std::string NewExpectations(const RunReport& run);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_UPDATE_H_
