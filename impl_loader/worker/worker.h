// The parent's side of a worker process: spawn, hand over a case, wait with a deadline, restart.
#ifndef IMPL_LOADER_WORKER_WORKER_H_
#define IMPL_LOADER_WORKER_WORKER_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "cases/base/tensor_view.h"
#include "cases/fill/fill.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/worker.pb.h"

namespace diopi::loader {

struct WorkerOptions {
  std::string worker_program;       // default (empty): diopi-worker beside the running program
  std::string impl_path;            // --impl
  std::string device_lib;           // --device-lib; empty: the functions are in impl_path
  std::string impl_identity;        // of impl_path (library/file_identity.h); empty: any file will do
  std::string sandbox = "default";  // "strict", "default", "sockets", "off": see sandbox.h
  // Files and folders that the library must not see, in all modes except "off": references, credentials. What
  // lies inside and belongs to the library stays visible. Missing ones are ignored.
  std::vector<std::string> hidden;
  uint64_t memory_bytes = 0;  // limit on a worker's address space; 0: none
  uint64_t device_bytes = 0;  // ask once whether the device has so much memory: WorkerHello.device_room
  std::chrono::milliseconds case_timeout{30'000};
  std::chrono::milliseconds load_timeout{60'000};
  std::chrono::milliseconds kill_grace{500};  // between SIGTERM and SIGKILL
  std::vector<std::string> environment;       // extra NAME=VALUE
  int64_t shared_bytes = 64 << 20;            // for a case's tensors; a case that needs more gets more
  int64_t kept_bytes = 128 << 20;  // a case's tensors that took no more keep their memory for the next case
  // A program and its arguments under which diopi-worker runs (gdb --args, valgrind). It gets this process's
  // standard input, output and error, and the terminal. Raise the limits above, and set `sandbox` to "off".
  std::vector<std::string> debugger;
  std::string log_path;         // what the library prints is appended here; empty: standard error
  int64_t log_limit = 1 << 20;  // bytes; more is dropped, with a line that says so
};

struct CallOptions {
  int calls = 2;                         // at least
  std::chrono::milliseconds timeout{0};  // of this case; 0: WorkerOptions::case_timeout
  v1::CaseAdaptor adaptor;               // converts between the case and the library; empty: no conversion
  // Only measures the call: the reply has `time` or, with status BAD_CASE, why there is none, and neither
  // outputs nor findings about memory.
  std::optional<v1::TimeCall> time = std::nullopt;
  bool keep = false;  // the process keeps the case, for one call beside it
  // The case is called a few times more, while the case that was kept is called again and again on another
  // thread and stream. What becomes of that one is not reported. In a process that keeps none: an ordinary
  // call.
  bool beside = false;
  // Where the agent finds large outputs, and the inputs that the worker has made.
  enum class Outputs {
    kCopied,
    // Where the agent can see the worker's memory, they stay there (CallOutcome::output_views).
    kInPlace,
    // Likewise, and where two calls are made, the worker does not compare them: the reader of the outputs
    // compares those that have a hash with it (CallOutcome::hashes). Where one differs, submit the case again
    // with kInPlace: the reply says how the calls differ, or that elements were not written.
    kInPlaceUncompared,
  };
  Outputs outputs = Outputs::kCopied;
};

// What became of one case. `reply` is set when the worker answered, and then is an answer that a case of this
// kind can have (answer.h). Where the library works on host memory, the agent itself looks up the outputs,
// writes out of bounds, changed inputs, and whether `unwritten` outputs hold the poison. The rest of the
// reply is the worker's word, in whose process the library lives.
struct CallOutcome {
  enum class Kind {
    kReplied,
    kCrashed,  // a signal: see signal_name, backtrace
    kExited,   // the process ended without one: see exit_status
    kTimedOut,
    kLost,         // our fault: the worker could not be spawned or was ended (End)
    kNotAnAnswer,  // the worker sent what no worker sends: the library answers in its name
  };
  Kind kind = Kind::kReplied;
  v1::WorkerReply reply;
  TensorMap outputs;  // of calls that succeeded
  // With Outputs::kInPlace: outputs that are not among `outputs`, and unchanged inputs, by key, in the
  // shared memory until the next Submit. The library's threads may still write there: every use must bear
  // any value at any time.
  TensorViews output_views;
  TensorViews input_views;
  // With Outputs::kInPlace, until the next Submit: the generators of the inputs that the worker has made,
  // from which parts of them can be made again. Null otherwise.
  const BlockInputs* made_inputs = nullptr;
  std::map<std::string, uint64_t> hashes;  // XXH64 of large outputs, as the first call left them
  // Not empty: the library was not called, because its element type cannot hold these values; which, in
  // words.
  std::string not_adaptable;
  std::vector<std::string> adapted;  // what the adaptor did, in words, a line per tensor
  std::vector<std::string> rounded;  // tensors some of whose values were rounded, with counts
  std::string signal_name;           // "SIGSEGV"
  std::string backtrace;             // symbolised, one frame a line, the vendor's frames first
  int exit_status = 0;
  std::vector<v1::Finding> ended;  // how the process ended, and what it printed; always set when not kReplied

  // Set when the reply came from a fresh process because the one before it died of what an earlier case had
  // left in it: what happened, and which cases had run. signal_name and backtrace are then those of that
  // process.
  std::optional<v1::Finding> stray_end;

  // What `ended` says, in English.
  std::string Text() const;
};

// Runs one worker process at a time and replaces a dead one at the next call. Not thread-safe, except for
// End; use one per thread. Destruction ends the process, and so does the end of the thread that started it
// (Start or Submit): a worker never outlives its agent.
class Worker {
 public:
  // Spawns (posix_spawn) and waits for the hello. FailedPrecondition with the load error when the library
  // cannot be loaded, DeadlineExceeded when loading takes too long, Unavailable when someone else killed the
  // process meanwhile, Internal when the program is missing.
  static absl::StatusOr<std::unique_ptr<Worker>> Start(WorkerOptions options);
  virtual ~Worker() = default;

  virtual const v1::WorkerHello& hello() const = 0;
  virtual int pid() const = 0;  // of the process now running; -1: none

  // Starts a case; at most one is in flight. The caller may prepare the next case or compare the last one
  // while this one runs. `inputs` must stay as they are until Wait has returned: the library's copies are
  // compared with them. Of a large case whose options have no adaptor, those inputs may be missing that are
  // filled in blocks (OpenBlockInputs): the worker makes them itself.
  virtual absl::Status Submit(const v1::Case& c, const TensorMap& inputs, const CallOptions& options) = 0;
  absl::Status Submit(const v1::Case& c, const TensorMap& inputs, int calls) {
    return Submit(c, inputs, CallOptions{calls, {}, {}});
  }
  // Waits for the case, at most until its deadline, counted from Submit. Where the process may have died of
  // what an earlier case left in it (a crash on another thread than the caller's, or a signal in a process
  // that has run other cases), runs the case once more in a fresh process, within the same time again. If
  // that process dies too, the case alone is to blame; otherwise `stray_end` reports what happened to the
  // first one.
  virtual CallOutcome Wait() = 0;

  // Kills the process for good; can be called from any thread. No other process is started. A Submit or Wait
  // in progress returns at once; from then on Submit returns Cancelled and Wait kLost.
  virtual void End() = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_WORKER_H_
