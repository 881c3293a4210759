// The agent's own view of the tensors that a worker hands to a library: where they lie in the shared memory,
// and what must be in and around them when the worker has answered.
#ifndef IMPL_LOADER_WORKER_SHARED_FRAME_H_
#define IMPL_LOADER_WORKER_SHARED_FRAME_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "diopi/v1/adaptor.pb.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/worker.pb.h"
#include "impl_loader/adaptor/adaptor.h"
#include "impl_loader/caller/call_frame.h"
#include "impl_loader/runtime/arena.h"
#include "impl_loader/runtime/host.h"

namespace diopi::loader {

// Not thread-safe.
class SharedFrame {
 public:
  // Lays the tensors out from `base` on, as a worker does that is given this place. Touches no memory there.
  // Null when the library is not called with them, as they do not fit the case, its function or the adaptor:
  // the worker says why. `inputs` and what `base` points to must outlive it.
  static std::unique_ptr<SharedFrame> Lay(const v1::Case& c, const TensorMap& inputs,
                                          const v1::CaseAdaptor& adaptor, std::byte* base);

  // How many it takes, canaries included.
  size_t bytes() const { return bytes_; }

  // Adds to the reply what the worker has not found, or has not told: bytes written outside tensors, changed
  // inputs.
  void Check(v1::WorkerReply* reply) const;

 private:
  SharedFrame() = default;

  std::vector<InputView> inputs_;
  std::unique_ptr<AdaptedCall> adapted_;  // null: nothing stands between
  runtime::Arena arena_;
  diopiContext context_{&arena_, nullptr, {}};
  std::unique_ptr<CallFrame> frame_;
  size_t bytes_ = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SHARED_FRAME_H_
