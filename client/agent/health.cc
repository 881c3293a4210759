#include "client/agent/health.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "baselines/compare/contract.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "client/agent/tested_library.h"
#include "client/judge/case_judge.h"
#include "client/rpc/agents_client.h"
#include "client/setup/library_facts.h"
#include "client/setup/paths.h"
#include "impl_loader/worker/worker.h"

namespace diopi::agent {
namespace {

// A case of a few elements that takes longer means that the device does not answer.
constexpr std::chrono::seconds kCaseLimit{10};
constexpr int kCalls = 2;

TensorMap TensorsOf(const google::protobuf::RepeatedPtrField<v1::TensorChunk>& chunks) {
  TensorMap tensors;
  for (const v1::TensorChunk& chunk : chunks) {
    tensors[chunk.key()] = {chunk.dtype(), {chunk.shape().begin(), chunk.shape().end()}, chunk.data()};
  }
  return tensors;
}

v1::AgentHealth Health(bool ok, const v1::Finding& found) {
  v1::AgentHealth health;
  health.set_ok(ok);
  *health.mutable_found() = found;
  health.set_text(PrintableText(FindingText(found)));
  return health;
}

v1::AgentHealth Unhealthy(const absl::Status& status, v1::Finding::Code code = v1::Finding::SAID) {
  return Health(false, Found(code).Said(PrintableText(std::string(status.message()))));
}

// Healthy does not mean correct: finding wrong results is a run's task.
bool Returned(const loader::CallOutcome& outcome) {
  return outcome.kind == loader::CallOutcome::Kind::kReplied &&
         (outcome.reply.status() == v1::WorkerReply::RETURNED ||
          outcome.reply.status() == v1::WorkerReply::EXCEPTION);
}

v1::AgentHealth RunHealthCase(const AgentOptions& options, const LibraryFacts& facts,
                              loader::Worker* worker) {
  const absl::StatusOr<std::unique_ptr<rpc::AgentsClient>> client =
      rpc::AgentsClient::Make(options.server, options.credentials, {});
  if (!client.ok()) return Unhealthy(client.status());
  const absl::StatusOr<v1::HealthCaseResponse> known = (*client)->HealthCase();
  if (!known.ok()) {
    const std::string why = PrintableText(std::string(known.status().message()));
    return Health(true, Found(v1::Finding::HEALTH_LOADS).Said(why));
  }
  const v1::Case& c = known->case_();
  if (!facts.implemented.contains(c.function())) {
    return Health(true, Found(v1::Finding::HEALTH_LOADS).Name(c.function()));
  }
  if (!known->unavailable().empty()) {
    return Health(true, Found(v1::Finding::HEALTH_LOADS).Said(known->unavailable()));
  }
  TensorMap inputs = TensorsOf(known->inputs());
  const TensorMap references = TensorsOf(known->references());
  const absl::StatusOr<baselines::DeclaredContracts> contracts = baselines::ParseContracts(options.contracts);
  if (!contracts.ok()) return Unhealthy(contracts.status());
  CaseJudgeOptions judging;
  judging.calls = kCalls;
  judging.compare.contracts = *contracts;
  judging.reference_library = DefaultReferenceLibrary();
  judging.adaptor = &options.adaptor;
  judging.profile = &options.profile;
  CaseJudge judge(judging);
  if (const std::optional<v1::Finding> skipped = judge.SkipReason(c); skipped.has_value()) {
    return Health(true, Found(v1::Finding::HEALTH_LOADS).Got(c.id()).Part(*skipped));
  }
  absl::StatusOr<loader::CallOptions> call = judge.Prepare(c, &inputs);
  if (!call.ok()) return Unhealthy(call.status());
  call->timeout = std::min(call->timeout, std::chrono::milliseconds(kCaseLimit));  // 0: the worker's own
  const absl::Status submitted = worker->Submit(c, inputs, *call);
  if (!submitted.ok()) return Unhealthy(submitted);
  const loader::CallOutcome outcome = worker->Wait();
  const v1::Verdict verdict = judge.Judge(c, inputs, references, outcome, call->adaptor);
  if (verdict.outcome() == v1::OUTCOME_PASS) {
    const bool adapted = !call->adaptor.conversion().empty();
    return Health(true, Found(v1::Finding::HEALTH_PASSES).Name(c.id()).Exact(adapted));
  }
  const bool returns = Returned(outcome);
  return Health(returns, Found(returns ? v1::Finding::HEALTH_RETURNS : v1::Finding::HEALTH_FAILS)
                             .Name(c.id())
                             .Got(OutcomeName(verdict.outcome()))
                             .Parts(verdict.findings()));
}

}  // namespace

v1::ServeRequest CheckHealth(const AgentOptions& options) {
  v1::ServeRequest result;
  v1::AgentFacts& facts = *result.mutable_facts();
  facts.set_impl_path(options.impl_path);
  const absl::StatusOr<LibraryFacts> library = InspectOperators(options.impl_path);
  if (!library.ok()) {
    *result.mutable_health() = Unhealthy(library.status());
    return result;
  }
  facts.set_impl_path(library->path);
  facts.set_impl_sha256(library->sha256);
  loader::WorkerOptions worker_options;
  worker_options.worker_program = options.worker_program;
  worker_options.impl_path = library->path;
  worker_options.device_lib = options.device_lib;
  worker_options.environment = options.environment;
  worker_options.sandbox = options.sandbox;
  worker_options.hidden = HiddenFromLibraries(options.data_folder, options.credentials);
  if (!options.cache_dir.empty()) worker_options.hidden.push_back(AbsolutePath(options.cache_dir));
  worker_options.memory_bytes = options.worker_memory;
  worker_options.case_timeout =
      std::min(std::chrono::milliseconds(static_cast<int64_t>(options.timeout_s * 1000)),
               std::chrono::milliseconds(kCaseLimit));
  const absl::StatusOr<std::unique_ptr<loader::Worker>> worker = loader::Worker::Start(worker_options);
  if (!worker.ok()) {
    *result.mutable_health() = Unhealthy(worker.status(), v1::Finding::HEALTH_UNLOADABLE);
    return result;
  }
  facts.set_vendor_name(PrintableLine((*worker)->hello().vendor_name(), kMostName));
  facts.set_impl_version(PrintableLine((*worker)->hello().impl_version(), kMostName));
  facts.set_dialect((*worker)->hello().dialect());
  *result.mutable_health() = RunHealthCase(options, *library, worker->get());
  return result;
}

}  // namespace diopi::agent
