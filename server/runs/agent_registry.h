// Standing agents and the runs submitted to them: which agents are connected, and which run each does. Knows
// no gRPC.
#ifndef SERVER_RUNS_AGENT_REGISTRY_H_
#define SERVER_RUNS_AGENT_REGISTRY_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "diopi/v1/service.pb.h"
#include "server/runs/run_changes.h"
#include "server/scheduler/scheduler.h"
#include "server/store/database.h"

namespace diopi::server {

// Sends messages to an agent, over its stream or, in a test, into a list. Both methods are called with the
// registry's lock held, from any thread, and must neither block nor call the registry.
class AgentLink {
 public:
  virtual ~AgentLink() = default;
  virtual void Send(const v1::Assignment& message) = 0;
  // Takes effect after the messages sent before. Nothing is sent after it.
  virtual void Close(const absl::Status& why) = 0;
};

// Who makes an agent's calls: the name of the token, and whether it may act as agents of other tokens.
struct AgentCaller {
  std::string token;
  bool admin = true;
};

// Thread-safe. An agent has at most one run at a time; a run may have many agents, all with the same library,
// and an exploration one.
// Runs are given out oldest first, to every agent that is free and fits.
class AgentRegistry {
 public:
  struct Options {
    absl::Duration heartbeat = absl::Seconds(5);    // the interval that agents are given
    absl::Duration lost_after = absl::Seconds(20);  // without a sign of life
    absl::Duration forget_after = absl::Hours(24);  // lost for this long: no longer listed
    size_t max_agents = 4096;                       // known at once; more are refused
    // After a fault of the server, no agent gets the run for this long; doubles with every fault, up to
    // longest_pause.
    absl::Duration first_pause = absl::Seconds(1);
    absl::Duration longest_pause = absl::Minutes(1);
  };
  // All must outlive the registry. Changes of submissions go to `changes`.
  AgentRegistry(Database* database, RunChanges* changes, const Clock* clock, const Options& options)
      : database_(database), changes_(changes), clock_(clock), options_(options) {}

  // Loads what the database knows: agents are lost until they come back, and open submissions wait.
  absl::Status Load();

  // The agent has connected; a link it had before is closed with AlreadyExists. InvalidArgument when it lacks
  // a name or a chip, ResourceExhausted when there are too many agents, and as CheckOwner.
  absl::Status Register(const v1::ServeRequest& request, std::shared_ptr<AgentLink> link,
                        const AgentCaller& caller = {});
  // PermissionDenied when a token other than the caller's registered the agent. OK when nobody did.
  absl::Status CheckOwner(const std::string& agent_id, const AgentCaller& caller);
  // The agent's stream has ended: the agent is lost, unless it has another stream by now.
  void StreamEnded(const std::string& agent_id, const AgentLink* link);
  // False when the agent must register again.
  bool Heartbeat(const v1::HeartbeatRequest& request);
  // The agent signs off and is forgotten.
  void Leave(const std::string& agent_id);
  void EndAssignment(const v1::EndAssignmentRequest& request);
  // The server failed a call about this run by its own fault: it is not counted against agents that fail the
  // run for it, and the run waits a little.
  void ServerFault(const std::string& run_id, const std::string& text);

  // OK when one of the token's agents was given the run and has not ended it. Unavailable while that is
  // unknown: the server has just started and the token's agents are not back. PermissionDenied otherwise.
  absl::Status CheckAssigned(const std::string& token, const std::string& run_id);

  // Sorted by chip, then name. `cases` and `done` are not filled.
  std::vector<v1::AgentInfo> List(const std::string& chip);

  // The connected agents that could run it, and a note for the user if the run must wait. InvalidArgument,
  // with the agents and the reasons, when none of its connected agents can.
  absl::StatusOr<v1::SubmitResponse> Check(const std::string& chip, const v1::Submission& submission);
  // A submitted run waits for agents.
  void Enqueue(const v1::RunInfo& run);
  // The run is finished and no longer open. Does nothing for runs that were not submitted.
  void Finished(const std::string& run_id);
  // FailedPrecondition when it is not an open submission.
  absl::Status Cancel(const std::string& run_id);
  // Aborts the run because nobody works on it. Does nothing and returns false when it is not an open
  // submission.
  bool Abandon(const std::string& run_id, const v1::Finding& why);

  // Handles what is due by the clock: agents that fell silent, runs that waited after a fault, changes that
  // could not be stored. Call it every second.
  void Tick();

  // Closes every link with Unavailable. This makes no agent lost.
  void CloseAll();

 private:
  struct Agent {
    v1::AgentFacts facts;
    v1::AgentHealth health;
    std::shared_ptr<AgentLink> link;  // null: lost
    std::string run_id;               // empty: free
    std::string given;                // the run that its token may work on, even while it is lost
    absl::Duration given_at;
    bool back = false;  // it has registered with this server, not only with an earlier one
    absl::Duration seen;
    absl::Time since;                                    // when its state began
    v1::AgentState state = v1::AGENT_STATE_UNSPECIFIED;  // as last logged
  };
  struct OpenRun {
    std::string run_id;
    std::string chip;
    std::string library;  // SHA-256; empty: any, the first agent decides
    bool fixed = false;   // `library` was asked for, or the run has begun with it
    v1::RunOptions options;
    v1::Submission submission;
    std::map<std::string, int> failures;  // how often each agent left it unfinished
    std::string last_text;                // of the last failure
    int last_code = 0;
    std::optional<absl::Duration> fault;  // when the server last failed its agents
    std::string fault_text;
    absl::Duration pause;       // after the last fault
    absl::Duration not_before;  // when it may be given to agents again
  };
  // Work to do once the lock is released.
  struct Deferred {
    bool flush = false;
    std::vector<KnownAgent> keep;
    std::vector<std::string> forget;
  };

  void ExpireSilent(Deferred* deferred) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MarkLost(Agent* agent, Deferred* deferred) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteState(Agent* agent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Dispatch(Deferred* deferred) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Give(const std::string& run_id, Agent* agent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckOwnerLocked(const std::string& agent_id, const AgentCaller& caller)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteFailure(const v1::EndAssignmentRequest& request, const Agent& agent, OpenRun* run)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BackOff(const Agent& agent, OpenRun* run) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FreeLibrary(OpenRun* run) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AbortHopeless(Deferred* deferred) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteBlocked(Deferred* deferred) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Empty: an agent runs it or could, or no agent is connected that might.
  std::string WhyBlocked(const OpenRun& run) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasAgents(const OpenRun& run) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether it is an exploration, which only one agent works on, and another agent has it.
  bool IsTaken(const OpenRun& run, const std::string& agent_id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  OpenRun* FindRun(const std::string& run_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes the run from the list, and its agents from the run. `why`: as RunOptions.aborted.
  void Abort(const OpenRun& run, const v1::Finding& why, Deferred* deferred)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropRun(const std::string& run_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ApplyDeferred(const Deferred& deferred);

  static OpenRun MakeOpen(const v1::RunInfo& info);
  static bool Fits(const Agent& agent, const OpenRun& run);

  Database* const database_;
  RunChanges* const changes_;
  const Clock* const clock_;
  const Options options_;
  std::mutex mutex_;
  std::map<std::string, Agent> agents_ ABSL_GUARDED_BY(mutex_);
  std::vector<OpenRun> runs_ ABSL_GUARDED_BY(mutex_);  // oldest first
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Duration loaded_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace diopi::server

#endif  // SERVER_RUNS_AGENT_REGISTRY_H_
