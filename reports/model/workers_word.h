// Which facts of a verdict the agent observes itself, and which it has from the worker. A library lives in
// the worker's process and can answer in its name, so what rests on the worker's word alone is said wherever
// a run is shown.
#ifndef REPORTS_MODEL_WORKERS_WORD_H_
#define REPORTS_MODEL_WORKERS_WORD_H_

#include "absl/types/span.h"
#include "diopi/v1/run.pb.h"

namespace diopi::reports {

struct ObservedFact {
  const char* name;  // as docs/untrusted-libraries.md lists it
  bool on_host;      // the agent observes it where tensors are in memory that it shares with the worker
  bool on_device;    // the agent observes it also where they are on a device
};

// All facts, in the order of the documentation.
absl::Span<const ObservedFact> ObservedFacts();

// What of a run's verdicts rests on the worker's word. Empty: the run does not say where its tensors were.
v1::Finding WorkersWord(const v1::RunOptions& options);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_WORKERS_WORD_H_
