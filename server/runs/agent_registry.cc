// All state is in memory under one lock. What may be slow or call back (rows of agents and runs, notices to
// watchers) is collected in a `Deferred` and in `RunChanges`, and done after the lock is released. Any event
// (an agent registers, ends a run, falls silent; a run is submitted or cancelled) ends in Dispatch, which
// gives each free agent the oldest run that fits it, and in AbortHopeless, which ends runs that every
// available agent has failed.
#include "server/runs/agent_registry.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cases/base/status_macros.h"
#include "proto/enum_name.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

std::string Utc(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

}  // namespace

absl::Status AgentRegistry::Load() {
  ASSIGN_OR_RETURN(const std::vector<KnownAgent> known, database_->KnownAgents());
  ASSIGN_OR_RETURN(const std::vector<v1::RunInfo> open, database_->OpenSubmissions());
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    loaded_ = clock_->Now();
    for (const KnownAgent& old : known) {
      Agent& agent = agents_[old.facts.agent_id()];
      agent.facts = old.facts;
      agent.seen = loaded_;
      agent.state = v1::AGENT_STATE_LOST;
      std::string ignored;
      if (!absl::ParseTime(absl::RFC3339_full, old.seen, &agent.since, &ignored)) agent.since = absl::Now();
    }
    for (const v1::RunInfo& info : open) runs_.push_back(MakeOpen(info));
    NoteBlocked(&deferred);  // clears old notes: agents may come back healthy
  }
  ApplyDeferred(deferred);
  return absl::OkStatus();
}

void AgentRegistry::ApplyDeferred(const Deferred& deferred) {
  for (const KnownAgent& agent : deferred.keep) {
    const absl::Status kept = database_->KeepAgent(agent);
    if (!kept.ok()) Log(LogLevel::kError, "agent_not_kept", {{"status", std::string(kept.message())}});
  }
  for (const std::string& agent : deferred.forget) database_->ForgetAgent(agent).IgnoreError();
  if (deferred.flush) changes_->Flush().IgnoreError();  // Tick tries again
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
      agent.link->Close(absl::UnavailableError("no heartbeat arrived in time"));
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

absl::Status AgentRegistry::CheckOwnerLocked(const std::string& agent_id, const AgentCaller& caller) {
  const auto found = agents_.find(agent_id);
  if (found == agents_.end() || caller.admin) return absl::OkStatus();
  const std::string& owner = found->second.facts.token();
  if (owner.empty() || owner == caller.token) return absl::OkStatus();  // empty: of a server without tokens
  return absl::PermissionDeniedError(absl::StrCat("agent ", agent_id, " was registered with the token of '",
                                                  owner, "'; the token of '", caller.token,
                                                  "' cannot act as that agent"));
}

absl::Status AgentRegistry::CheckOwner(const std::string& agent_id, const AgentCaller& caller) {
  const std::lock_guard lock(mutex_);
  return CheckOwnerLocked(agent_id, caller);
}

absl::Status AgentRegistry::CheckAssigned(const std::string& token, const std::string& run_id) {
  const std::lock_guard lock(mutex_);
  const OpenRun* const run = FindRun(run_id);
  const bool just_started = clock_->Now() - loaded_ < options_.lost_after;
  bool may_come_back = false;
  for (const auto& [name, agent] : agents_) {
    if (agent.facts.token() != token) continue;
    if (agent.given == run_id) return absl::OkStatus();
    may_come_back =
        may_come_back || (just_started && !agent.back && run != nullptr && agent.facts.chip() == run->chip);
  }
  if (may_come_back) {
    return absl::UnavailableError(absl::StrCat("the server has restarted, and the agents that work on run ",
                                               run_id, " are not back yet"));
  }
  return absl::PermissionDeniedError(absl::StrCat("no agent of '", token, "' works on run ", run_id));
}

void AgentRegistry::Give(const std::string& run_id, Agent* agent) {
  agent->run_id = run_id;
  if (agent->given == run_id) return;
  agent->given = run_id;
  agent->given_at = clock_->Now();
}

absl::Status AgentRegistry::Register(const v1::ServeRequest& request, std::shared_ptr<AgentLink> link,
                                     const AgentCaller& caller) {
  const v1::AgentFacts& facts = request.facts();
  if (facts.agent_id().empty() || facts.chip().empty()) {
    return absl::InvalidArgumentError("a standing agent needs a name of its own and a chip");
  }
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return absl::UnavailableError("the server is shutting down");
    RETURN_IF_ERROR(CheckOwnerLocked(facts.agent_id(), caller));
    ExpireSilent(&deferred);
    if (!agents_.contains(facts.agent_id()) && agents_.size() >= options_.max_agents) {
      return absl::ResourceExhaustedError(
          absl::StrCat("there are ", agents_.size(), " agents already; no more are accepted"));
    }
    Agent& agent = agents_[facts.agent_id()];
    if (agent.link != nullptr)
      agent.link->Close(absl::AlreadyExistsError("the agent has opened another stream"));
    agent.facts = facts;
    agent.facts.set_token(caller.token);
    agent.health = request.health();
    agent.link = std::move(link);
    agent.seen = clock_->Now();
    agent.back = true;
    agent.run_id = request.run_id();
    OpenRun* claimed = FindRun(agent.run_id);
    // While this agent was out of reach, the exploration was given to another.
    if (claimed != nullptr && IsTaken(*claimed, facts.agent_id())) claimed = nullptr;
    // A run that it could be given, or was given. Claiming any other run gives it no right to that run.
    if (claimed != nullptr && Fits(agent, *claimed)) {
      Give(agent.run_id, &agent);
    } else if (agent.given != agent.run_id) {
      agent.given.clear();
    }
    v1::Assignment message;
    message.mutable_welcome()->set_heartbeat_every_s(absl::ToDoubleSeconds(options_.heartbeat));
    agent.link->Send(message);
    // The agent was out of reach when its run ended.
    if (!agent.run_id.empty() && claimed == nullptr) {
      message.set_stop_run(agent.run_id);
      agent.link->Send(message);
    }
    for (OpenRun& run : runs_) run.failures.erase(facts.agent_id());
    NoteState(&agent);
    deferred.keep.push_back({agent.facts, Utc(absl::Now())});
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
        const std::string token = agent.facts.token();
        agent.facts = request.facts();
        agent.facts.set_token(token);
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
    Agent& agent = found->second;
    agent.run_id.clear();
    agent.seen = clock_->Now();
    NoteState(&agent);
    // If the run is open, this agent did not end it.
    if (OpenRun* run = FindRun(request.run_id()); run != nullptr) NoteFailure(request, agent, run);
    agent.given.clear();
    Dispatch(&deferred);
  }
  ApplyDeferred(deferred);
}

void AgentRegistry::Tick() {
  Deferred deferred;
  {
    const std::lock_guard lock(mutex_);
    ExpireSilent(&deferred);
    Dispatch(&deferred);
  }
  deferred.flush = true;
  ApplyDeferred(deferred);
}

std::vector<v1::AgentInfo> AgentRegistry::List(const std::string& chip) {
  Deferred deferred;
  std::vector<v1::AgentInfo> list;
  {
    const std::lock_guard lock(mutex_);
    ExpireSilent(&deferred);
    Dispatch(&deferred);
    const absl::Time now = absl::Now();
    const absl::Duration at = clock_->Now();
    for (const auto& [name, agent] : agents_) {
      if (!chip.empty() && agent.facts.chip() != chip) continue;
      v1::AgentInfo& info = list.emplace_back();
      *info.mutable_facts() = agent.facts;
      info.set_state(agent.state);
      *info.mutable_health() = agent.health;
      info.set_run_id(agent.run_id);
      info.set_since(Utc(agent.since));
      // An agent that an earlier server knew was last seen then.
      info.set_seen(Utc(agent.back ? now - (at - agent.seen) : agent.since));
    }
  }
  ApplyDeferred(deferred);
  std::stable_sort(list.begin(), list.end(), [](const v1::AgentInfo& a, const v1::AgentInfo& b) {
    return std::tie(a.facts().chip(), a.facts().agent_id()) <
           std::tie(b.facts().chip(), b.facts().agent_id());
  });
  return list;
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
