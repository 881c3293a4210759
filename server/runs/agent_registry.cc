// All state is in memory under one lock. What may be slow or call back (rows of agents, notices to watchers)
// is collected in a `Deferred` and applied after the lock is released. Any event (an agent registers, ends a
// run, falls silent; a run is submitted or cancelled) ends in Dispatch, which gives each free agent the
// oldest run that fits it, and in AbortHopeless, which ends runs that every available agent has failed.
#include "server/runs/agent_registry.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "client/command_line/exit_code.h"
#include "proto/enum_name.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

constexpr int kExitUsage = static_cast<int>(ExitCode::kUsage);
// A run whose agent left it so often, without a new registration between, is not given to it again.
constexpr int kMaxFailures = 3;
// Most bytes kept of an agent's text.
constexpr size_t kMaxText = 4096;

std::string Utc(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

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

absl::Status AgentRegistry::Load() {
  const absl::StatusOr<std::vector<KnownAgent>> known = database_->KnownAgents();
  if (!known.ok()) return known.status();
  const absl::StatusOr<std::vector<v1::RunInfo>> open = database_->OpenSubmissions();
  if (!open.ok()) return open.status();
  const std::lock_guard lock(mutex_);
  for (const KnownAgent& old : *known) {
    Agent& agent = agents_[old.facts.agent_id()];
    agent.facts = old.facts;
    agent.seen = clock_->Now();
    agent.state = v1::AGENT_STATE_LOST;
    std::string ignored;
    if (!absl::ParseTime(absl::RFC3339_full, old.seen, &agent.since, &ignored)) agent.since = absl::Now();
  }
  for (const v1::RunInfo& info : *open) runs_.push_back(MakeOpen(info));
  Deferred nobody_watches_yet;
  NoteBlocked(&nobody_watches_yet);  // whose health was bad may be back with another
  return absl::OkStatus();
}

void AgentRegistry::ApplyDeferred(const Deferred& deferred) {
  for (const KnownAgent& agent : deferred.keep) {
    const absl::Status kept = database_->KeepAgent(agent);
    if (!kept.ok()) Log(LogLevel::kError, "agent_not_kept", {{"status", std::string(kept.message())}});
  }
  for (const std::string& agent : deferred.forget) database_->ForgetAgent(agent).IgnoreError();
  for (const Change& change : deferred.changes) {
    if (options_.run_changed) options_.run_changed(change.run_id, change.ended);
  }
}

void AgentRegistry::NoteState(Agent* agent) {
  const v1::AgentState state = agent->link == nullptr   ? v1::AGENT_STATE_LOST
                               : !agent->health.ok()    ? v1::AGENT_STATE_UNHEALTHY
                               : !agent->run_id.empty() ? v1::AGENT_STATE_BUSY
                                                        : v1::AGENT_STATE_ONLINE;
  if (agent->state == state) return;
  agent->state = state;
  agent->since = absl::Now();
  Log(agent->health.ok() && agent->link != nullptr ? LogLevel::kInfo : LogLevel::kWarn, "agent_state",
      {{"agent", agent->facts.agent_id()},
       {"chip", agent->facts.chip()},
       {"state", EnumName(state)},
       {"run_id", agent->run_id},
       {"health", agent->health.text()}});
}

void AgentRegistry::MarkLost(Agent* agent, Deferred* deferred) {
  agent->link = nullptr;
  agent->run_id.clear();
  NoteState(agent);
  deferred->keep.push_back({agent->facts, Utc(agent->since)});
}

void AgentRegistry::ExpireSilent(Deferred* deferred) {
  const absl::Duration now = clock_->Now();
  for (auto it = agents_.begin(); it != agents_.end();) {
    Agent& agent = it->second;
    const absl::Duration silent = now - agent.seen;
    if (agent.link != nullptr && silent > options_.lost_after) {
      agent.link->Close(absl::DeadlineExceededError("no heartbeat came"));
      MarkLost(&agent, deferred);
    }
    if (agent.link == nullptr && silent > options_.forget_after) {
      deferred->forget.push_back(it->first);
      it = agents_.erase(it);
    } else {
      ++it;
    }
  }
}

absl::Status AgentRegistry::Register(const v1::ServeRequest& request, std::shared_ptr<AgentLink> link) {
  const v1::AgentFacts& facts = request.facts();
  if (facts.agent_id().empty() || facts.chip().empty()) {
    return absl::InvalidArgumentError("a standing agent needs a name of its own and a chip");
  }
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return absl::UnavailableError("the server is shutting down");
    ExpireSilent(&deferred);
    if (!agents_.contains(facts.agent_id()) && agents_.size() >= options_.max_agents) {
      return absl::ResourceExhaustedError(
          absl::StrCat("there are ", agents_.size(), " agents already; no more are accepted"));
    }
    Agent& agent = agents_[facts.agent_id()];
    if (agent.link != nullptr)
      agent.link->Close(absl::AlreadyExistsError("the agent has opened another stream"));
    agent.facts = facts;
    agent.health = request.health();
    agent.link = std::move(link);
    agent.seen = clock_->Now();
    agent.run_id = request.run_id();
    v1::Assignment message;
    message.mutable_welcome()->set_heartbeat_every_s(absl::ToDoubleSeconds(options_.heartbeat));
    agent.link->Send(message);
    // It came back from where nobody could hear that the run is over.
    if (!agent.run_id.empty() && FindRun(agent.run_id) == nullptr) {
      message.set_stop_run(agent.run_id);
      agent.link->Send(message);
    }
    for (OpenRun& run : runs_) run.failures.erase(facts.agent_id());
    NoteState(&agent);
    deferred.keep.push_back({facts, Utc(absl::Now())});
    Dispatch(&deferred);
  }
  ApplyDeferred(deferred);
  return absl::OkStatus();
}

void AgentRegistry::StreamEnded(const std::string& agent_id, const AgentLink* link) {
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    const auto found = agents_.find(agent_id);
    if (closed_ || found == agents_.end() || found->second.link.get() != link) return;
    MarkLost(&found->second, &deferred);
    Dispatch(&deferred);
  }
  ApplyDeferred(deferred);
}

bool AgentRegistry::Heartbeat(const v1::HeartbeatRequest& request) {
  Deferred deferred;
  bool known = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = agents_.find(request.agent_id());
    known = found != agents_.end() && found->second.link != nullptr;
    if (known) {
      Agent& agent = found->second;
      agent.seen = clock_->Now();
      agent.health = request.health();
      if (request.has_facts() && request.facts().agent_id() == request.agent_id()) {
        agent.facts = request.facts();
        deferred.keep.push_back({agent.facts, Utc(absl::Now())});
      }
      NoteState(&agent);
    }
    ExpireSilent(&deferred);
    Dispatch(&deferred);
  }
  ApplyDeferred(deferred);
  return known;
}

void AgentRegistry::Leave(const std::string& agent_id) {
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    const auto found = agents_.find(agent_id);
    if (found == agents_.end()) return;
    if (found->second.link != nullptr) found->second.link->Close(absl::OkStatus());
    agents_.erase(found);
    deferred.forget.push_back(agent_id);
    Log(LogLevel::kInfo, "agent_gone", {{"agent", agent_id}});
    Dispatch(&deferred);
  }
  ApplyDeferred(deferred);
}

void AgentRegistry::EndAssignment(const v1::EndAssignmentRequest& request) {
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    const auto found = agents_.find(request.agent_id());
    if (found == agents_.end() || found->second.run_id != request.run_id()) return;
    found->second.run_id.clear();
    found->second.seen = clock_->Now();
    NoteState(&found->second);
    if (OpenRun* run = FindRun(request.run_id()); run != nullptr) {
      // The run is open, so this agent did not end it. What makes no sense now makes none deferred.
      run->failures[request.agent_id()] += request.exit_code() == kExitUsage ? kMaxFailures : 1;
      run->last_code = request.exit_code();
      run->last_text = absl::StrCat(request.agent_id(), ": ", request.text().substr(0, kMaxText));
      Log(LogLevel::kWarn, "assignment_failed",
          {{"run_id", run->run_id},
           {"agent", request.agent_id()},
           {"exit_code", request.exit_code()},
           {"text", request.text().substr(0, kMaxText)}});
      FreeLibrary(run);
    }
    Dispatch(&deferred);
  }
  ApplyDeferred(deferred);
}

bool AgentRegistry::HasAgents(const OpenRun& run) const {
  return std::any_of(agents_.begin(), agents_.end(),
                     [&run](const auto& entry) { return entry.second.run_id == run.run_id; });
}

// Nobody has begun with the library that was picked: another may be.
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
    for (auto& [name, agent] : agents_) {
      if (!agent.run_id.empty() || !agent.health.ok() || !Fits(agent, run)) continue;
      if (run.library.empty()) run.library = agent.facts.impl_sha256();
      agent.run_id = run.run_id;
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
    const absl::Status stored = database_->SetSubmission(run.run_id, run.submission);
    if (!stored.ok()) {
      Log(LogLevel::kError, "note_not_stored",
          {{"run_id", run.run_id}, {"status", std::string(stored.message())}});
    }
    deferred->changes.push_back({run.run_id, false});
  }
}

// Every agent that is there and could have done it has failed: waiting for others would be waiting for
// nobody.
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
    Abort(run.submission, run.run_id, deferred);
    DropRun(run.run_id);
  }
}

void AgentRegistry::Abort(const v1::Submission& submission, const std::string& run_id, Deferred* deferred) {
  absl::Status status = database_->SetSubmission(run_id, submission);
  if (status.ok()) status = database_->SetState(run_id, v1::RUN_STATE_ABORTED);
  if (!status.ok()) {
    Log(LogLevel::kError, "not_aborted", {{"run_id", run_id}, {"status", std::string(status.message())}});
  }
  Log(LogLevel::kWarn, "run_aborted", {{"run_id", run_id}, {"note", submission.note()}});
  deferred->changes.push_back({run_id, true});
}

void AgentRegistry::DropRun(const std::string& run_id) {
  std::erase_if(runs_, [&run_id](const OpenRun& run) { return run.run_id == run_id; });
}

std::vector<v1::AgentInfo> AgentRegistry::List(const std::string& chip) {
  Deferred deferred;
  std::vector<v1::AgentInfo> list;
  {
    const std::lock_guard lock(mutex_);
    ExpireSilent(&deferred);
    Dispatch(&deferred);
    for (const auto& [name, agent] : agents_) {
      if (!chip.empty() && agent.facts.chip() != chip) continue;
      v1::AgentInfo& info = list.emplace_back();
      *info.mutable_facts() = agent.facts;
      info.set_state(agent.state);
      *info.mutable_health() = agent.health;
      info.set_run_id(agent.run_id);
      info.set_since(Utc(agent.since));
    }
  }
  ApplyDeferred(deferred);
  std::stable_sort(list.begin(), list.end(), [](const v1::AgentInfo& a, const v1::AgentInfo& b) {
    return std::tie(a.facts().chip(), a.facts().agent_id()) <
           std::tie(b.facts().chip(), b.facts().agent_id());
  });
  return list;
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
        "no agent of chip '", chip,
        "' takes an uploaded library: started without --impl-upload: ", absl::StrJoin(unfit, ", ")));
  }
  if (!unfit.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("no agent of chip '", chip, "' has the library ",
                                                   run.library, ": ", absl::StrJoin(unfit, ", ")));
  }
  std::sort(chips.begin(), chips.end());
  chips.erase(std::unique(chips.begin(), chips.end()), chips.end());
  response.set_note(absl::StrCat(
      "no agent of chip '", chip, "' is there now; the run waits for one (there ",
      chips.empty() ? "are none of any chip" : absl::StrCat("are: ", absl::StrJoin(chips, ", ")), ")"));
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
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    if (FindRun(run_id) == nullptr) return;
    DropRun(run_id);
    deferred.changes.push_back({run_id, true});
  }
  ApplyDeferred(deferred);
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
    Abort(run->submission, run_id, &deferred);
    DropRun(run_id);
    v1::Assignment message;
    message.set_stop_run(run_id);
    for (auto& [name, agent] : agents_) {
      if (agent.run_id == run_id && agent.link != nullptr) agent.link->Send(message);
    }
  }
  ApplyDeferred(deferred);
  return absl::OkStatus();
}

void AgentRegistry::CloseAll() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (auto& [name, agent] : agents_) {
    if (agent.link != nullptr) agent.link->Close(absl::UnavailableError("the server is shutting down"));
    agent.link = nullptr;
  }
}

}  // namespace diopi::server
