// diopi-agent's command line, as a struct.
#ifndef CLIENT_AGENT_OPTIONS_H_
#define CLIENT_AGENT_OPTIONS_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/agent/performance.h"
#include "client/profile/adaptor_rules.h"
#include "client/profile/applied.h"
#include "client/rpc/credentials.h"
#include "client/setup/arguments.h"
#include "client/setup/exit_code.h"
#include "client/setup/explore_options.h"
#include "client/setup/modes.h"
#include "server/store/labels.h"

namespace diopi::agent {

struct AgentOptions {
  std::string impl_path;         // --impl, required
  std::string device_lib;        // --device-lib; empty: the library itself, or host memory
  std::string server;            // --server; empty: starts one
  std::string data_folder;       // --data, for the agent's own server
  SelectionArguments selection;  // --fname --case --suite --model --max-bytes --dtype --filter-dtype
  // --profile, parsed. Its settings are already in the fields below, where the command line does not override
  // them.
  profile::AppliedProfile profile;
  std::string profile_path;              // --profile; empty: none
  Modes modes;                           // --nhwc --four-bytes --failure-debug-level --list-only
  profile::Adaptor adaptor;              // from the profile and the modes
  std::string chip;                      // --chip
  std::vector<std::string> contracts;    // --contract: arithmetic that the device declares
  std::vector<std::string> label_texts;  // --label: KEY=VALUE
  server::Labels labels;                 // the same with those of the CI system, parsed
  std::vector<std::string> environment;  // for the workers, NAME=VALUE
  int workers = 1;                       // --workers
  std::string device_list;               // --devices; empty: one device, the library's own choice
  std::vector<int> devices;              // the same, parsed
  std::vector<std::string> device_env;   // --device-env; default: CUDA_VISIBLE_DEVICES; "none": sets nothing
  uint32_t shard_index = 0;              // --shard-index, from 0
  uint32_t shard_count = 0;              // --shard-count; 0: the whole run
  double timeout_s = 30;                 // --timeout-s, for one case
  uint64_t shuffle = 0;                  // --shuffle; 0: the suite's order
  int repeat = 2;                        // --repeat: calls per case; at least 2, to compare their results
  std::string resume;                    // --resume, or --join
  std::string join_run;                  // --join
  bool join = false;                     // `resume` comes from --join: the run must be running
  std::string report_folder;             // --report-dir; empty: the current folder
  std::string error_report;              // --error-report; empty: error_report.csv in the report folder
  bool quiet = false;                    // --quiet: prints only the summary
  bool verbose = false;                  // --verbose: prints a line for every case that does not pass
  bool harness_lines = false;            // --harness-lines: prints the public harness's lines on a terminal
  int64_t min_passing = 0;               // --min-coverage, in functions that pass; 0: no minimum
  rpc::CredentialFiles credentials;      // --tls-ca --tls-cert --tls-key --token-file --insecure
  std::string sandbox = "default";       // --sandbox, of the workers: strict, default, sockets, off
  uint64_t worker_memory = 0;            // --worker-memory, bytes of address space; 0: no limit
  std::string require_sha256;            // --require-sha256; not empty: refuses any other library
  std::string worker_program;            // --worker-program (hidden)
  // --cache-size, bytes; absent: 1 GiB with --server, none with the agent's own server, whose files are on
  // this machine.
  std::optional<uint64_t> cache_size;
  std::string cache_dir;               // --cache-dir; empty: $XDG_CACHE_HOME/diopi, or ~/.cache/diopi
  std::string inputs;                  // --inputs: recipes or bytes; empty: recipes with --server
  bool watch = false;                  // --watch: run again whenever the library changes
  bool serve = false;                  // --serve: wait for submitted runs
  bool impl_upload = false;            // --impl-upload: also run libraries uploaded with a request
  double health_every_s = 60;          // --health-every-s: time between health checks of a standing agent
  bool health_check = false;           // --health-check (hidden): make one, print the result
  pid_t parent = 0;                    // --parent (hidden): ends with this process; 0: none
  std::string changed_functions;       // --changed-functions: file of the functions to run
  std::string changed_since;           // --changed-since: run what differs from this library
  std::string rerun_failed;            // --rerun-failed: run what failed in this run
  bool fail_fast = false;              // --fail-fast: stop at the first failure
  PerformanceOptions performance;      // --performance, and the options that start with it
  ExploreArguments explore;            // --explore --seed --stop-on-first
  std::vector<std::string> arguments;  // the command line as given, underscores in names as dashes
};

// Fills `options` from the command line. When it returns an exit code, help or an error was printed: exit
// with it.
std::optional<ExitCode> ParseAgentOptions(int argc, const char* const* argv, AgentOptions* options);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_OPTIONS_H_
