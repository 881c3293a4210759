// Rounds of calls: while the workers call and judge one round, the oracle computes the next. What was
// observed in a round is known to the generator two rounds later, whatever the speed of either, so the
// sequence of calls does not depend on it.
#include "client/explore/explore.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/store/store.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "client/judge/verdict_builder.h"

namespace diopi::explore {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRound = 256;  // calls
// Calls whose references one process computes: fewer, where many processes share a round.
constexpr size_t kFewestInUnit = 4, kMostInUnit = 32;
constexpr double kFalseAlarmsPerElement = 2.5e-14;    // docs/method.md, 4.1
constexpr double kFalseAlarmsPerRandomOutput = 1e-6;  // ten tests of 1e-7, section 7

// Calls of a round that one worker makes in order: those of a sequence, or a single one.
struct Part {
  size_t calls = 0;
  size_t accepted = 0;                                        // whose references are known, or refused
  std::vector<std::pair<size_t, baselines::Baseline>> ready;  // with their places in the round
};

struct Round {
  explicit Round(std::vector<Call> drawn) : calls(std::move(drawn)), seen(calls.size()) {
    for (size_t i = 0; i < calls.size(); ++i) {
      const bool goes_on = i > 0 && calls[i].sequence >= 0 && calls[i].sequence == calls[i - 1].sequence;
      if (!goes_on) parts.emplace_back();
      ++parts.back().calls;
      part_of.push_back(parts.size() - 1);
    }
  }
  std::vector<Call> calls;
  std::vector<std::optional<Observation>> seen;  // none: not judged
  std::vector<Part> parts;
  std::vector<size_t> part_of;
  size_t pending = 0;  // with a worker, or on the way to one
};

// A part whose references are known.
struct Ready {
  Round* round = nullptr;
  std::vector<std::pair<size_t, baselines::Baseline>> calls;
};

// What a worker's process has called, to find out after which calls another one fails.
class Earlier {
 public:
  // `functions`: how many are explored.
  explicit Earlier(int64_t functions)
      : kept_(static_cast<size_t>(std::clamp(kCallsKept / functions, kFewestKept, kMostKept))) {}
  std::vector<std::shared_ptr<const Call>> Of(const std::string& function) const {
    const auto found = calls_.find(function);
    return found == calls_.end() ? std::vector<std::shared_ptr<const Call>>() : found->second;
  }
  // The process `pid` made the call; -1: it died of it.
  void Add(int pid, const Call& call) {
    if (pid != pid_) calls_.clear();
    pid_ = pid;
    if (pid < 0) return;
    std::vector<std::shared_ptr<const Call>>& calls = calls_[call.c.function()];
    if (calls.size() == 2 * kept_) calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(kept_));
    calls.push_back(std::make_shared<const Call>(call));
  }

 private:
  static constexpr int64_t kCallsKept = 8192, kFewestKept = 8, kMostKept = 256;
  const size_t kept_;  // of the first calls of a function, and of the last
  int pid_ = -1;
  std::map<std::string, std::vector<std::shared_ptr<const Call>>> calls_;
};

Observation Observe(const v1::Verdict& verdict) {
  Observation observation;
  observation.failed = IsFailure(verdict.outcome());
  observation.unsupported =
      verdict.outcome() == v1::OUTCOME_UNSUPPORTED_DTYPE || verdict.outcome() == v1::OUTCOME_NOT_IMPLEMENTED;
  for (const v1::OutputStats& stats : verdict.outputs()) {
    if (std::isfinite(stats.max_z())) observation.max_z = std::max(observation.max_z, stats.max_z());
  }
  return observation;
}

class Exploration {
 public:
  Exploration(Generator* generator, const ExploreOptions& options, const StopSignal& stop,
              const Progress& progress)
      : generator_(generator),
        options_(options),
        stop_(stop),
        progress_(progress),
        unit_(std::clamp(static_cast<size_t>(kRound) / (4 * static_cast<size_t>(options.oracles)),
                         kFewestInUnit, kMostInUnit)),
        judge_(WithoutDiagnosis(options.judge)),
        start_(Clock::now()) {}

  absl::StatusOr<ExploreResult> Run(baselines::OraclePool* oracle,
                                    std::vector<std::unique_ptr<loader::Worker>> workers) {
    std::vector<std::thread> threads;
    threads.reserve(workers.size());
    for (std::unique_ptr<loader::Worker>& worker : workers) {
      threads.emplace_back([this, owned = std::move(worker)] { Work(owned.get()); });
    }
    absl::Status status = RunRounds(oracle);
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads) thread.join();
    if (!status.ok()) return status;
    result_.seconds = Seconds();
    std::sort(result_.failures.begin(), result_.failures.end(),
              [](const FailedCall& a, const FailedCall& b) { return a.call.number < b.call.number; });
    return std::move(result_);
  }

 private:
  static agent::CaseJudgeOptions WithoutDiagnosis(agent::CaseJudgeOptions options) {
    options.diagnose = false;
    return options;
  }
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  bool HasEnded() {
    const std::lock_guard lock(mutex_);
    if (result_.stop_signal == 0) result_.stop_signal = stop_.Take();
    if (result_.stop_signal != 0 || !result_.unloadable.ok()) return true;
    if (options_.stop_on_first && !result_.failures.empty()) return true;
    return options_.time.count() > 0 && Seconds() >= options_.time.count();
  }

  absl::Status RunRounds(baselines::OraclePool* oracle) {
    int64_t drawn = 0;
    while (!HasEnded()) {
      const int64_t left = options_.most_calls > 0 ? options_.most_calls - drawn : kRound;
      Round& round =
          rounds_.emplace_back(generator_->Next(static_cast<int>(std::min<int64_t>(kRound, left))));
      if (round.calls.empty()) break;
      drawn += static_cast<int64_t>(round.calls.size());
      RETURN_IF_ERROR(Compute(&round, oracle));
      if (rounds_.size() > 1) LearnFromFirst();
    }
    while (!rounds_.empty()) LearnFromFirst();
    return absl::OkStatus();
  }

  // Computes the references of a round and hands each call to the workers as soon as it has them.
  absl::Status Compute(Round* round, baselines::OraclePool* oracle) {
    for (size_t begin = 0; begin < round->calls.size() && !HasEnded(); begin += unit_) {
      std::vector<v1::Case> unit;
      for (size_t i = begin; i < std::min(begin + unit_, round->calls.size()); ++i) {
        unit.push_back(round->calls[i].c);
      }
      const absl::Status status = oracle->Compute(
          std::move(unit), [this, round, begin](size_t place, absl::StatusOr<baselines::Baseline> baseline) {
            Accept(round, begin + place, std::move(baseline));
          });
      if (!status.ok()) return status;
    }
    return oracle->Wait();
  }

  void Accept(Round* round, size_t place, absl::StatusOr<baselines::Baseline> baseline) {
    const std::lock_guard lock(mutex_);
    Part& part = round->parts[round->part_of[place]];
    if (baseline.ok()) {
      part.ready.emplace_back(place, *std::move(baseline));
    } else {
      const Call& call = round->calls[place];
      result_.unreferenced[call.c.id()] =
          absl::StrCat(baseline.status().message(), " (", call.point.reveals(), ")");
    }
    if (++part.accepted < part.calls || part.ready.empty()) return;
    std::sort(part.ready.begin(), part.ready.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    round->pending += part.ready.size();
    ready_.push_back(Ready{round, std::move(part.ready)});
    changed_.notify_all();
  }

  // A wait without a limit needs a libstdc++ that is newer than a bundle promises.
  template <typename Condition>
  void Await(std::unique_lock<std::mutex>* lock, Condition condition) {
    while (!changed_.wait_for(*lock, std::chrono::hours(1), condition)) {
    }
  }

  // Waits until the first round is judged, and drops it.
  void LearnFromFirst() {
    std::unique_lock lock(mutex_);
    const Round& round = rounds_.front();
    Await(&lock, [&round] { return round.pending == 0; });
    for (size_t i = 0; i < round.calls.size(); ++i) {
      if (round.seen[i].has_value()) generator_->Learn(round.calls[i], *round.seen[i]);
    }
    rounds_.pop_front();
    result_.seconds = Seconds();
    progress_(result_);
  }

  std::optional<Ready> Take() {
    std::unique_lock lock(mutex_);
    Await(&lock, [this] { return closed_ || !ready_.empty(); });
    if (ready_.empty()) return std::nullopt;
    Ready ready = std::move(ready_.front());
    ready_.pop_front();
    return ready;
  }

  void Work(loader::Worker* worker) {
    Earlier earlier(generator_->functions());
    while (std::optional<Ready> ready = Take()) {
      for (size_t i = 0; i < ready->calls.size(); ++i) MakeCall(worker, &*ready, i, &earlier);
    }
  }

  void MakeCall(loader::Worker* worker, Ready* ready, size_t i, Earlier* earlier) {
    const auto is_beside = [&](size_t at) {
      return at > 0 && at < ready->calls.size() && ready->round->calls[ready->calls[at].first].beside;
    };
    auto& [place, baseline] = ready->calls[i];
    const Call& call = ready->round->calls[place];
    FailedCall made{call, {}, earlier->Of(call.c.function()), is_beside(i)};
    const absl::StatusOr<v1::Verdict> verdict =
        CallAndJudge(worker, &baseline, is_beside(i + 1), made.beside);
    earlier->Add(worker->pid(), call);
    const std::lock_guard lock(mutex_);
    --ready->round->pending;
    if (verdict.ok()) {
      made.verdict = *verdict;
      ready->round->seen[place] = Observe(made.verdict);
      Record(std::move(made));
    } else {
      result_.unloadable.Update(verdict.status());
    }
    changed_.notify_all();
  }

  // FailedPrecondition: no process can load the library any more.
  absl::StatusOr<v1::Verdict> CallAndJudge(loader::Worker* worker, baselines::Baseline* baseline, bool keep,
                                           bool beside) {
    const auto lost = [&](const absl::Status& status) {
      return agent::HarnessError(baseline->c, "not_called", std::string(status.message()));
    };
    absl::StatusOr<loader::CallOptions> call = judge_.Prepare(baseline->c, &baseline->inputs);
    if (!call.ok()) return lost(call.status());
    call->keep = keep;
    call->beside = beside;
    absl::Status submitted = worker->Submit(baseline->c, baseline->inputs, *call);
    if (absl::IsFailedPrecondition(submitted)) return submitted;
    if (!submitted.ok()) return lost(submitted);
    const loader::CallOutcome outcome = worker->Wait();
    return judge_.Judge(baseline->c, baseline->inputs, baseline->references, outcome, call->adaptor);
  }

  void Record(FailedCall made) {
    const Call& call = made.call;
    ++result_.calls;
    ++result_.outcomes[made.verdict.outcome()];
    ++result_.calls_of[call.c.function()];
    for (const v1::OutputStats& stats : made.verdict.outputs()) {
      if (IsFloating(stats.dtype())) result_.elements += static_cast<double>(stats.elements());
    }
    for (const v1::Judge& judge : call.c.judges()) {
      if (judge.kind() == v1::Judge::RANDOM) ++result_.random_outputs;
    }
    if (IsListed(made.verdict.outcome())) result_.failures.push_back(std::move(made));
  }

  Generator* const generator_;
  const ExploreOptions options_;
  const StopSignal& stop_;
  const Progress& progress_;
  const size_t unit_;
  agent::CaseJudge judge_;
  const Clock::time_point start_;
  std::deque<Round> rounds_;  // of which only the last two are not judged; outlives the threads
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Ready> ready_;  // guarded by mutex_, like all below and the rounds' `seen` and `pending`
  bool closed_ = false;
  ExploreResult result_;
};

}  // namespace

double ExploreResult::ExpectedFalseAlarms() const {
  return elements * kFalseAlarmsPerElement + random_outputs * kFalseAlarmsPerRandomOutput;
}

absl::StatusOr<ExploreResult> Explore(Generator* generator, const ExploreOptions& options,
                                      baselines::OraclePool* oracle,
                                      std::vector<std::unique_ptr<loader::Worker>> workers,
                                      const StopSignal& stop, const Progress& progress) {
  return Exploration(generator, options, stop, progress).Run(oracle, std::move(workers));
}

}  // namespace diopi::explore
