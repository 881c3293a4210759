// What this machine tells about itself: its processor, clocks, temperatures and throttling.
#ifndef CLIENT_AGENT_MACHINE_STATE_H_
#define CLIENT_AGENT_MACHINE_STATE_H_

#include <string>
#include <vector>

#include "diopi/v1/finding.pb.h"

namespace diopi::agent {

// "Model name, 2 processors".
std::string ProcessorName();

// CLOCKS, TEMPERATURE, THROTTLED: what the kernel shows in /sys now, possibly nothing (in most virtual
// machines).
std::vector<v1::Finding> MachineState();

// How many processors everything but this process and a worker keeps busy, from the construction on. Not
// thread-safe.
class OtherWork {
 public:
  // `worker`: its process id; -1: none runs. `root` is where /proc is, and `now` gives seconds, for tests.
  explicit OtherWork(int worker, std::string root = "", double (*now)() = Now);
  // The average, of which the worker's present process is left out; 0 where /proc does not tell, and over
  // periods too short for its clock.
  double Processors(int worker) const;

 private:
  static double Now();

  const std::string root_;
  double (*const now_)();
  const int worker_;
  const double begin_seconds_;  // by the clock
  const double begin_;
  const double begin_worker_;
};

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_MACHINE_STATE_H_
