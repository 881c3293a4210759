#include "client/cli/case_call.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "client/cli/command.h"
#include "client/setup/library_facts.h"
#include "client/setup/paths.h"
#include "client/setup/profile_options.h"
#include "reports/render/render.h"

namespace diopi::cli {
namespace {

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

}  // namespace

void AddCaseCallOptions(CLI::App* app, const std::string& default_timeout, CaseCallOptions* options) {
  app->add_option("case", options->case_id, "Case id")->required();
  AddImplOption(app, &options->impl)->required();
  AddDeviceLibOption(app, &options->device_lib);
  AddCasesOption(app, &options->cases_folder);
  AddDataOption(app, &options->data);
  agent::AddProfileOption(app, &options->profile_path);
  AddContractOption(app, &options->contracts);
  Heading(kCallsHeading, app);
  agent::AddModeFlags(app, &options->modes);
  agent::AddWorkerFlags(app, &options->sandbox, &options->worker_memory);
  app->add_option("--timeout-s", options->timeout_s,
                  absl::StrCat("Seconds the case may take (default: ", default_timeout, ")"))
      ->check(CLI::Range(0.001, 86400.0));
  app->add_option("--repeat", options->repeat,
                  "How often to call the case; the results are compared (default: 2)")
      ->check(CLI::Range(2, 100'000));
  AddWorkerProgramOption(app, &options->worker_program);
  Heading(kResultsHeading, app);
}

absl::StatusOr<std::unique_ptr<CaseCall>> CaseCall::Make(const CaseCallOptions& options, bool diagnose) {
  std::unique_ptr<CaseCall> call(new CaseCall(options));
  RETURN_IF_ERROR(call->Prepare(diagnose));
  return call;
}

absl::Status CaseCall::Prepare(bool diagnose) {
  absl::StatusOr<profile::AppliedProfile> profile = agent::LoadProfile(options_.profile_path);
  if (!profile.ok()) return profile.status();
  profile_ = *std::move(profile);
  const v1::DeviceProfile& rules = profile_.rules();
  std::vector<std::string> names = options_.contracts;
  names.insert(names.end(), rules.contract().begin(), rules.contract().end());
  ASSIGN_OR_RETURN(contracts_, baselines::ParseContracts(names));
  ASSIGN_OR_RETURN(adaptor_, agent::MakeAdaptor(profile_, options_.modes));
  ASSIGN_OR_RETURN(const agent::LibraryFacts facts, agent::InspectLibrary(options_.impl));
  impl_path_ = facts.path;
  agent::CaseJudgeOptions judge;
  judge.calls = options_.repeat;
  judge.compare.contracts = contracts_;
  judge.reference_library = agent::DefaultReferenceLibrary();
  judge.diagnose = diagnose;
  judge.adaptor = &adaptor_;
  judge.profile = &profile_;
  judge_ = std::make_unique<agent::CaseJudge>(judge);
  return absl::OkStatus();
}

loader::WorkerOptions CaseCall::MakeWorkerOptions() const {
  loader::WorkerOptions worker;
  worker.worker_program = options_.worker_program;
  worker.impl_path = impl_path_;
  worker.device_lib = options_.device_lib;
  worker.environment = agent::EnvironmentOf(profile_);
  worker.sandbox = options_.sandbox;
  worker.hidden = agent::HiddenFromLibraries(options_.data, {});
  worker.memory_bytes = options_.worker_memory;
  const double seconds = options_.timeout_s > 0 ? options_.timeout_s : profile_.rules().timeout_s();
  if (seconds > 0) worker.case_timeout = Milliseconds(seconds);
  return worker;
}

std::string CaseCall::RepeatCommand(const v1::Verdict& verdict, const std::string& cases_folder) const {
  v1::RunOptions run;
  run.set_impl_path(impl_path_);
  run.set_repeat(options_.repeat);
  run.set_timeout_s(options_.timeout_s);
  for (const std::string& contract : contracts_.Texts()) run.add_contracts(contract);
  v1::RunCommand& command = *run.mutable_command();
  command.set_device_lib(agent::AbsolutePath(options_.device_lib));
  command.set_cases_folder(agent::AbsolutePath(cases_folder));
  command.set_profile_path(agent::AbsolutePath(options_.profile_path));
  command.set_four_bytes(options_.modes.four_bytes);
  command.set_nhwc(options_.modes.nhwc);
  command.set_nhwc_min_dim(options_.modes.nhwc_min_dim);
  if (options_.sandbox != "default") command.set_sandbox_level(options_.sandbox);
  command.set_worker_memory(options_.worker_memory);
  return reports::LocalReproCommand(run, verdict, agent::AbsolutePath(options_.data));
}

}  // namespace diopi::cli
