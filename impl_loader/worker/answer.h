// Takes apart what a worker says. The library lives in the worker's process, so it can send any message in
// the worker's name, and write any crash report. Only what passes here reaches a verdict, a report or the
// server, and only what a call of this kind can have as its answer passes.
//
// No arrangement of processes and descriptors could make more of the reply trustworthy: whether a call
// returned, and with which code, is known only in the address space in which the library runs. Therefore the
// agent looks up by itself whatever it can see in the shared memory (shared_frame.h), and takes the rest as
// the worker's word (docs/untrusted-libraries.md).
#ifndef IMPL_LOADER_WORKER_ANSWER_H_
#define IMPL_LOADER_WORKER_ANSWER_H_

#include <chrono>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "diopi/v1/worker.pb.h"
#include "impl_loader/adaptor/adaptor.h"
#include "impl_loader/worker/shared_frame.h"
#include "impl_loader/worker/shared_memory.h"
#include "impl_loader/worker/worker.h"

namespace diopi::loader {

// What the agent knows of the call in flight. Nothing is owned.
struct AskedCall {
  const v1::WorkerCall* call = nullptr;
  std::chrono::milliseconds limit{0};  // of the call
  bool on_device = false;              // the agent cannot see the tensors
  bool short_of_memory = false;        // the worker's address space is limited
  const SharedMemory* shared = nullptr;
  const SharedFrame* frame = nullptr;  // null: the agent has not laid out the case's tensors
  AdaptedCall* adapted = nullptr;      // null: the library gets the case as it is
  bool in_place = false;               // CallOptions::Outputs
};

// FailedPrecondition for a library that ends its process, or answers in the worker's name, while it is
// loaded: unlike a file that cannot be loaded (any more), it is to blame for the case that needed the
// process.
absl::Status LibrarysFault(absl::string_view text);
bool IsLibrarysFault(const absl::Status& status);

// DataLoss, saying what is wrong, when the message is no hello of a worker. Makes its texts printable and
// short. `device_bytes`: WorkerOptions::device_bytes.
absl::Status CheckHello(uint64_t device_bytes, v1::WorkerHello* hello);

// What became of the call, with outputs and findings, or kNotAnAnswer and why. An answer has a known status,
// nothing that this kind of call (a case, a measurement, a check of the library as a whole) does not have,
// only outputs of the case, each once, findings only of the sections that belong to their field, and bounded
// numbers and texts. Outputs that lie in the frame are taken
// from there whatever the reply says of them; the frame must hold the poison of outputs that it excuses as
// unwritten. A BAD_CASE is an answer only where the agent cannot rule it out.
CallOutcome TakeAnswer(const AskedCall& asked, v1::WorkerReply reply);

// What the adaptor did to the case.
void ReportConversions(const AdaptedCall& adapted, CallOutcome* outcome);

// Makes the backtrace of a process's end printable and short: the library may have written the report.
void CleanEnd(CallOutcome* outcome);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_ANSWER_H_
