// The submitted runs of AgentRegistry: which agents get them, and what happens when agents fail them. A
// failure counts against the agent unless the server had a fault meanwhile: then it counts against nobody,
// and the run pauses, each time for longer. A run is aborted only when every connected agent that could run
// it has used up its failures. The database is written after the registry's lock is released (Deferred),
// because a disk may be slow.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/exit_code.h"
#include "cases/findings/finding_text.h"
#include "server/runs/agent_registry.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

constexpr int kExitUsage = static_cast<int>(ExitCode::kUsage);
// An agent that left a run unfinished this often since it registered does not get the run again.
constexpr int kMaxFailures = 3;
// After this long without a fault of the server, a run's next pause is the first one again.
constexpr absl::Duration kCalm = absl::Minutes(5);
// Most bytes kept of an agent's text.
constexpr size_t kMaxText = 4096;

std::string Short(const std::string& sha256) {
  return sha256.substr(0, 12);
}

const std::string& RequiredLibrary(const v1::Submission& submission) {
  return submission.upload_name().empty() ? submission.require_sha256() : submission.upload_sha256();
}

}  // namespace

AgentRegistry::OpenRun AgentRegistry::MakeOpen(const v1::RunInfo& info) {
  OpenRun run;
  run.run_id = info.run_id();
  run.chip = info.options().chip();
  run.options = info.options();
  run.submission = info.submission();
  run.library = info.options().impl_sha256().empty() ? RequiredLibrary(info.submission())
                                                     : info.options().impl_sha256();
  run.fixed = !run.library.empty();
  return run;
}

void AgentRegistry::NoteFailure(const v1::EndAssignmentRequest& request, const Agent& agent, OpenRun* run) {
  const std::string text = request.text().substr(0, kMaxText);
  // Wrong usage is the agent's own fault, whatever else went wrong, and another try does not help.
  const bool usage = request.exit_code() == kExitUsage;
  const bool ours = !usage && run->fault.has_value() && *run->fault >= agent.given_at;
  if (ours) {
    BackOff(agent, run);
  } else {
    run->failures[request.agent_id()] += usage ? kMaxFailures : 1;
    run->last_code = request.exit_code();
    run->last_text = absl::StrCat(request.agent_id(), ": ", text);
  }
  Log(LogLevel::kWarn, "assignment_failed",
      {{"run_id", run->run_id},
       {"agent", request.agent_id()},
       {"exit_code", request.exit_code()},
       {"fault", ours ? "server" : "agent"},
       {"pause_s", ours ? absl::ToDoubleSeconds(run->pause) : 0.0},
       {"text", text}});
  FreeLibrary(run);
}

// Agents that were given the run together wait together: the pause grows when one fails after it.
void AgentRegistry::BackOff(const Agent& agent, OpenRun* run) {
  const absl::Duration now = clock_->Now();
  if (now < run->not_before || agent.given_at < run->not_before) return;
  const bool first = run->pause == absl::ZeroDuration() || now - run->not_before > kCalm;
  run->pause = first ? options_.first_pause : std::min(2 * run->pause, options_.longest_pause);
  run->not_before = now + run->pause;
}

void AgentRegistry::ServerFault(const std::string& run_id, const std::string& text) {
  const std::lock_guard lock(mutex_);
  OpenRun* run = FindRun(run_id);
  if (run == nullptr) return;
  run->fault = clock_->Now();
  run->fault_text = text;
}

bool AgentRegistry::HasAgents(const OpenRun& run) const {
  return std::any_of(agents_.begin(), agents_.end(),
                     [&run](const auto& entry) { return entry.second.run_id == run.run_id; });
}

bool AgentRegistry::IsTaken(const OpenRun& run, const std::string& agent_id) const {
  return run.options.has_exploration() && std::any_of(agents_.begin(), agents_.end(), [&](const auto& entry) {
           return entry.second.run_id == run.run_id && entry.first != agent_id;
         });
}

// If no agent has begun with the library that was picked, another may be picked.
void AgentRegistry::FreeLibrary(OpenRun* run) {
  if (!run->fixed && !HasAgents(*run)) run->library.clear();
}

AgentRegistry::OpenRun* AgentRegistry::FindRun(const std::string& run_id) {
  for (OpenRun& run : runs_) {
    if (run.run_id == run_id) return &run;
  }
  return nullptr;
}

// Whether the agent may run it, ignoring whether it is busy.
bool AgentRegistry::Fits(const Agent& agent, const OpenRun& run) {
  if (agent.link == nullptr || agent.facts.chip() != run.chip) return false;
  const auto failures = run.failures.find(agent.facts.agent_id());
  if (failures != run.failures.end() && failures->second >= kMaxFailures) return false;
  if (!run.submission.upload_name().empty()) return agent.facts.takes_uploads();
  return run.library.empty() || run.library == agent.facts.impl_sha256();
}

void AgentRegistry::Dispatch(Deferred* deferred) {
  if (closed_) return;
  for (OpenRun& run : runs_) {
    FreeLibrary(&run);
    if (clock_->Now() < run.not_before) continue;
    for (auto& [name, agent] : agents_) {
      if (!agent.run_id.empty() || !agent.health.ok() || !Fits(agent, run) || IsTaken(run, name)) continue;
      if (run.library.empty()) run.library = agent.facts.impl_sha256();
      agent.given.clear();  // a new attempt
      Give(run.run_id, &agent);
      v1::Assignment message;
      message.mutable_run()->set_run_id(run.run_id);
      *message.mutable_run()->mutable_options() = run.options;
      *message.mutable_run()->mutable_submission() = run.submission;
      agent.link->Send(message);
      NoteState(&agent);
      Log(LogLevel::kInfo, "assigned", {{"run_id", run.run_id}, {"agent", name}});
    }
  }
  AbortHopeless(deferred);
  NoteBlocked(deferred);
}

std::string AgentRegistry::WhyBlocked(const OpenRun& run) const {
  // Faults that last a minute are worth telling those who wait for the run.
  const bool pausing = run.pause >= options_.longest_pause && clock_->Now() < run.not_before;
  if (pausing && !HasAgents(run)) {
    return absl::StrCat("a fault of the server stops its agents, which try again every ",
                        absl::FormatDuration(options_.longest_pause), ": ", run.fault_text);
  }
  std::vector<std::string> sick;
  for (const auto& [name, agent] : agents_) {
    if (!Fits(agent, run)) continue;
    const bool runs_it = !agent.run_id.empty() && agent.run_id == run.run_id;
    if (agent.health.ok() || runs_it) return "";
    sick.push_back(absl::StrCat(name, ": ", agent.health.text()));
  }
  if (sick.empty()) return "";
  return absl::StrCat("every agent that could run it fails its health check: ", absl::StrJoin(sick, "; "));
}

// These runs keep waiting in case an agent recovers; their watchers are notified.
void AgentRegistry::NoteBlocked(Deferred* deferred) {
  for (OpenRun& run : runs_) {
    const std::string note = WhyBlocked(run);
    if (note == run.submission.note()) continue;
    run.submission.set_note(note);
    changes_->Put(run.run_id, {.submission = run.submission});
    deferred->flush = true;
  }
}

// Ends runs that every connected agent that could run them has failed: there is nobody left to wait for.
void AgentRegistry::AbortHopeless(Deferred* deferred) {
  std::vector<OpenRun> hopeless;
  for (const OpenRun& run : runs_) {
    const bool failed = std::any_of(run.failures.begin(), run.failures.end(),
                                    [](const auto& entry) { return entry.second >= kMaxFailures; });
    if (!failed || HasAgents(run)) continue;
    const bool hope = std::any_of(agents_.begin(), agents_.end(),
                                  [&run](const auto& entry) { return Fits(entry.second, run); });
    if (!hope) hopeless.push_back(run);
  }
  for (OpenRun& run : hopeless) {
    run.submission.set_note(run.last_text);
    run.submission.set_exit_code(run.last_code);
    Abort(run, FoundOr({}, run.last_text), deferred);
  }
}

void AgentRegistry::Abort(const OpenRun& run, const v1::Finding& why, Deferred* deferred) {
  const std::string run_id = run.run_id;
  RunChange change{.state = v1::RUN_STATE_ABORTED, .submission = run.submission};
  if (why.code() != v1::Finding::CODE_UNSPECIFIED) change.aborted = why;
  changes_->Put(run_id, change);
  deferred->flush = true;
  Log(LogLevel::kWarn, "run_aborted", {{"run_id", run_id}, {"note", run.submission.note()}});
  DropRun(run_id);
  v1::Assignment message;
  message.set_stop_run(run_id);
  for (auto& [name, agent] : agents_) {
    if (agent.run_id == run_id && agent.link != nullptr) agent.link->Send(message);
  }
}

void AgentRegistry::DropRun(const std::string& run_id) {
  std::erase_if(runs_, [&run_id](const OpenRun& run) { return run.run_id == run_id; });
  // Connected agents end it themselves (EndAssignment).
  for (auto& [name, agent] : agents_) {
    if (agent.link == nullptr && agent.given == run_id) agent.given.clear();
  }
}

absl::StatusOr<v1::SubmitResponse> AgentRegistry::Check(const std::string& chip,
                                                        const v1::Submission& submission) {
  Deferred deferred;
  v1::SubmitResponse response;
  std::vector<std::string> unfit;
  std::vector<std::string> chips;
  std::string blocked;
  v1::RunInfo asked;
  asked.mutable_options()->set_chip(chip);
  *asked.mutable_submission() = submission;
  const OpenRun run = MakeOpen(asked);
  const bool upload = !submission.upload_name().empty();
  {
    const std::lock_guard lock(mutex_);
    ExpireSilent(&deferred);
    for (const auto& [name, agent] : agents_) {
      if (agent.link == nullptr) continue;
      chips.push_back(agent.facts.chip());
      if (agent.facts.chip() != chip) continue;
      if (Fits(agent, run)) {
        response.add_agents(name);
      } else {
        unfit.push_back(upload ? name : absl::StrCat(name, " has ", agent.facts.impl_sha256()));
      }
    }
    blocked = WhyBlocked(run);
  }
  ApplyDeferred(deferred);
  response.set_note(blocked);
  if (response.agents_size() > 0) return response;
  if (!unfit.empty() && upload) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no agent of chip '", chip, "' takes an uploaded library; these were started without --impl-upload: ",
        absl::StrJoin(unfit, ", ")));
  }
  if (!unfit.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("no agent of chip '", chip, "' has the library ",
                                                   run.library, ": ", absl::StrJoin(unfit, ", ")));
  }
  std::sort(chips.begin(), chips.end());
  chips.erase(std::unique(chips.begin(), chips.end()), chips.end());
  response.set_note(absl::StrCat(
      "no agent of chip '", chip, "' is online now; the run waits for one (",
      chips.empty() ? "no agent is online" : absl::StrCat("chips online: ", absl::StrJoin(chips, ", ")),
      ")"));
  return response;
}

void AgentRegistry::Enqueue(const v1::RunInfo& run) {
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    runs_.push_back(MakeOpen(run));
    Log(LogLevel::kInfo, "submitted",
        {{"run_id", run.run_id()},
         {"chip", run.options().chip()},
         {"library", Short(RequiredLibrary(run.submission()))},
         {"upload", run.submission().upload_name()}});
    Dispatch(&deferred);
  }
  ApplyDeferred(deferred);
}

void AgentRegistry::Finished(const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  DropRun(run_id);
}

absl::Status AgentRegistry::Cancel(const std::string& run_id) {
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    OpenRun* run = FindRun(run_id);
    if (run == nullptr) {
      return absl::FailedPreconditionError(absl::StrCat(
          "run ", run_id, " is not a submitted run that is queued or running: there is nothing to cancel"));
    }
    run->submission.set_cancelled(true);
    run->submission.set_note("cancelled");
    run->submission.set_exit_code(static_cast<int>(ExitCode::kInterrupted));
    Abort(*run, {}, &deferred);
  }
  ApplyDeferred(deferred);
  return absl::OkStatus();
}

bool AgentRegistry::Abandon(const std::string& run_id, const v1::Finding& why) {
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    OpenRun* run = FindRun(run_id);
    if (run == nullptr) return false;
    run->submission.set_note(FindingText(why));
    run->submission.set_exit_code(static_cast<int>(ExitCode::kEnvironment));
    Abort(*run, why, &deferred);
  }
  ApplyDeferred(deferred);
  return true;
}

}  // namespace diopi::server
