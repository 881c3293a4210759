// Repeat commands: for the terminal of the run's machine, where they are pasted in any folder, and for pages
// and reports, which are read elsewhere.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/text.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

// diopi-cli repro's own defaults.
constexpr double kTimeout = 30;
constexpr int kCalls = 2;
// With this many calls, a difference that one pair of calls in 20 shows is missed once in 150 times.
constexpr double kShowingCalls = 100;

// Runs without a host count as made here.
bool MadeHere(const v1::RunOptions& options) {
  std::array<char, 256> host{};
  return options.host().empty() ||
         (gethostname(host.data(), host.size() - 1) == 0 && options.host() == host.data());
}

// The diopi-cli beside this program; there is none beside a test program.
std::string Program() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = self.parent_path() / "diopi-cli";
  return !error && std::filesystem::exists(beside, error) ? beside.string() : "diopi-cli";
}

// Enough calls to show that equal calls differ, where that was the verdict and half the time limit is enough.
int Calls(const v1::RunOptions& options, const v1::Verdict& verdict) {
  if (verdict.outcome() != v1::OUTCOME_NONDETERMINISTIC) return options.repeat();
  const double seconds = (options.timeout_s() > 0 ? options.timeout_s() : kTimeout) / 2;
  const double possible = seconds * 1e6 / std::max(verdict.call_us(), 1.0);
  return std::max(options.repeat(), static_cast<int>(std::min(possible, kShowingCalls)));
}

// "explored" of "/srv/explored/".
std::string LastName(const std::string& path) {
  return std::filesystem::path(path.substr(0, path.find_last_not_of('/') + 1)).filename().string();
}

// `here`: with this machine's paths.
std::string Command(const v1::RunOptions& options, const v1::Verdict& verdict, const std::string& data_folder,
                    bool here) {
  const v1::RunCommand& run = options.command();
  std::string command =
      absl::StrCat(here ? ShellWord(Program()) : "diopi-cli", " repro ", ShellWord(verdict.case_id()));
  const auto add = [&command](const char* flag, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&command, " ", flag, " ", ShellWord(value));
  };
  const auto path = [here](const std::string& full) { return here ? full : LastName(full); };
  add("--impl", options.impl_path().empty() ? "LIBRARY" : path(options.impl_path()));
  add("--device-lib", path(run.device_lib()));
  if (here) add("--data", data_folder);
  add("--cases", path(run.cases_folder()));
  add("--profile", path(run.profile_path()));
  add("--contract", absl::StrJoin(options.contracts(), ","));
  if (run.four_bytes()) absl::StrAppend(&command, " --four-bytes");
  if (run.nhwc()) absl::StrAppend(&command, " --nhwc --nhwc-min-dim ", run.nhwc_min_dim());
  if (options.timeout_s() > 0 && options.timeout_s() != kTimeout)
    absl::StrAppend(&command, " --timeout-s ", options.timeout_s());
  const int calls = Calls(options, verdict);
  if (calls > kCalls) absl::StrAppend(&command, " --repeat ", calls);
  add("--sandbox", run.sandbox_level());
  if (run.worker_memory() > 0) absl::StrAppend(&command, " --worker-memory ", run.worker_memory());
  return command;
}

}  // namespace

std::string LibraryName(const v1::RunOptions& options) {
  return LastName(options.impl_path());
}

v1::RunInfo WithoutFolders(v1::RunInfo run) {
  v1::RunOptions& options = *run.mutable_options();
  options.set_impl_path(LibraryName(options));
  if (!options.has_command()) return run;
  v1::RunCommand& command = *options.mutable_command();
  command.set_device_lib(LastName(command.device_lib()));
  command.set_cases_folder(LastName(command.cases_folder()));
  command.set_profile_path(LastName(command.profile_path()));
  return run;
}

std::string LocalReproCommand(const v1::RunOptions& options, const v1::Verdict& verdict,
                              const std::string& data_folder) {
  return Command(options, verdict, data_folder, MadeHere(options));
}

std::string ReproCommand(const v1::RunOptions& options, const v1::Verdict& verdict) {
  return Command(options, verdict, "", false);
}

}  // namespace diopi::reports
