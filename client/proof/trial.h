// Runs every injected bug or variant of a library over the cases of the functions it changes, in real
// workers, and judges each call as the agent does.
#ifndef CLIENT_PROOF_TRIAL_H_
#define CLIENT_PROOF_TRIAL_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/proof/injected_library.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/selection.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::proof {

struct TrialOptions {
  std::string library;            // libdiopi_mutants.so, libdiopi_variants.so
  std::string switch_variable;    // DIOPI_MUTANT, DIOPI_VARIANT
  std::string reference_library;  // libdiopi_cpu.so: makes the baselines, in this process
  std::vector<Injected> injected;
  v1::Selection selection;
  int every = 1;  // only every n-th case of an operator
  int seeds = 1;  // of generated inputs; seed 0 gives the inputs of the stored baselines
  int threads = 2;
  std::chrono::seconds case_timeout{60};  // no injected bug hangs; a busy machine is slow
  bool declare = true;                    // declare the contracts that bugs and variants name
  bool explain = false;  // look for likely causes as the agent does, with practically no limits
};

// The result of one case.
struct Trial {
  size_t injected = 0;  // index
  int seed = 0;
  v1::Verdict verdict;
  // Whether the public harness would have failed on the same data: a dead or hanging process, an error, or an
  // output of which more than 0.1 % of the elements are outside its tolerances.
  bool public_rule_fails = false;
};

// Calls `visit` for one trial at a time, from any thread. Returns only errors of ours: no reference, no
// worker.
absl::Status RunTrials(const TrialOptions& options, const std::function<void(const Trial&)>& visit);

// The gates that caught it, by their letters where they have one: "P,R", "S", "D", "error"; empty for a pass.
std::string GatesOf(const v1::Verdict& verdict);

// The case with other generated inputs; seed 0 gives the case itself.
v1::Case Reseeded(const v1::Case& c, int seed);

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_TRIAL_H_
