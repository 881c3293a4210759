// The agent's own view of the tensors that a worker hands to a library: where they lie in the shared memory,
// and whether canaries and inputs are intact when the worker has answered.
#ifndef IMPL_LOADER_WORKER_SHARED_FRAME_H_
#define IMPL_LOADER_WORKER_SHARED_FRAME_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "cases/base/tensor_view.h"
#include "cases/core/fill.h"
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
  // Lays the tensors out from `base` on, exactly as the worker does, without touching the memory. Null when
  // the tensors do not fit the case, its function or the adaptor: the library is then not called, and the
  // worker says why. `inputs` and the memory at `base` must outlive it.
  static std::unique_ptr<SharedFrame> Lay(const v1::Case& c, const TensorMap& inputs,
                                          const v1::CaseAdaptor& adaptor, std::byte* base);

  // Canaries included.
  size_t bytes() const { return bytes_; }

  // A tensor of the case as it lies there now; nothing where it has no handle of its own or is not dense.
  std::optional<TensorView> View(const std::string& key) const;
  // The inputs that lie there dense and that nobody sent, by key.
  TensorViews MadeInputs() const;
  const BlockInputs& blocks() const { return made_; }  // of these inputs, those included that are not dense

  // Adds to the reply what the worker has not reported: bytes written outside tensors, changed inputs.
  void Check(v1::WorkerReply* reply) const;

 private:
  SharedFrame() = default;

  std::vector<InputView> inputs_;
  BlockInputs made_;
  std::unique_ptr<AdaptedCall> adapted_;  // null: no adaptor
  runtime::Arena arena_;
  diopiContext context_{&arena_, nullptr, {}};
  std::unique_ptr<CallFrame> frame_;
  size_t bytes_ = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_SHARED_FRAME_H_
