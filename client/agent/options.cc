// An option is decided by the command line, then by the profile, then by the default. The profile is read
// after the command line, so that counts of options tell what the user gave. CLI11 checks each value and
// simple exclusions; combinations that need a reason in words are checked in Complete and CheckExploration,
// whose messages name what to omit or add.
#include "client/agent/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "client/agent/devices.h"
#include "client/command_line/command_line.h"
#include "client/command_line/options.h"
#include "client/setup/credential_flags.h"
#include "client/setup/labels.h"
#include "client/setup/profile_options.h"
#include "server/store/chip_name.h"

namespace diopi::agent {
namespace {

constexpr char kExamples[] =
    "  diopi-agent --impl libdiopi_impl.so                              the whole suite\n"
    "  diopi-agent --impl libdiopi_impl.so --fname add 'conv*'          some operators\n"
    "  diopi-agent --impl libdiopi_impl.so --rerun-failed latest        what failed last time\n"
    "  diopi-agent --impl libdiopi_impl.so --fname add --watch          again whenever the file changes\n"
    "  diopi-agent --impl libdiopi_impl.so --profile chip.textproto     with a device profile\n"
    "  diopi-agent --impl libdiopi_impl.so --explore 10m                random calls, for ten minutes\n"
    "  diopi-agent --server HOST:7410 --chip NAME --impl libdiopi_impl.so --serve\n"
    "                                                                   wait for diopi-cli submit\n";

void AddLibraryOptions(CLI::App* app, AgentOptions* options) {
  Heading(kLibraryHeading, app);
  AddImplOption(app, &options->impl_path);
  AddDeviceLibOption(app, &options->device_lib);
  app->add_option("--require-sha256", options->require_sha256, "Accept only a library with this SHA-256")
      ->check([](const std::string& text) {
        const bool hex =
            text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
        return hex ? std::string() : std::string("expected 64 hex digits");
      });
  app->add_option("--chip", options->chip, "Name of the chip, stored with the run");
  AddProfileOption(app, &options->profile_path);
  AddContractOption(app, &options->contracts);
}

void AddCasesOptions(CLI::App* app, AgentOptions* options) {
  Heading(kCasesHeading, app);
  AddSelectionOptions(app, &options->selection);
  AddCasesOption(app, &options->selection.cases_folder);
  CLI::Option* functions = app->get_option("--fname");
  CLI::Option* changed =
      app->add_option("--changed-functions", options->changed_functions,
                      "Only the functions listed in this file, one per line (see diopi-cli changed)")
          ->excludes(functions);
  app->add_option("--changed-since", options->changed_since,
                  "Only functions whose code differs from that in this library (see diopi-cli changed)")
      ->excludes(functions)
      ->excludes(changed);
  app->add_option("--rerun-failed", options->rerun_failed,
                  "Only cases that failed in this run (an id, or latest), which is in --data or on --server")
      ->excludes(functions)
      ->excludes(changed)
      ->excludes(app->get_option("--case"));
  app->add_flag("--list-only", options->modes.list_only,
                "Print the ids of the cases that would run, and exit");
}

void AddCallOptions(CLI::App* app, AgentOptions* options) {
  Heading(kCallsHeading, app);
  AddModeFlags(app, &options->modes);
  app->add_option("--repeat", options->repeat,
                  "Number of calls per case; their results are compared (default: 2, and up to 16 for every "
                  "eighth case)")
      ->check(CLI::Range(1, 100'000));
  app->add_option("--timeout-s", options->timeout_s, "Seconds a case may take (default: 30)")
      ->check(CLI::Range(0.001, 86400.0));
  AddShuffleOption(app, &options->shuffle);
  app->add_flag("--fail-fast", options->fail_fast, "Stop at the first failure and mark the run as aborted");
  CLI::Option* workers =
      app->add_option("--workers", options->workers, "Worker processes")->check(CLI::Range(1, 256));
  app->add_option("--devices", options->device_list,
                  "Devices to use, one worker process for each: 0-7 or 0,2,5-7")
      ->excludes(workers);
  app->add_option("--device-env", options->device_env,
                  "Variables that make only its own device visible to a worker (default: "
                  "CUDA_VISIBLE_DEVICES); none: the library asks diopiGetCurrentDeviceIndex")
      ->delimiter(',');
  AddWorkerFlags(app, &options->sandbox, &options->worker_memory);
  AddWorkerProgramOption(app, &options->worker_program);
}

void AddResultOptions(CLI::App* app, AgentOptions* options) {
  Heading(kResultsHeading, app);
  app->add_option("--report-dir", options->report_folder,
                  "Folder of error_report.csv (default: current folder)");
  app->add_option("--error-report", options->error_report, "Path of error_report.csv itself");
  app->add_option("--failure-debug-level", options->modes.failure_debug_level,
                  "What to write about failed cases to failures/ in the report folder: 0 nothing (default), "
                  "1 arguments, 2 arguments and values")
      ->check(CLI::Range(0, 2));
  CLI::Option* quiet = app->add_flag("--quiet", options->quiet, "Print the summary only");
  app->add_flag("--verbose", options->verbose,
                "Print a line for every case that does not pass, not only the groups of failures")
      ->excludes(quiet);
  app->add_flag("--harness-lines", options->harness_lines,
                "On a terminal, too, print the public harness's line for every function")
      ->excludes(quiet);
  AddMinCoverageOption(app, &options->min_passing);
  AddLabelOption(app, &options->label_texts);
}

void AddRunOptions(CLI::App* app, AgentOptions* options) {
  Heading(kRunsHeading, app);
  AddDataOption(app, &options->data_folder);
  AddServerOption(app, &options->server)->default_str("starts one of its own");
  CLI::Option* resume = app->add_option("--resume", options->resume, "Complete this run: its id, or latest");
  app->add_option("--join,--run", options->join_run, "Join this run, which other agents are working on")
      ->excludes(resume);
  app->add_option("--shard-index", options->shard_index,
                  "Which shard of the run, from 0; needs --shard-count");
  app->add_option("--shard-count", options->shard_count,
                  "Number of shards of the run, of which this agent runs one; diopi-cli merge combines them")
      ->check(CLI::Range(1, 100'000));
  app->add_option("--inputs", options->inputs,
                  "recipes: generate inputs here where the versions allow it; bytes: have the server send "
                  "them (default: recipes with --server, bytes with a server of its own)")
      ->check(CLI::IsMember({"recipes", "bytes"}));
  app->add_option(
         "--cache-size", options->cache_size,
         "Disk space for received tensors, such as 512M or 2G; 0 keeps none (default: 1G with --server)")
      ->transform(CLI::AsSizeValue(false));
  app->add_option("--cache-dir", options->cache_dir,
                  "Folder for these tensors (default: $XDG_CACHE_HOME/diopi, or ~/.cache/diopi)");
}

void AddPerformanceOptions(CLI::App* app, PerformanceOptions* options) {
  Heading("Performance", app);
  CLI::Option* on = app->add_flag(
      "--performance", options->on,
      "After the verdicts, measure the calls whose cases pass; with --model, at the models' true sizes");
  app->add_option("--performance-seconds", options->seconds,
                  "Approximate time for a call in each round, in seconds (default: 0.3)")
      ->needs(on)
      ->check(CLI::Range(0.001, 3600.0));
  app->add_option("--performance-rounds", options->rounds,
                  "Number of rounds; each round measures every call (default: 3)")
      ->needs(on)
      ->check(CLI::Range(1, 1000));
  app->add_option(
         "--performance-largest", options->largest,
         "Without --model: number of largest cases to measure for each function and dtype (default: 1)")
      ->needs(on)
      ->check(CLI::Range(1, 1'000'000));
  TakesBytes(1, int64_t{1} << 50,
             app->add_option("--performance-max-bytes", options->max_bytes,
                             "Largest total size of the tensors of a measured call (default: 2G)")
                 ->needs(on));
}

void AddStandingOptions(CLI::App* app, AgentOptions* options) {
  Heading("Repeated and submitted runs", app);
  app->add_flag("--watch", options->watch,
                "Run again whenever the library's file changes, and report what changed, until Ctrl-C");
  app->add_flag("--serve", options->serve,
                "Wait at --server as an agent of --chip, and run what diopi-cli submit requests");
  app->add_flag("--impl-upload", options->impl_upload,
                "With --serve: also run libraries that are uploaded with a request (default: refuse them)");
  app->add_option("--health-every-s", options->health_every_s,
                  "With --serve: seconds between health checks (default: 60)")
      ->check(CLI::Range(0.001, 86400.0));
  app->add_flag("--health-check", options->health_check)->group("");
  app->add_option("--parent", options->parent, "End with this process, the parent")->group("");
}

void AddOptions(CLI::App* app, AgentOptions* options) {
  AddLibraryOptions(app, options);
  AddCasesOptions(app, options);
  AddCallOptions(app, options);
  AddResultOptions(app, options);
  AddRunOptions(app, options);
  AddPerformanceOptions(app, &options->performance);
  Heading("Exploration", app);
  CLI::Option* explore = AddExploreOptions(app, &options->explore);
  app->add_flag("--count-only", options->explore.count_only)->group("")->needs(explore);
  app->add_option("--exploration", options->explore.run_id)->group("")->needs(explore);
  AddStandingOptions(app, options);
  AddCredentialFlags(app, &options->credentials);
  ShowFirst({"--impl", "--chip", "--profile", "--fname", "--case", "--model", "--rerun-failed", "--devices",
             "--verbose", "--server", "--resume", "--performance", "--explore", "--watch"},
            app);
}

// Applies the profile where the command line has no setting.
absl::Status TakeProfile(const CLI::App& app, AgentOptions* options) {
  if (options->profile_path.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(options->profile, LoadProfile(options->profile_path));
  const v1::DeviceProfile& rules = options->profile.rules();
  if (const absl::Status chip = server::CheckChipName(rules.chip()); !chip.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(options->profile_path, ": chip: ", chip.message()));
  }
  if (options->chip.empty()) options->chip = rules.chip();
  options->contracts.insert(options->contracts.end(), rules.contract().begin(), rules.contract().end());
  if (app.count("--timeout-s") == 0 && rules.timeout_s() > 0) options->timeout_s = rules.timeout_s();
  if (rules.devices() > 0 && app.count("--devices") == 0 && app.count("--workers") == 0) {
    options->device_list = absl::StrCat("0-", rules.devices() - 1);
  }
  options->environment = EnvironmentOf(options->profile);
  return absl::OkStatus();
}

// An exploration has no stored cases and no shards. A standing agent's children take its own options too,
// which an exploration ignores.
absl::Status CheckExploration(const CLI::App& app) {
  if (app.count("--explore") == 0 || app.count("--exploration") > 0) return absl::OkStatus();
  for (const char* other :
       {"--resume", "--join", "--shard-index", "--shard-count", "--serve", "--watch", "--performance",
        "--case", "--suite", "--model", "--rerun-failed", "--list-only", "--min-coverage", "--shuffle",
        "--fail-fast", "--error-report", "--failure-debug-level"}) {
    if (app.count(other) == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--explore makes its own calls instead of running cases: omit ", other));
  }
  return absl::OkStatus();
}

absl::Status Complete(AgentOptions* options) {
  if (const absl::Status chip = server::CheckChipName(options->chip); !chip.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--chip: ", chip.message()));
  }
  if (options->watch && (options->serve || !options->resume.empty() || !options->join_run.empty())) {
    return absl::InvalidArgumentError("--watch starts runs of its own: omit --serve, --resume and --join");
  }
  if (options->performance.on && (options->watch || options->serve || options->shard_count > 0 ||
                                  !options->resume.empty() || !options->join_run.empty())) {
    return absl::InvalidArgumentError(
        "--performance measures what its own session judged: omit --watch, --serve, --resume, --join and "
        "--shard-count");
  }
  if (!options->selection.cases_folder.empty() && !options->server.empty()) {
    return absl::InvalidArgumentError(
        "the server decides which cases exist: give --cases to diopi-server, not to the agent");
  }
  if (options->impl_path.empty() && !options->modes.list_only) {
    return absl::InvalidArgumentError("--impl is required: the vendor's library");
  }
  if (!options->join_run.empty()) {
    if (options->server.empty())
      return absl::InvalidArgumentError("--join needs the --server that has the run");
    options->resume = options->join_run;
    options->join = true;
  }
  const bool sharded = options->shard_count > 0 || options->shard_index > 0;
  if (sharded && options->shard_index >= options->shard_count) {
    return absl::InvalidArgumentError(
        options->shard_count == 0 ? std::string("--shard-index needs --shard-count")
                                  : absl::StrCat("there is no shard ", options->shard_index, " of ",
                                                 options->shard_count, "; --shard-index counts from 0"));
  }
  if (sharded && !options->resume.empty()) {
    return absl::InvalidArgumentError("an existing run has its shard already: omit --shard-index");
  }
  if (options->device_env.empty()) options->device_env = {"CUDA_VISIBLE_DEVICES"};
  if (options->device_env == std::vector<std::string>{"none"}) options->device_env.clear();
  if (options->device_list.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(options->devices, ParseDevices(options->device_list));
  return absl::OkStatus();
}

}  // namespace

std::optional<ExitCode> ParseAgentOptions(int argc, const char* const* argv, AgentOptions* options) {
  CLI::App app(
      "Tests a vendor's DIOPI library: runs cases in worker processes, judges the results and reports them.",
      "diopi-agent");
  DescribeProgram(DIOPI_VERSION, kExamples, &app);
  AddOptions(&app, options);
  options->arguments = NormalizeArguments(argc, argv);
  const std::optional<ExitCode> leave = ParseCommandLine(options->arguments, &app);
  if (leave.has_value()) return leave;
  absl::Status made = TakeProfile(app, options);
  if (made.ok()) {
    absl::StatusOr<profile::Adaptor> adaptor = MakeAdaptor(options->profile, options->modes);
    made = adaptor.status();
    if (adaptor.ok()) options->adaptor = *std::move(adaptor);
  }
  if (made.ok()) made = CheckExploration(app);
  if (made.ok()) {
    absl::StatusOr<server::Labels> labels = RunLabels(options->label_texts, ProcessEnvironment());
    made = labels.status();
    if (labels.ok()) options->labels = *std::move(labels);
  }
  if (made.ok()) made = Complete(options);
  if (!made.ok()) {
    std::cerr << "diopi-agent: " << made.message() << "\n";
    return ExitCodeFor(made);
  }
  options->repeat = std::max(options->repeat, 2);
  if (options->error_report.empty()) {
    options->error_report = (std::filesystem::path(options->report_folder) / "error_report.csv").string();
  }
  return std::nullopt;
}

}  // namespace diopi::agent
