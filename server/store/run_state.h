// What the states of a run mean.
#ifndef SERVER_STORE_RUN_STATE_H_
#define SERVER_STORE_RUN_STATE_H_

#include "diopi/v1/run.pb.h"

namespace diopi::server {

// Finished or aborted: nothing is done on it until somebody resumes it.
inline bool IsOver(v1::RunState state) {
  switch (state) {
    case v1::RUN_STATE_FINISHED:
    case v1::RUN_STATE_ABORTED:
      return true;
    case v1::RUN_STATE_QUEUED:
    case v1::RUN_STATE_RUNNING:
    case v1::RUN_STATE_STALLED:
    case v1::RUN_STATE_UNSPECIFIED:
    default:  // of a newer program
      return false;
  }
}

// Waits for an agent or has one at work: neither over nor stalled.
inline bool GoesOn(v1::RunState state) {
  return state == v1::RUN_STATE_QUEUED || state == v1::RUN_STATE_RUNNING;
}

// All but "stalled", which depends on the clock.
inline bool IsStored(v1::RunState state) {
  switch (state) {
    case v1::RUN_STATE_QUEUED:
    case v1::RUN_STATE_RUNNING:
    case v1::RUN_STATE_FINISHED:
    case v1::RUN_STATE_ABORTED:
      return true;
    case v1::RUN_STATE_STALLED:
    case v1::RUN_STATE_UNSPECIFIED:
    default:
      return false;
  }
}

}  // namespace diopi::server

#endif  // SERVER_STORE_RUN_STATE_H_
