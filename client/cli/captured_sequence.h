// Captured calls as one computation: what a call computes goes into the later calls that used it.
#ifndef CLIENT_CLI_CAPTURED_SEQUENCE_H_
#define CLIENT_CLI_CAPTURED_SEQUENCE_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "baselines/tap/capture.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cli {

// A tensor of a call: an input or an output, by its key in the case.
struct TensorOfCall {
  size_t call = 0;
  std::string key;
  bool operator<(const TensorOfCall& other) const {
    return call != other.call ? call < other.call : key < other.key;
  }
};

// Immutable: thread-safe.
//
// A capture does not say where a tensor came from, so values do: an input comes from the last earlier output
// with the same element type and the same bytes in memory, whatever the shape and the order of dimensions.
// All others keep their captured values: the first inputs, tensors of one repeated number (zeros, ones),
// tensors with gaps between their elements. Random functions keep their captured outputs, too.
class CapturedSequence {
 public:
  // The calls in the order in which they were made.
  explicit CapturedSequence(std::vector<tap::CapturedCall> calls);

  const std::vector<tap::CapturedCall>& calls() const { return calls_; }
  // How many inputs are outputs of earlier calls.
  size_t links() const { return sources_.size(); }
  // Functions whose calls Run computes, in the order of their first calls.
  std::vector<std::string> functions() const;

  // Computes one call from inputs that an earlier call may have changed.
  using Compute =
      std::function<absl::StatusOr<TensorMap>(const tap::CapturedCall& call, const TensorMap& inputs)>;
  // Makes all calls one after the other. Returns the outputs that no later call uses and that are judged.
  // Errors are those of `compute`, with the call before them; InvalidArgument when an output is missing or
  // has another type or shape than the captured one.
  absl::StatusOr<std::map<TensorOfCall, HostTensor>> Run(const Compute& compute) const;

 private:
  absl::StatusOr<TensorMap> OutputsOf(size_t call, const Compute& compute,
                                      const std::map<TensorOfCall, HostTensor>& used) const;

  const std::vector<tap::CapturedCall> calls_;
  std::map<TensorOfCall, TensorOfCall> sources_;  // of inputs
  std::vector<TensorOfCall> ends_;
};

// Reads a capture. InvalidArgument for the calls of several processes; errors as of CaptureFiles and
// ReadCapturedCall.
absl::StatusOr<CapturedSequence> ReadSequence(const std::string& capture);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_CAPTURED_SEQUENCE_H_
