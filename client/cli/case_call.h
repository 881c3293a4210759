// Calls and judges a case for `repro` and `shrink`, as a run of diopi-agent with the same options does.
#ifndef CLIENT_CLI_CASE_CALL_H_
#define CLIENT_CLI_CASE_CALL_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "baselines/compare/contract.h"
#include "client/judge/case_judge.h"
#include "client/profile/adaptor_rules.h"
#include "client/profile/applied.h"
#include "client/setup/modes.h"
#include "impl_loader/worker/worker.h"

namespace diopi::cli {

// The command that a report gives for a failed case uses these options, so both subcommands take all of them.
struct CaseCallOptions {
  std::string case_id;                 // CASE, required
  std::string impl;                    // --impl, required
  std::string device_lib;              // --device-lib
  std::string cases_folder;            // --cases
  std::string data;                    // --data
  std::vector<std::string> contracts;  // --contract
  std::string profile_path;            // --profile; empty: none
  agent::Modes modes;                  // --nhwc --nhwc-min-dim --four-bytes
  std::string sandbox = "default";     // --sandbox
  uint64_t worker_memory = 0;          // --worker-memory, bytes; 0: no limit
  double timeout_s = 0;                // --timeout-s; 0: the profile's, or the default
  int repeat = 2;                      // --repeat
  std::string worker_program;          // --worker-program (hidden)
};

// `default_timeout`: the wording for the help text.
void AddCaseCallOptions(CLI::App* app, const std::string& default_timeout, CaseCallOptions* options);

class CaseCall {
 public:
  // Reads the profile and the library's file. `diagnose`: look for the likely cause of failures.
  static absl::StatusOr<std::unique_ptr<CaseCall>> Make(const CaseCallOptions& options, bool diagnose);
  CaseCall(const CaseCall&) = delete;
  CaseCall& operator=(const CaseCall&) = delete;

  const std::string& impl_path() const { return impl_path_; }  // absolute
  const baselines::DeclaredContracts& contracts() const { return contracts_; }
  bool adapts() const { return !adaptor_.empty(); }
  bool sets_environment() const { return !profile_.rules().environment().empty(); }
  agent::CaseJudge& judge() { return *judge_; }
  loader::WorkerOptions MakeWorkerOptions() const;
  // The command that repeats the verdict's case, from `cases_folder`, with these options.
  std::string RepeatCommand(const v1::Verdict& verdict, const std::string& cases_folder) const;

 private:
  explicit CaseCall(const CaseCallOptions& options) : options_(options) {}
  absl::Status Prepare(bool diagnose);

  const CaseCallOptions options_;
  std::string impl_path_;
  profile::AppliedProfile profile_;
  profile::Adaptor adaptor_;
  baselines::DeclaredContracts contracts_;
  std::unique_ptr<agent::CaseJudge> judge_;
};

}  // namespace diopi::cli

#endif  // CLIENT_CLI_CASE_CALL_H_
