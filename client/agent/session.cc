// Three kinds of threads share a queue: one leases batches ahead of time, one per worker drives a process,
// and the reporter sends verdicts back. A worker's thread hands over its next case before it judges the last
// one, so that the device is not idle during comparisons. The first stop signal ends leasing and lets the
// cases in flight finish; the second ends the process at once, which loses nothing that was reported.
#include "client/agent/session.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/exit_code.h"
#include "cases/base/stage.h"
#include "cases/base/status_macros.h"
#include "cases/core/case_builder.h"
#include "cases/core/library_checks.h"
#include "cases/findings/finding.h"
#include "client/judge/verdict_builder.h"

namespace diopi::agent {
namespace {

using std::chrono::milliseconds;

// Used when the server gives no retry time.
constexpr milliseconds kAskAgain{100};
constexpr int64_t kMuchMemory = 64 << 20;  // bytes of a tensor

milliseconds FromSeconds(double seconds) {
  return milliseconds(static_cast<int64_t>(seconds * 1000));
}

bool StaysInWorker(const loader::CallOptions& options) {
  return options.outputs != loader::CallOptions::Outputs::kCopied;
}

// Whether a case's tensors take so much memory that no other case is held meanwhile.
bool TakesMuchMemory(const v1::Case& c) {
  return cases::LargestTensorBytes(c) > kMuchMemory;
}

Reporter::Options ReporterOptions(const SessionOptions& options) {
  Reporter::Options result;
  result.run_id = options.run_id;
  result.agent_id = options.agent_id;
  return result;
}

}  // namespace

Session::Session(rpc::Client* client, const SessionOptions& options, Reporter::Stored stored)
    : client_(client),
      options_(options),
      queue_(WorkQueue::Limits{options.lease_bytes, options.queue_cases}),
      judge_(options.judge),
      dump_(options.dump),
      reporter_(
          ReporterOptions(options),
          [client](const v1::ReportRequest& request) { return client->Report(request).status(); },
          std::move(stored), [this](const absl::Status& status) { Fail(status); }) {}

void Session::Fail(const absl::Status& status) {
  {
    const std::lock_guard lock(mutex_);
    status_.Update(status);
  }
  stopping_ = true;
  queue_.Abort();
  reporter_.Abandon();
  EndCalls();
}

// The verdicts of the cases in flight cannot be reported: do not wait for them, which may take their whole
// deadline, nor run one again.
void Session::EndCalls() {
  const std::lock_guard lock(mutex_);
  calls_ended_ = true;
  for (loader::Worker* worker : calling_) worker->End();
}

absl::Status Session::Run(std::vector<SessionWorker> workers, const StopSignal& stop) {
  ASSIGN_OR_RETURN(ended_, MakePipe());
  workers_ = static_cast<int>(workers.size());
  std::thread prefetcher([this] { Prefetch(); });
  std::atomic<size_t> running = workers.size();
  std::vector<std::thread> threads;
  threads.reserve(workers.size());
  for (SessionWorker& worker : workers) {
    threads.emplace_back([this, &running, owned = std::move(worker)]() mutable {
      Work(std::move(owned));
      if (--running == 0) ended_.write.Close();
    });
  }
  WaitForEnd(stop);
  for (std::thread& thread : threads) thread.join();
  absl::Status reported = reporter_.Stop();
  prefetcher.join();
  const std::lock_guard lock(mutex_);
  if (!status_.ok()) return status_;
  if (!reported.ok()) return reported;
  return stopping_ ? absl::CancelledError("stopped by a signal") : absl::OkStatus();
}

void Session::WaitForEnd(const StopSignal& stop) {
  for (;;) {
    pollfd wait_for[] = {{ended_.read.get(), POLLIN, 0}, {stop.descriptor(), POLLIN, 0}};
    if (poll(wait_for, 2, -1) < 0) continue;
    if (wait_for[0].revents != 0) return;
    const int signal = stop.Take();
    if (signal == 0) continue;
    stop_signal_ = signal;
    if (stopping_.exchange(true)) {
      // The second signal: the user does not want to wait. Reported verdicts are safe, and the rest can be
      // resumed.
      std::fputs("diopi-agent: stopped immediately\n", stderr);
      _exit(ExitCodeForSignal(signal));
    }
    std::fputs("\ndiopi-agent: stopping after the cases in flight; press Ctrl-C again to stop immediately\n",
               stderr);
    queue_.Abort();
    reporter_.Abandon();
  }
}

void Session::Prefetch() {
  while (!stopping_ && queue_.WaitForRoom()) {
    if (!LeaseOnce()) break;
  }
  queue_.Close();
}

// False when there is nothing more to lease.
bool Session::LeaseOnce() {
  v1::LeaseRequest request;
  request.set_run_id(options_.run_id);
  request.set_agent_id(options_.agent_id);
  request.set_max_cases(options_.lease_cases);
  request.set_max_bytes(options_.lease_bytes);
  request.set_workers(workers_);
  int taken = 0;
  const absl::StatusOr<v1::LeaseMessage::Header> header =
      client_->Lease(request, [this, &taken](rpc::LeasedCase leased) {
        ++taken;
        return Accept(std::move(leased));
      });
  if (!header.ok()) {
    // The stream broke or was slow after it had delivered something: the next stream shows whether the server
    // is gone.
    const bool again = absl::IsUnavailable(header.status()) || absl::IsDeadlineExceeded(header.status());
    if (again && taken > 0) return true;
    if (!stopping_) Fail(header.status());
    return false;
  }
  if (header->expires_in_s() > 0) reporter_.SetRenewEvery(FromSeconds(header->expires_in_s() / 3));
  if (header->run_complete()) return false;
  if (header->cases() == 0) {
    // The server has no case to hand out now: other agents hold the rest, or we do. When we do, ask again
    // after our last verdict.
    const milliseconds pause = header->retry_in_s() > 0 ? FromSeconds(header->retry_in_s()) : kAskAgain;
    return reporter_.PauseUntilIdle(pause);
  }
  return true;
}

absl::Status Session::Accept(rpc::LeasedCase leased) {
  if (stopping_) return absl::CancelledError("stopping");
  StageReached("case_received");
  if (reporter_.Take(leased.lease_id, leased.c.id())) queue_.Push(std::move(leased));
  return absl::OkStatus();
}

bool Session::SettledWithoutWorker(const rpc::LeasedCase& leased) {
  v1::Verdict verdict;
  const std::optional<v1::Finding> skipped = judge_.SkipReason(leased.c);
  if (skipped.has_value()) {
    verdict = MakeVerdict(leased.c, v1::OUTCOME_SKIPPED, {*skipped});
  } else if (leased.quarantined) {
    // A conflict between our references is not the fault of the device or of its run.
    verdict = HarnessError(leased.c, "quarantined", "quarantined: " + leased.unavailable);
    verdict.set_outcome(v1::OUTCOME_SKIPPED);
  } else if (!leased.unavailable.empty()) {
    verdict = HarnessError(leased.c, "no_baseline", "no usable baseline: " + leased.unavailable);
  } else if (!cases::IsLibraryCheck(leased.c) && !options_.implemented.contains(leased.c.function())) {
    verdict = MakeVerdict(leased.c, v1::OUTCOME_NOT_IMPLEMENTED,
                          {Found(v1::Finding::NOT_EXPORTED).Name(leased.c.function())});
  } else {
    return false;
  }
  verdict.set_reference(leased.reference);
  verdict.set_device_reference(leased.device_reference);
  reporter_.Add(std::move(verdict));
  return true;
}

void Session::Work(SessionWorker worker) {
  std::optional<Called> last;
  for (;;) {
    // While a case waits to be judged, take the next case only if it is available already.
    std::optional<rpc::LeasedCase> next = last.has_value() ? queue_.TryPop() : queue_.Pop();
    if (!next.has_value()) {
      if (!last.has_value()) return;
      Judge(*std::exchange(last, std::nullopt));
      continue;
    }
    if (SettledWithoutWorker(*next)) continue;
    // Two cases at once could take more memory than there is.
    if (last.has_value() && TakesMuchMemory(next->c)) Judge(*std::exchange(last, std::nullopt));
    absl::StatusOr<loader::CallOptions> options =
        judge_.Prepare(next->c, &next->inputs, CaseJudge::Making::kSent);
    if (!options.ok()) {
      reporter_.Add(HarnessError(next->c, "not_prepared", std::string(options.status().message())));
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    baselines::SlicePlaces places;
    std::optional<loader::CallOutcome> outcome = Call(worker.worker.get(), *next, *options, &last, &places);
    if (!outcome.has_value()) continue;
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
    last = Called{*std::move(next), *std::move(outcome), worker.device,
                  elapsed.count(),  *std::move(options), std::move(places)};
    // The worker's next case takes the place of this one's tensors.
    if (StaysInWorker(last->options)) JudgeInPlace(worker.worker.get(), *std::exchange(last, std::nullopt));
  }
}

// Runs one case, and meanwhile judges the last one and finds the places where this one is judged. Nullopt
// when EndCalls may have ended it.
std::optional<loader::CallOutcome> Session::Call(loader::Worker* worker, const rpc::LeasedCase& leased,
                                                 const loader::CallOptions& options,
                                                 std::optional<Called>* last,
                                                 baselines::SlicePlaces* places) {
  {
    const std::lock_guard lock(mutex_);
    if (calls_ended_) return std::nullopt;
    calling_.insert(worker);
  }
  loader::CallOutcome outcome;
  const absl::Status submitted = worker->Submit(leased.c, leased.inputs, options);
  if (last->has_value()) Judge(*std::exchange(*last, std::nullopt));
  if (submitted.ok()) {
    if (StaysInWorker(options) && places->empty()) *places = CaseJudge::PlacesOf(leased.c);
    outcome = worker->Wait();
  } else {
    outcome.kind = loader::CallOutcome::Kind::kLost;
    outcome.ended = {Found(v1::Finding::WORKER_LOST).Said(std::string(submitted.message()))};
  }
  const std::lock_guard lock(mutex_);
  calling_.erase(worker);
  if (calls_ended_) return std::nullopt;
  return outcome;
}

// Copies the tensors that a case judged in place leaves in the worker's memory, because files need them.
void Session::MakeWhole(Called* called) {
  CaseJudge::Complete(called->leased.c, &called->leased.inputs).IgnoreError();
  for (const auto& [key, view] : called->outcome.output_views) called->outcome.outputs[key] = view.Copy();
}

void Session::Judge(Called called) {
  v1::Verdict verdict = VerdictOn(&called);
  Report(std::move(called), std::move(verdict));
}

// Its tensors are where the worker's next call puts its own.
void Session::JudgeInPlace(loader::Worker* worker, Called called) {
  v1::Verdict verdict = VerdictOn(&called);
  if (CaseJudge::NeedsAnotherCall(verdict, called.outcome, &called.options)) {
    std::optional<Called> none;
    std::optional<loader::CallOutcome> outcome =
        Call(worker, called.leased, called.options, &none, &called.places);
    if (!outcome.has_value()) return;
    called.outcome = *std::move(outcome);
    // It may not happen again.
    v1::Verdict second = VerdictOn(&called);
    if (second.outcome() != v1::OUTCOME_PASS) verdict = std::move(second);
  }
  Report(std::move(called), std::move(verdict));
}

v1::Verdict Session::VerdictOn(Called* called) {
  rpc::LeasedCase& leased = called->leased;
  absl::Status complete;
  if (!StaysInWorker(called->options)) complete = CaseJudge::Complete(leased.c, &leased.inputs);
  v1::Verdict verdict = complete.ok()
                            ? judge_.Judge(leased.c, leased.inputs, leased.references, called->outcome,
                                           called->options.adaptor, &called->converted, called->places)
                            : HarnessError(leased.c, "no_inputs", std::string(complete.message()));
  verdict.set_reference(leased.reference);
  verdict.set_device_reference(leased.device_reference);
  if (called->device >= 0) verdict.set_device_index(called->device);
  verdict.set_elapsed_us(called->elapsed_us);
  return verdict;
}

void Session::Report(Called called, v1::Verdict verdict) {
  const rpc::LeasedCase& leased = called.leased;
  if (dump_.Takes(verdict)) MakeWhole(&called);
  if (called.converted.has_value()) {
    const profile::JudgedCase& converted = *called.converted;
    dump_.Add(converted.c, converted.inputs, converted.references, converted.actual, verdict);
  } else {
    dump_.Add(leased.c, leased.inputs, leased.references, called.outcome.outputs, verdict);
  }
  StageReached("verdict_computed");
  reporter_.Add(std::move(verdict));
}

}  // namespace diopi::agent
