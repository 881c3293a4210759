// References are made once for each operator and seed and shared by all bugs and variants that concern it.
// Each of these runs in a worker of its own, whose environment switches it on, so that nothing passes from
// one to another. Threads take them from a counter; visits are serialized, so visitors need no lock.
#include "client/proof/trial.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "baselines/compare/compare.h"
#include "baselines/compare/contract.h"
#include "baselines/compare/judging.h"
#include "baselines/diagnose/native16.h"
#include "baselines/generate/generate.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "client/judge/case_judge.h"
#include "client/judge/verdict_builder.h"
#include "client/setup/paths.h"
#include "impl_loader/caller/in_process.h"
#include "impl_loader/worker/worker.h"

namespace diopi::proof {
namespace {

using baselines::Baseline;
using loader::CallOutcome;

constexpr int32_t kNoImplement = 13;

bool PublicRuleFails(const CallOutcome& outcome, const std::optional<v1::Verdict>& numbers) {
  if (outcome.kind != CallOutcome::Kind::kReplied)
    return true;  // the public harness's run would die or never end
  if (!numbers.has_value()) return outcome.reply.error_code() != kNoImplement;
  return std::any_of(numbers->outputs().begin(), numbers->outputs().end(), [](const v1::OutputStats& stats) {
    return !stats.public_pass() || stats.gates() == "S";  // it does check shape and dtype
  });
}

// The agent's own judge, which looks for the cause.
agent::CaseJudgeOptions ExplainingJudge(const TrialOptions& options,
                                        const baselines::CompareOptions& compare) {
  agent::CaseJudgeOptions judge;
  judge.compare = compare;
  judge.reference_library = options.reference_library;
  judge.replay.max_operations = std::numeric_limits<double>::infinity();
  return judge;
}

class Trials {
 public:
  Trials(const TrialOptions& options, const std::function<void(const Trial&)>& visit)
      : options_(options),
        visit_(visit),
        native16_(agent::Native16LibraryBeside(options.reference_library)) {}

  absl::Status Run() {
    ASSIGN_OR_RETURN(reference_, loader::InProcessLibrary::Open(options_.reference_library));
    ASSIGN_OR_RETURN(const auto catalog, cases::Catalog::LoadBuiltin());
    ASSIGN_OR_RETURN(std::vector<v1::Case> cases, catalog->Select(options_.selection));
    std::set<std::string> functions;
    for (const Injected& injected : options_.injected) {
      functions.insert(injected.functions.begin(), injected.functions.end());
    }
    std::map<std::string, std::vector<v1::Case>> by_operator;
    std::map<std::string, int> seen;
    for (v1::Case& c : cases) {
      if (functions.count(c.function()) == 0 || seen[c.operator_()]++ % options_.every != 0) continue;
      by_operator[c.operator_()].push_back(std::move(c));
    }
    for (const auto& [name, operator_cases] : by_operator) {
      for (int seed = 0; seed < options_.seeds; ++seed) {
        RETURN_IF_ERROR(RunOperator(operator_cases, seed));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status RunOperator(const std::vector<v1::Case>& cases, int seed) {
    std::vector<Baseline> baselines;
    std::set<std::string> functions;
    for (const v1::Case& c : cases) {
      absl::StatusOr<Baseline> baseline = baselines::GenerateCase(*reference_, Reseeded(c, seed));
      if (!baseline.ok()) {
        return absl::Status(baseline.status().code(),
                            absl::StrCat(c.id(), ": ", std::string(baseline.status().message())));
      }
      functions.insert(c.function());
      baselines.push_back(*std::move(baseline));
    }
    std::vector<size_t> concerned;
    for (size_t i = 0; i < options_.injected.size(); ++i) {
      const std::set<std::string>& own = options_.injected[i].functions;
      if (std::any_of(own.begin(), own.end(), [&](const std::string& f) { return functions.count(f) != 0; }))
        concerned.push_back(i);
    }
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = next++; i < concerned.size(); i = next++) {
        RunInjected(concerned[i], seed, baselines);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < options_.threads; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    return status_;
  }

  void JudgeTrial(const Baseline& baseline, const CallOutcome& outcome,
                  const baselines::CompareOptions& options, Trial* trial) {
    const v1::WorkerReply& reply = outcome.reply;
    std::optional<v1::Verdict> numbers;
    if (outcome.kind == CallOutcome::Kind::kReplied && reply.status() == v1::WorkerReply::RETURNED &&
        reply.error_code() == 0) {
      const bool native16 = options.contracts.For(baseline.c).native16;
      numbers = baselines::CompareCase(
          baselines::WithoutJudging(baseline.c, reply.unwritten()), baseline.inputs,
          native16 ? native16_.AddTo(baseline.c, baseline.inputs, baseline.references) : baseline.references,
          outcome.outputs, options);
    }
    trial->verdict = agent::BuildVerdict(
        baseline.c, outcome, [&numbers](const TensorMap&) { return *numbers; }, baseline.inputs);
    trial->public_rule_fails = PublicRuleFails(outcome, numbers);
  }

  void RunInjected(size_t index, int seed, const std::vector<Baseline>& baselines) {
    const Injected& injected = options_.injected[index];
    const absl::StatusOr<baselines::DeclaredContracts> contracts =
        baselines::ParseContracts(options_.declare ? injected.contracts : std::vector<std::string>());
    if (!contracts.ok()) return Fail(contracts.status());
    loader::WorkerOptions worker_options;
    worker_options.impl_path = options_.library;
    worker_options.case_timeout = options_.case_timeout;
    worker_options.environment = {absl::StrCat(options_.switch_variable, "=", injected.name)};
    worker_options.log_path = "/dev/null";
    const auto worker = loader::Worker::Start(worker_options);
    if (!worker.ok()) return Fail(worker.status());
    baselines::CompareOptions compare;
    compare.contracts = *contracts;
    agent::CaseJudge judge(ExplainingJudge(options_, compare));
    for (const Baseline& baseline : baselines) {
      if (injected.functions.count(baseline.c.function()) == 0) continue;
      const absl::Status submitted = (*worker)->Submit(baseline.c, baseline.inputs, 2);
      if (!submitted.ok()) return Fail(submitted);
      const CallOutcome outcome = (*worker)->Wait();
      Trial trial;
      trial.injected = index;
      trial.seed = seed;
      if (options_.explain) {
        trial.verdict = judge.Judge(baseline.c, baseline.inputs, baseline.references, outcome, {});
      } else {
        JudgeTrial(baseline, outcome, compare, &trial);
      }
      const std::lock_guard lock(mutex_);
      visit_(trial);
    }
  }

  void Fail(const absl::Status& status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
  }

  const TrialOptions& options_;
  const std::function<void(const Trial&)>& visit_;
  baselines::Native16 native16_;
  std::unique_ptr<loader::InProcessLibrary> reference_;
  std::mutex mutex_;
  absl::Status status_;
};

}  // namespace

absl::Status RunTrials(const TrialOptions& options, const std::function<void(const Trial&)>& visit) {
  return Trials(options, visit).Run();
}

std::string GatesOf(const v1::Verdict& verdict) {
  switch (verdict.outcome()) {
    case v1::OUTCOME_PASS:
    case v1::OUTCOME_NOT_IMPLEMENTED:
    case v1::OUTCOME_UNSUPPORTED_DTYPE:
      return "";
    case v1::OUTCOME_CRASH:
    case v1::OUTCOME_TIMEOUT:
    case v1::OUTCOME_MEMORY:
      return "S";
    case v1::OUTCOME_NONDETERMINISTIC:
      return "D";
    case v1::OUTCOME_FAIL:
      break;
    default:
      return "error";
  }
  std::vector<std::string> gates;
  for (const v1::OutputStats& stats : verdict.outputs()) {
    if (stats.ok()) continue;
    for (const auto& gate : absl::StrSplit(stats.gates(), ',')) {
      if (std::find(gates.begin(), gates.end(), gate) == gates.end()) gates.emplace_back(gate);
    }
  }
  return gates.empty() ? "S" : absl::StrJoin(gates, ",");  // a missing output
}

v1::Case Reseeded(const v1::Case& c, int seed) {
  v1::Case reseeded = c;
  if (seed == 0) return reseeded;
  // The generator is keyed by the label, among others (cases/fill/fill.h).
  reseeded.set_label(absl::StrCat(c.label(), "#", seed));
  for (v1::Argument& argument : *reseeded.mutable_args()) {
    if (argument.has_generator()) {
      argument.mutable_generator()->set_seed(argument.generator().seed() + static_cast<uint64_t>(seed));
    }
  }
  for (v1::Case& producer : *reseeded.mutable_producers()) producer = Reseeded(producer, seed);
  return reseeded;
}

}  // namespace diopi::proof
