#include "client/agent/exploration_record.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/host_name.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"

namespace diopi::agent {
namespace {

constexpr std::chrono::seconds kReportEvery{5};
// The server takes requests of 4 MiB.
constexpr size_t kMostText = size_t{2} << 20;
constexpr size_t kMostBytes = size_t{3} << 20;
constexpr size_t kMostReason = 4096;

// The server has refused the exploration itself, and would do so again.
bool IsFinal(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) || absl::IsNotFound(status) || absl::IsPermissionDenied(status);
}

// The file's text without the line that has this machine's paths.
std::string TextOf(const std::string& path) {
  std::string text;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!absl::StartsWith(line, explore::kRepeatHere)) absl::StrAppend(&text, line, "\n");
  }
  return PrintableText(text);
}

}  // namespace

void AddCause(const explore::Finding& finding, v1::Exploration* exploration) {
  v1::Exploration::Cause cause;
  cause.set_key(finding.group.key);
  cause.set_outcome(finding.group.outcome);
  cause.set_cause(PrintableText(finding.group.cause, kMostReason));
  if (finding.group.finding.code() != v1::Finding::CODE_UNSPECIFIED)
    *cause.mutable_finding() = finding.group.finding;
  *cause.mutable_findings() = finding.verdict.findings();
  if (finding.verdict.has_cause()) *cause.mutable_likely_cause() = finding.verdict.cause();
  for (const std::string& op : finding.group.operators) cause.add_operators(op);
  cause.set_calls(static_cast<int64_t>(finding.group.cases.size()));
  cause.set_example(finding.verdict.case_id());
  cause.set_reason(PrintableText(finding.verdict.reason(), kMostReason));
  cause.set_file(std::filesystem::path(finding.path).filename().string());
  cause.set_command(PrintableText(finding.commands.portable));
  cause.set_known(finding.known);
  const size_t before = exploration->ByteSizeLong();
  if (before + cause.ByteSizeLong() > kMostBytes) return;
  std::string text = TextOf(finding.path);
  if (before + text.size() <= kMostText) cause.set_text(std::move(text));
  *exploration->add_causes() = std::move(cause);
}

absl::StatusOr<std::unique_ptr<ExplorationRecord>> ExplorationRecord::Begin(rpc::Client* client,
                                                                            const v1::RunOptions& options,
                                                                            const std::string& run_id) {
  v1::CreateRunRequest request;
  *request.mutable_options() = options;
  request.set_resume_run(run_id);
  ASSIGN_OR_RETURN(const v1::CreateRunResponse run, client->CreateRun(request));
  std::unique_ptr<ExplorationRecord> record(
      new ExplorationRecord(client, run.run_id(), absl::StrCat(HostName(), "-", getpid())));
  record->thread_ = std::thread([self = record.get()] { self->SendReports(); });
  return record;
}

ExplorationRecord::~ExplorationRecord() {
  EndThread();
}

void ExplorationRecord::EndThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

v1::ReportRequest ExplorationRecord::Report() {
  v1::ReportRequest request;
  request.set_run_id(run_id_);
  request.set_agent_id(agent_id_);
  const std::lock_guard lock(mutex_);
  *request.mutable_exploration() = now_;
  return request;
}

void ExplorationRecord::SendReports() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, kReportEvery,
                            [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ending_; }))
        return;
    }
    // A server that cannot be reached now may be back next time.
    const absl::Status sent = client_->Report(Report()).status();
    if (!IsFinal(sent)) continue;
    refused_ = sent;
    kill(getpid(), SIGTERM);  // blocked in every thread: StopSignal receives it
    return;
  }
}

void ExplorationRecord::Update(v1::Exploration now) {
  const std::lock_guard lock(mutex_);
  now_ = std::move(now);
}

absl::Status ExplorationRecord::Finish(bool aborted) {
  EndThread();
  if (!refused_.ok()) return refused_;
  RETURN_IF_ERROR(client_->Report(Report()).status());
  v1::FinishRunRequest request;
  request.set_run_id(run_id_);
  request.set_agent_id(agent_id_);
  request.set_aborted(aborted);
  return client_->FinishRun(request).status();
}

}  // namespace diopi::agent
