// diopi-cli gen: makes baselines with a reference library. A lock on the data folder admits one writer at a
// time. The device's library is started once before the oracle's minutes of work, so that a wrong path or a
// missing device is reported at once. The oracle comes first, because a device's outputs are judged by it.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/contract.h"
#include "baselines/generate/device_reference.h"
#include "baselines/generate/generate.h"
#include "cases/base/process_pool.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "client/cli/baselines_lock.h"
#include "client/cli/command.h"
#include "client/cli/selection.h"
#include "client/command_line/command_line.h"
#include "client/setup/library_facts.h"
#include "client/setup/paths.h"
#include "client/setup/profile_options.h"
#include "impl_loader/worker/worker.h"

namespace diopi::cli {
namespace {

class GenCommand final : public Command {
 public:
  std::string name() const override { return "gen"; }
  std::string description() const override {
    return "Generates baselines: inputs and the reference's results";
  }
  std::string examples() const override {
    return "  diopi-cli gen --fname add 'conv*'         one operator and a group of them\n"
           "  diopi-cli gen --suite smoke --data DIR    a sixth of all cases, into a data folder\n"
           "  diopi-cli gen --reference cuda            an NVIDIA GPU's outputs beside the oracle's\n";
  }
  void AddOptions(CLI::App* app) override {
    Heading(kCasesHeading, app);
    agent::AddSelectionOptions(app, &selection_);
    AddCasesOption(app, &selection_.cases_folder);
    Heading("Baselines", app);
    AddDataOption(app, &data_);
    app->add_option("--reference", reference_,
                    "cpu: the oracle; cuda: the oracle, and in addition the outputs of libdiopi_cuda.so on "
                    "this machine's NVIDIA GPU")
        ->check(CLI::IsMember({"cpu", "cuda"}));
    AddLibraryOption(app, &library_);
    app->add_option("--jobs", jobs_,
                    "Operators in parallel (default: one per processor, with 2 GiB of memory for each)")
        ->check(CLI::Range(1, 256));
    app->add_flag("--force", force_, "Also generate baselines that are up to date");
    app->add_flag("--quiet", quiet_, "Print the summary only");
    app->add_option("--lock-wait-s", lock_wait_s_,
                    "Seconds to wait for another diopi-cli gen in the same data folder")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    Heading("A device reference", app);
    app->add_option("--device-reference", device_library_,
                    "Library of a device reference: its outputs are stored beside the oracle's, and cases "
                    "that it fails are quarantined");
    AddDeviceLibOption(app, &device_functions_);
    AddContractOption(app, &contracts_);
    app->add_option("--timeout-s", timeout_s_, "Seconds a case may take on the device (default: 30)")
        ->check(CLI::Range(0.001, 86400.0));
    app->add_option("--workers", workers_, "Worker processes on the device (default: 1)")
        ->check(CLI::Range(1, 256));
    agent::AddWorkerFlags(app, &sandbox_, &worker_memory_);
    AddWorkerProgramOption(app, &worker_program_);
    ShowFirst({"--fname", "--suite", "--case", "--model", "--max-bytes", "--cases", "--data", "--reference",
               "--jobs", "--force", "--device-reference"},
              app);
  }

  ExitCode Run() override {
    const absl::StatusOr<std::optional<baselines::DeviceReferenceOptions>> device = MakeDeviceOptions();
    if (!device.ok()) return PrintError(device.status());
    const std::string data = data_;
    const absl::StatusOr<FileLock> lock = LockBaselines(data, lock_wait_s_);
    if (!lock.ok()) return PrintError(lock.status());
    const auto start = std::chrono::steady_clock::now();
    const absl::StatusOr<baselines::GenerateSummary> summary = baselines::Generate(
        [this](baselines::VisitCases visit) { return VisitCases(selection_, visit); }, MakeOptions());
    if (!summary.ok()) return PrintError(summary.status());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const ExitCode code = Conclude(*summary, seconds.count(), data);
    return device->has_value() ? AddDevice(**device, code) : code;
  }

 private:
  baselines::GenerateOptions MakeOptions() {
    baselines::GenerateOptions options;
    options.data_folder = data_;
    options.library_path = agent::ReferenceLibraryOr(library_);
    options.force = force_;
    options.jobs = jobs_;
    if (!quiet_) {
      options.progress = [](const std::string& op, int64_t written, int64_t cases) {
        std::cout << op << ": "
                  << (written == 0 ? absl::StrCat("up to date (", cases, " cases)\n")
                                   : absl::StrCat(written, " of ", cases, " cases written\n"))
                  << std::flush;
      };
    }
    return options;
  }

  absl::StatusOr<std::optional<baselines::DeviceReferenceOptions>> MakeDeviceOptions() {
    ASSIGN_OR_RETURN(const baselines::DeclaredContracts contracts, baselines::ParseContracts(contracts_));
    if (reference_ == "cuda") {
      RETURN_IF_ERROR(ChooseCuda());
    }
    if (device_library_.empty()) {
      if (contracts.any() || !device_functions_.empty()) {
        return absl::InvalidArgumentError("--contract and --device-lib need --device-reference");
      }
      return std::nullopt;
    }
    ASSIGN_OR_RETURN(const agent::LibraryFacts facts, agent::InspectLibrary(device_library_));
    baselines::DeviceReferenceOptions options;
    options.data_folder = data_;
    options.worker.impl_path = facts.path;
    options.worker.device_lib = device_functions_;
    options.worker.worker_program = worker_program_;
    options.worker.sandbox = sandbox_;
    options.worker.hidden = agent::HiddenFromLibraries(options.data_folder, {});
    options.worker.memory_bytes = worker_memory_;
    options.worker.case_timeout = std::chrono::milliseconds(static_cast<int64_t>(timeout_s_ * 1000));
    options.library_sha256 = facts.sha256;
    options.compare.contracts = contracts;
    options.force = force_;
    options.workers = workers_;
    // Check before minutes of the oracle's work that the library can be loaded and has a device here.
    ASSIGN_OR_RETURN(const std::unique_ptr<loader::Worker> worker, loader::Worker::Start(options.worker));
    return options;
  }

  absl::Status ChooseCuda() {
    if (!device_library_.empty()) {
      return absl::InvalidArgumentError(
          "--reference cuda already names the device's library: omit --device-reference");
    }
    device_library_ = agent::CudaReferenceLibrary();
    std::error_code error;
    if (std::filesystem::exists(device_library_, error)) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat("this build has no NVIDIA reference: there is no ",
                                                      device_library_,
                                                      " (it is built where the CUDA toolkit is found)"));
  }

  ExitCode AddDevice(const baselines::DeviceReferenceOptions& options, ExitCode code) const {
    const absl::StatusOr<std::vector<v1::Case>> cases = SelectCases(selection_);
    if (!cases.ok()) return PrintError(cases.status());
    const absl::StatusOr<baselines::DeviceReferenceSummary> summary =
        baselines::AddDeviceReference(*cases, options);
    if (!summary.ok()) return PrintError(summary.status());
    for (const std::string& text : summary->quarantined)
      std::cout << "quarantined: " << PrintableLine(text) << "\n";
    const std::vector<std::string> contracts = options.compare.contracts.Texts();
    std::cout << "Device reference " << PrintableLine(absl::StrCat(summary->vendor, " ", summary->version))
              << ", contracts " << (contracts.empty() ? "none" : absl::StrJoin(contracts, ",")) << ": "
              << summary->admitted << " cases admitted, " << summary->quarantined.size() << " quarantined, "
              << summary->without.size() << " not implemented by it; " << summary->run << " run now, "
              << summary->up_to_date << " up to date\n";
    return code;
  }

  static ExitCode Conclude(const baselines::GenerateSummary& summary, double seconds,
                           const std::string& data) {
    for (const std::string& failure : summary.failures) {
      std::cerr << "diopi-cli: no baseline for " << PrintableLine(failure) << "\n";
    }
    std::cout << absl::StrFormat(
        "Cases written: %d, in %.1f s; operators written: %d, up to date: %d; folder %s/baselines\n",
        summary.cases_written, seconds, summary.operators_written, summary.operators_up_to_date, data);
    return summary.failures.empty() ? ExitCode::kOk : ExitCode::kFailed;
  }

  agent::SelectionArguments selection_;
  std::string data_;
  std::string reference_ = "cpu";
  std::string library_;
  std::string device_library_;
  std::string device_functions_;
  std::vector<std::string> contracts_;
  double timeout_s_ = 30;
  std::string sandbox_ = "default";
  uint64_t worker_memory_ = 0;  // bytes; 0: no limit
  std::string worker_program_;
  int jobs_ = ProcessesFor(size_t{2} << 30);
  int workers_ = 1;
  bool force_ = false;
  bool quiet_ = false;
  double lock_wait_s_ = kLockWaitS;
};

}  // namespace

std::unique_ptr<Command> MakeGenCommand() {
  return std::make_unique<GenCommand>();
}

}  // namespace diopi::cli
