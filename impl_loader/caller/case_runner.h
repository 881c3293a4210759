// Runs one case on a library in this process, as often as asked, and reports all that was observed.
#ifndef IMPL_LOADER_CALLER_CASE_RUNNER_H_
#define IMPL_LOADER_CALLER_CASE_RUNNER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diopi/v1/worker.pb.h"
#include "impl_loader/caller/call_frame.h"
#include "impl_loader/caller/checks.h"
#include "impl_loader/caller/fork_guard.h"
#include "impl_loader/caller/vendor_library.h"

namespace diopi::loader {

inline constexpr size_t kLargeOutput = size_t{1} << 20;  // bytes; larger outputs go into the store

// Keeps large outputs outside this process's heap.
class OutputStore {
 public:
  virtual ~OutputStore() = default;
  // False when there is no room; otherwise `at` says where the bytes are.
  virtual bool Put(std::string_view data, uint64_t* at) = 0;
};

struct RunOptions {
  int calls = 2;  // 1: no comparison of two calls, so no unwritten outputs and no leaks are found
  // Every eighth case (chosen by its id) gets this many calls where `calls` is 2, unless they take more than
  // a few milliseconds: over its cases, a function that fails now and then is called often enough to show it.
  int sampled_calls = 16;
  // No other case is called in this process meanwhile: leaks and reads outside of inputs can be told.
  bool alone = true;
  // In every second call, keep the stream busy before the inputs arrive on it, where the library has the
  // functions for that. Work that ignores the stream then overtakes its inputs.
  bool hold_inputs = true;
  Dtype widened = v1::Dtype::unsupported;  // see CallFrame::Build
  // Where the case's own tensors go, in the order of Arena::Allocate, when the library works on host memory;
  // 0 bytes: wherever there is room.
  std::byte* frame = nullptr;
  size_t frame_bytes = 0;
  size_t frame_gap = 0;  // unused bytes after each buffer in it
  // Somebody else looks at the frame after the last call, and takes the outputs there: large inputs are not
  // checked then.
  bool frame_is_checked = false;
  // Somebody else compares the large outputs that the last of two calls leaves in the frame with their hashes
  // after the first one. If they differ, run the case again without this option, which also says how.
  bool leaves_last = false;
  // Takes the large outputs that do not lie in `frame`; null: RunResult holds all outputs.
  OutputStore* store = nullptr;
};

struct RunResult {
  v1::WorkerReply reply;  // all but sequence and outputs
  // The first call's outputs; what is `in_frame` lies there as the last call left it. A large output has the
  // hash of the first call and the elements of the last, which belong together if the case is deterministic.
  std::vector<OutputTensor> outputs;
};

// Owns the memory of the cases it runs. Not thread-safe.
class CaseRunner {
 public:
  // Both must outlive the runner. `forks`: ends copies of the process as they return from a call; null: the
  // library is trusted not to fork.
  explicit CaseRunner(VendorLibrary* vendor, const ForkGuard* forks = nullptr);

  RunResult Run(const v1::Case& c, const std::vector<InputView>& inputs, const RunOptions& options);

  // Takes back outputs, whose memory the next cases may use.
  void Recycle(std::vector<OutputTensor> outputs);

 private:
  struct Attempt;
  void RunCalls(const abi::Function& function, void* symbol, const RunOptions& options, bool sampled,
                CallFrame* frame, RunResult* result);
  // How one call is made.
  struct Setting {
    uint8_t poison;
    bool hold = false;                // the inputs arrive late
    bool fill = true;                 // outputs hold what callers put there
    std::string_view spreading = {};  // CallFrame::Prepare
  };
  bool AllocateScratch(Attempt* attempt);
  bool CallLibrary(Attempt* attempt, const std::vector<ArgValue>& args);
  bool CallOnce(Attempt* attempt, const Setting& setting);
  bool PrepareCall(Attempt* attempt, const Setting& setting);
  bool Inspect(Attempt* attempt, Inputs inputs = Inputs::kAll);
  bool Gather(Attempt* attempt, std::vector<OutputTensor>* outputs);
  OutputTensor Take(const Attempt& attempt, const std::string& key, const diopiTensor& tensor,
                    BoundTensor* bound);
  void Compare(Attempt* attempt, const std::vector<OutputTensor>& first, const std::vector<OutputTensor>& now,
               uint8_t poison, bool fill);
  std::vector<OutputTensor> Replay(Attempt* attempt, const std::vector<OutputTensor>& first);
  bool StoreLarge(Attempt* attempt);
  void Examine(Attempt* attempt);
  bool Differs(Attempt* attempt, const Setting& setting);
  void CheckLateWrites(Attempt* attempt, bool new_threads, const std::vector<OutputTensor>& seen);
  void FindLeaks(Attempt* attempt);
  static void Fail(RunResult* result, v1::WorkerReply::Status status, const std::string& text);
  void FailStep(const std::string& step, int32_t code, RunResult* result);
  void Mark(Attempt* attempt) const;
  void EndCall(const Attempt& attempt);
  std::string Spare();

  VendorLibrary* vendor_;
  const ForkGuard* forks_;
  runtime::Arena host_;
  std::unique_ptr<runtime::Arena> device_;  // null: a library that works on host memory
  diopiContext context_;
  StreamDelay delay_;
  std::vector<std::string> spare_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_CASE_RUNNER_H_
