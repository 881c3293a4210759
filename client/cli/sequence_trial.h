// Which functions of a library spoil a captured sequence.
#ifndef CLIENT_CLI_SEQUENCE_TRIAL_H_
#define CLIENT_CLI_SEQUENCE_TRIAL_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/captured_sequence.h"
#include "client/cli/case_call.h"
#include "impl_loader/caller/in_process.h"
#include "impl_loader/worker/worker.h"

namespace diopi::cli {

// Makes the calls of a sequence, some functions by the CPU reference and the others by a library in a worker,
// and judges what comes out at the end. Right results are those of the reference; how far ordinary ones may
// be from them is measured: in some more runs of the reference each result deviates at random by the noise
// that an ordinary evaluation of its formula makes (the sigma of the oracle), and by the rounding to its
// type. Not thread-safe.
class SequenceTrial {
 public:
  // Makes the runs of the reference. `sequence` must outlive the trial. InvalidArgument when a library cannot
  // be loaded; errors of the reference name the call.
  static absl::StatusOr<std::unique_ptr<SequenceTrial>> Start(const CapturedSequence* sequence,
                                                              const CaseCallOptions& options);

  struct Result {
    bool good = false;
    std::string text;  // "largest deviation 3.1 times the noise, of out of call 12 diopiAdd"
  };
  // A library that crashes or returns an error gives no good result.
  absl::StatusOr<Result> Run(const std::vector<std::string>& fall_back);

 private:
  using Ends = std::map<TensorOfCall, HostTensor>;

  explicit SequenceTrial(const CapturedSequence* sequence) : sequence_(*sequence) {}
  absl::Status MeasureNoise();
  absl::StatusOr<TensorMap> Disturbed(const tap::CapturedCall& call, const TensorMap& inputs, uint64_t run);
  absl::StatusOr<TensorMap> ByLibrary(const v1::Case& c, const TensorMap& inputs);

  const CapturedSequence& sequence_;
  std::unique_ptr<CaseCall> call_;
  std::unique_ptr<loader::InProcessLibrary> reference_;
  std::unique_ptr<loader::Worker> worker_;
  Ends right_;
  std::map<TensorOfCall, double> noise_;  // root mean square over the elements
};

}  // namespace diopi::cli

#endif  // CLIENT_CLI_SEQUENCE_TRIAL_H_
