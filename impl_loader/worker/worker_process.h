// One process of diopi-worker, from its start to its end.
#ifndef IMPL_LOADER_WORKER_WORKER_PROCESS_H_
#define IMPL_LOADER_WORKER_WORKER_PROCESS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/temporary_folder.h"
#include "impl_loader/worker/channel.h"
#include "impl_loader/worker/child_process.h"
#include "impl_loader/worker/log_pump.h"
#include "impl_loader/worker/shared_memory.h"
#include "impl_loader/worker/worker.h"

namespace diopi::loader {

// Not thread-safe. Destruction asks the process to end, and kills it after the options' grace.
class WorkerProcess {
 public:
  // Spawns and waits for the hello. `shared`, `log` and `end`, a descriptor, must outlive it. Errors as of
  // Worker::Start; Cancelled when `end` is readable.
  static absl::StatusOr<std::unique_ptr<WorkerProcess>> Start(const WorkerOptions& options,
                                                              SharedMemory* shared, LogPump* log, int end);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  const v1::WorkerHello& hello() const { return hello_; }
  int pid() const { return pid_; }

  // `memory`: descriptor of shared memory that replaces the process's; -1: it keeps its own.
  absl::Status Send(const v1::WorkerCall& call, int memory);

  enum class Event { kMessage, kEnded, kDeadline, kNonsense, kEndAsked };
  // Passes on what the library prints meanwhile. kNonsense: what arrived is not one of our messages;
  // kEndAsked: `end` is readable.
  Event Await(std::chrono::steady_clock::time_point deadline, google::protobuf::MessageLite* message);

  bool Ended() const;
  // Kills it at once, without a report of its stack.
  void Kill() { process_->Terminate(std::chrono::milliseconds(0)); }
  // Threads that it has now; 1 when unknown.
  int64_t Threads() const;

  // Ends the process and fills in the outcome's signal, backtrace, exit status and findings. `during`:
  // "diopiAdd", "loading the library"; empty: nothing is known of that. True: the main thread crashed, so
  // that what it was doing is to blame.
  bool DescribeEnd(const std::string& during, CallOutcome* outcome);
  void DescribeTimeout(const std::string& during, std::chrono::milliseconds limit, CallOutcome* outcome);

 private:
  WorkerProcess(const WorkerOptions& options, SharedMemory* shared, LogPump* log, int end)
      : grace_(options.kill_grace), shared_(shared), log_(log), end_(end) {}
  absl::Status Spawn(const WorkerOptions& options);
  absl::Status AwaitHello(const WorkerOptions& options, bool loading, v1::WorkerHello* hello);
  void LearnPid();
  absl::Status Greet(const WorkerOptions& options);
  void AddLastWords(CallOutcome* outcome) const;

  std::chrono::milliseconds grace_;
  SharedMemory* shared_;
  LogPump* log_;
  const int end_;
  std::optional<TemporaryFolder> folder_;  // has the worker's own folder, if it has one
  std::unique_ptr<ChildProcess> process_;  // the worker's keeper, or the worker
  std::chrono::steady_clock::time_point load_deadline_;
  Descriptor pid_pipe_;  // from which the keeper's word of the worker's pid is read
  int pid_ = -1;         // the worker's
  Descriptor worker_;    // readable once the worker has ended, perhaps before its keeper
  Channel channel_;
  v1::WorkerHello hello_;
};

// Whether someone else ended the process, such as the kernel when memory is short.
bool WasKilled(const CallOutcome& end);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_WORKER_PROCESS_H_
