#include "client/agent/tested_library.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cases/base/host_name.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "client/agent/devices.h"
#include "client/agent/machine.h"
#include "client/setup/modes.h"
#include "client/setup/paths.h"

namespace diopi::agent {
namespace {

constexpr int64_t kKeptPart = 8;  // of the memory that is free, all workers keep one part between two cases

int64_t CountWorkers(const AgentOptions& options) {
  const auto devices = static_cast<int64_t>(options.devices.size());
  return std::max<int64_t>(1, devices > 0 ? devices : options.workers);
}

}  // namespace

absl::StatusOr<LibraryFacts> InspectTested(const AgentOptions& options) {
  absl::StatusOr<LibraryFacts> facts = InspectOperators(options.impl_path);
  if (!facts.ok()) {
    // A damaged library is the user's file, not our fault.
    if (absl::IsDataLoss(facts.status())) return absl::InvalidArgumentError(facts.status().message());
    return facts.status();
  }
  if (!options.require_sha256.empty() && absl::AsciiStrToLower(options.require_sha256) != facts->sha256) {
    return absl::InvalidArgumentError(absl::StrCat(
        facts->path, " is not the library that --require-sha256 asks for: its SHA-256 is ", facts->sha256));
  }
  ThisMachine();  // which DescribeRun needs when the library has been loaded
  if (options.device_lib.empty()) return facts;
  RETURN_IF_ERROR(InspectLibrary(options.device_lib).status());
  return facts;
}

loader::WorkerOptions MakeWorkerOptions(const AgentOptions& options, const LibraryFacts& facts,
                                        double timeout_s, int device) {
  loader::WorkerOptions worker;
  worker.worker_program = options.worker_program;
  worker.impl_path = facts.path;
  worker.device_lib = options.device_lib;
  worker.impl_identity = facts.identity;
  worker.sandbox = options.sandbox;
  worker.hidden = HiddenFromLibraries(options.data_folder, options.credentials);
  worker.memory_bytes = options.worker_memory;
  worker.case_timeout = std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1000));
  worker.kept_bytes = std::max(worker.kept_bytes, FreeMemory() / kKeptPart / CountWorkers(options));
  worker.environment = options.environment;
  if (device >= 0) {
    const std::vector<std::string> variables = DeviceEnvironment(device, options.device_env);
    worker.environment.insert(worker.environment.end(), variables.begin(), variables.end());
  }
  return worker;
}

std::string FitToDevice(const AgentOptions& options, const LibraryFacts& facts,
                        SelectionArguments* arguments) {
  arguments->max_tensor_bytes = TensorBytesForFreeMemory(FreeMemory());
  loader::WorkerOptions worker =
      MakeWorkerOptions(options, facts, options.timeout_s, options.devices.empty() ? -1 : options.devices[0]);
  worker.device_bytes = static_cast<uint64_t>(arguments->max_tensor_bytes * kTensorsInMemory);
  const absl::StatusOr<std::unique_ptr<loader::Worker>> asked = loader::Worker::Start(worker);
  // Load errors are ignored here; starting the first worker reports them.
  const v1::WorkerHello hello = asked.ok() ? (*asked)->hello() : v1::WorkerHello();
  const bool smaller = hello.device_memory() && hello.device_room() < worker.device_bytes;
  if (smaller)
    arguments->max_tensor_bytes = TensorBytesForFreeMemory(static_cast<int64_t>(hello.device_room()));
  return absl::StrCat("--max-bytes auto: tensors of at most ", arguments->max_tensor_bytes >> 20, " MiB, ",
                      kTensorsInMemory, " of which fit into the memory of ",
                      smaller ? "the device" : "this machine",
                      hello.device_memory() && !smaller ? " and of the device" : "");
}

CaseJudgeOptions MakeJudgeOptions(const AgentOptions& options, const baselines::CompareOptions& compare,
                                  int calls) {
  CaseJudgeOptions judge;
  judge.calls = calls;
  judge.compare = compare;
  judge.reference_library = DefaultReferenceLibrary();
  judge.profile = &options.profile;
  judge.adaptor = &options.adaptor;
  return judge;
}

v1::RunOptions DescribeRun(const AgentOptions& options, const LibraryFacts& facts,
                           const v1::WorkerHello& hello, const v1::Selection& selection,
                           const baselines::DeclaredContracts& contracts) {
  v1::RunOptions run;
  run.set_chip(options.chip);
  run.set_impl_path(facts.path);
  run.set_impl_sha256(facts.sha256);
  run.set_vendor_name(PrintableLine(hello.vendor_name(), kMostName));
  run.set_impl_version(PrintableLine(hello.impl_version(), kMostName));
  run.set_dialect(hello.dialect());
  *run.mutable_sandboxed() = hello.sandbox();
  run.set_agent_version(DIOPI_VERSION);
  run.set_host(HostName());
  *run.mutable_machine() = ThisMachine().get();
  *run.mutable_selection() = selection;
  run.set_shuffle_seed(options.shuffle);
  run.set_repeat(options.repeat);
  run.set_timeout_s(options.timeout_s);
  run.set_shard_index(options.shard_index);
  run.set_shard_count(options.shard_count);
  for (const std::string& contract : contracts.Texts()) run.add_contracts(contract);
  for (const std::string& function : facts.implemented) run.add_implemented(function);
  run.mutable_labels()->insert(options.labels.begin(), options.labels.end());
  if (!options.profile_path.empty() || !options.adaptor.empty()) {
    *run.mutable_profile() = MakeRunProfile(options);
  }
  *run.mutable_command() = MakeRunCommand(options);
  return run;
}

v1::RunProfile MakeRunProfile(const AgentOptions& options) {
  v1::RunProfile profile = options.profile.ForRun();
  for (v1::Finding& rule : options.adaptor.Rules()) *profile.add_rules() = std::move(rule);
  return profile;
}

v1::RunCommand MakeRunCommand(const AgentOptions& options) {
  v1::RunCommand command;
  command.set_profile_path(AbsolutePath(options.profile_path));
  command.set_device_lib(AbsolutePath(options.device_lib));
  command.set_four_bytes(options.modes.four_bytes);
  command.set_nhwc(options.modes.nhwc);
  if (options.modes.nhwc) command.set_nhwc_min_dim(options.modes.nhwc_min_dim);
  if (options.sandbox != "default") command.set_sandbox_level(options.sandbox);
  command.set_worker_memory(options.worker_memory);
  return command;
}

}  // namespace diopi::agent
