// Turns one case into the arguments of a call: tensors in guarded buffers, handles, scalars, strings.
#ifndef IMPL_LOADER_CALLER_CALL_FRAME_H_
#define IMPL_LOADER_CALLER_CALL_FRAME_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/dtype.h"
#include "cases/fill/block_fill.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/finding.pb.h"
#include "impl_loader/call/call.h"
#include "impl_loader/caller/stream_delay.h"
#include "impl_loader/runtime/host.h"
#include "proto/abi/abi.h"

namespace diopi::loader {

// Dense values of one input. Not owned.
struct InputView {
  std::string_view key;
  Dtype dtype = v1::Dtype::float32;
  std::vector<int64_t> shape;
  const void* data = nullptr;  // null where there are `blocks`
  size_t bytes = 0;
  const BlockTensor* blocks = nullptr;  // makes the values where they are needed, so that nobody holds a copy
};

// A tensor of the case as the library sees it.
struct BoundTensor {
  std::string key;
  v1::Role role = v1::ROLE_INPUT;
  bool host_output = false;  // no handle: the library gets the pointer
  diopiTensor tensor;
  int64_t element = 0;           // bytes
  bool dense = false;            // the elements are the storage, in order
  const void* values = nullptr;  // dense, of inputs and inouts; null where there are `blocks`
  const BlockTensor* blocks = nullptr;
  const void* holds = nullptr;   // dense, of outputs: what callers put there before the call; null: poison
  std::string image;             // not dense: the whole storage as it is before the call
  std::vector<uint8_t> covered;  // not dense: 1 for storage elements that belong to the tensor

  bool judged = true;               // false: its value is undefined, so it may be anything
  bool may_stay_unwritten = false;  // judged only if the library writes it

  bool shared = false;                  // an output in the memory of an input
  const BoundTensor* writer = nullptr;  // of an input: that output

  bool intact = false;  // an input in host memory that holds what it held before the last call
  std::optional<uint8_t> poisoned = std::nullopt;  // an output that is full of this already

  bool is_output() const { return role == v1::ROLE_OUTPUT; }
  // Whether an element of the storage is the tensor's.
  bool Covers(size_t element_of_storage) const { return dense || covered[element_of_storage] != 0; }
  // Shows what the storage of an input or inout held before the call, part by part, until `visit` returns
  // false.
  void VisitPristine(
      absl::FunctionRef<bool(size_t begin, const std::byte* before, size_t bytes)> visit) const;
};

// A handle the library fills.
struct LibrarySlot {
  std::string key;
  diopiTensorHandle_t* handle = nullptr;  // into an array of the frame
  bool judged = true;                     // false: it may stay null (unique's counts that were not asked for)
};

// Memory of which the library says how much it needs.
struct ScratchMemory {
  std::string key;
  std::string size_name;
  diopiTensor tensor;       // empty until the library has said so
  int64_t* size = nullptr;  // what the library reads and writes, in the frame
  int64_t needed = -1;      // elements
};

struct OutputTensor {
  std::string key;
  int32_t dtype = 0;
  std::vector<int64_t> shape;
  std::string data;  // dense; empty where it is `large`
  // The last call's elements lie in RunOptions.frame, and the caller that checks the frame reads them there.
  bool in_frame = false;

  // An output of which nobody makes another copy in this process.
  struct Large {
    std::string_view elements;                         // in the tensor: the last call's
    std::optional<uint64_t> hash = std::nullopt;       // of this call's elements
    std::optional<uint64_t> stored_at = std::nullopt;  // of these elements, in the OutputStore
  };
  std::optional<Large> large = std::nullopt;

  size_t bytes() const { return large.has_value() ? large->elements.size() : data.size(); }
};

class CallFrame {
 public:
  // `inputs` must hold every input and inout of the case and outlive the frame. An input's own dtype
  // overrides the case's. Outputs of a floating dtype get `widened` unless that is `unsupported`. Buffers
  // come from the context's arenas. InvalidArgument, naming the argument, when case, inputs and signature do
  // not fit each other; ResourceExhausted when there is no memory.
  static absl::StatusOr<std::unique_ptr<CallFrame>> Build(const abi::Function& function, const v1::Case& c,
                                                          const std::vector<InputView>& inputs, Dtype widened,
                                                          diopiContext* context);

  // If the case has scratch memory: asks the library, through `call`, how much it needs, and allocates that
  // much. Call it once, before Prepare for the first result. FailedPrecondition, with what is `wrong`, when
  // the library does not say how much, changes a tensor, or asks for more than there is; or the error of
  // `call`.
  absl::Status AllocateScratch(absl::FunctionRef<absl::Status(const std::vector<ArgValue>&)> call,
                               v1::Finding* wrong);
  // The arguments of a call between Prepare and the one that counts, which prepares scratch memory; empty:
  // there is no such call.
  const std::vector<ArgValue>& preparing_args() const { return preparing_args_; }
  // False when the case has generators and the last call advanced none of them.
  bool GeneratorsMoved() const;
  // From now on Prepare puts nothing into scratch memory, nor into outputs in which callers put nothing: they
  // stay as the library's malloc returned them.
  void LeaveOutputs() { leave_outputs_ = true; }
  // Call it before each call of the library. Restores inputs, inouts, generators and handles, fills outputs
  // with `poison` (or, with `fill`, with the values that callers put there, if any), renews the canaries and
  // moves everything to the device. The inputs and inouts named by `spreading` ("*": all) get canaries that
  // spread into results (Buffer). Returns the library's error code when a copy fails.
  int32_t Prepare(uint8_t poison, bool fill = true, std::string_view spreading = {});
  // After Prepare, for a library with device memory: sets inputs and inouts to zeros, and queues copies of
  // their values on the context's stream behind the work that `delay` puts there for `seconds`. Waits for
  // everything except these. Returns the library's error code; `held` says whether the inputs are late; false
  // if the library lacks the functions for it.
  int32_t HoldInputs(StreamDelay* delay, double seconds, bool* held);
  // Call it after each call of the library: makes the mirrors of all buffers current. Synchronise afterwards.
  int32_t Download();

  const std::vector<ArgValue>& args() const { return args_; }
  const std::deque<BoundTensor>& tensors() const { return tensors_; }
  std::deque<BoundTensor>& tensors() { return tensors_; }
  const std::deque<LibrarySlot>& slots() const { return slots_; }
  std::deque<ScratchMemory>& scratch() { return scratch_; }
  uint8_t poison() const { return poison_; }

 private:
  friend class FrameBuilder;
  explicit CallFrame(diopiContext* context) : context_(context) {}
  void Restore(BoundTensor* bound, bool fill) const;
  int32_t RestoreScratch();
  absl::Status CheckAsking(v1::Finding* wrong);
  struct Held {
    runtime::Buffer buffer;
    runtime::Buffer aside;  // device memory that keeps the values meanwhile
  };
  std::vector<Held> SetAside();

  struct Generator {
    diopiGenerator initial;
    diopiGenerator live;
  };

  diopiContext* context_;
  uint8_t poison_ = 0;
  bool leave_outputs_ = false;
  std::vector<ArgValue> args_;
  std::vector<ArgValue> preparing_args_;
  // Deques: the library holds pointers to their elements.
  std::deque<BoundTensor> tensors_;
  std::deque<diopiTensor> sparse_;
  std::deque<LibrarySlot> slots_;
  std::deque<ScratchMemory> scratch_;
  std::deque<std::vector<diopiTensorHandle_t>> arrays_;  // handles in and out
  std::deque<std::vector<int64_t>> sizes_;
  std::deque<diopiSize_t> size_structs_;
  std::deque<diopiScalar_t> scalars_;
  std::deque<int64_t> integers_;
  std::deque<double> doubles_;
  std::deque<bool> bools_;
  std::deque<std::string> strings_;
  std::deque<Generator> generators_;
  std::deque<std::vector<diopiGeneratorHandle_t>> generator_arrays_;
};

// The dense elements of any tensor whose mirror is current. `buffer` lends its memory: fresh pages cost more
// than the copy.
OutputTensor ReadTensor(const std::string& key, const diopiTensor& tensor, std::string buffer = {});

// The tensor's elements where they lie; empty where they are not dense. The mirror must be current.
std::string_view ElementsInPlace(const diopiTensor& tensor);

// Whether the tensor's dense elements are `data`.
bool HoldsElements(const diopiTensor& tensor, const std::string& data);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_CALL_FRAME_H_
