// The agent's own view of the tensors that a worker hands to a library: where they lie in the shared memory,
// what the library left there, and whether canaries and inputs are intact when the worker has answered.
#ifndef IMPL_LOADER_WORKER_SHARED_FRAME_H_
#define IMPL_LOADER_WORKER_SHARED_FRAME_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cases/base/tensor_view.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/worker.pb.h"
#include "impl_loader/caller/call_frame.h"
#include "impl_loader/runtime/arena.h"
#include "impl_loader/runtime/host.h"

namespace diopi::loader {

// Not thread-safe.
class SharedFrame {
 public:
  // Lays the tensors out from `base` on, exactly as the worker does, with `gap` bytes after each, without
  // touching the memory. `c` and `inputs` are what the library gets. Null when the tensors do not fit the
  // case or its function: the library is then not called, and the worker says why. `inputs` and the memory
  // at `base` must outlive it.
  static std::unique_ptr<SharedFrame> Lay(const v1::Case& c, const std::vector<InputView>& inputs, size_t gap,
                                          std::byte* base);

  // Canaries and gaps included.
  size_t bytes() const { return bytes_; }

  // Before the worker gets the case: fills the gaps, and writes over the first bytes of each output, which
  // may hold a right answer to an earlier case. If nothing is called, that does not pass for an output.
  void Prepare();

  // Whether the case has an output or inout of this key here.
  bool Has(const std::string& key) const { return Find(key) != nullptr; }
  // The outputs and inouts as they lie there now. With `views`, the dense ones of more than kLargeOutput
  // bytes go there instead of being copied.
  std::vector<OutputTensor> Outputs(TensorViews* views) const;
  // Whether all elements of an output are poison, as before the first or the second call.
  bool IsUnwritten(const std::string& key) const;
  // The inputs that lie there dense and that nobody sent, by key.
  TensorViews MadeInputs() const;

  // Adds to the reply what the worker has not reported: bytes written outside tensors, changed inputs.
  void Check(v1::WorkerReply* reply) const;

 private:
  SharedFrame() = default;
  const BoundTensor* Find(const std::string& key) const;

  runtime::Arena arena_;
  diopiContext context_{&arena_, nullptr, {}};
  std::unique_ptr<CallFrame> frame_;
  size_t gap_ = 0;
  size_t bytes_ = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SHARED_FRAME_H_
