// An exploration as the server stores it: begun, brought up to date while it goes on, and ended.
#ifndef CLIENT_AGENT_EXPLORATION_RECORD_H_
#define CLIENT_AGENT_EXPLORATION_RECORD_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/explore/findings.h"
#include "client/rpc/client.h"
#include "diopi/v1/run.pb.h"

namespace diopi::agent {

// Adds a cause with its operator file. Once the files are large together, only the causes are added.
void AddCause(const explore::Finding& finding, v1::Exploration* exploration);

class ExplorationRecord {
 public:
  // Creates the exploration, or begins the submitted one that `run_id` names. A thread of the record's tells
  // the server every few seconds how far it is, which keeps it alive. When the server no longer takes that,
  // because the exploration was ended there, this process receives SIGTERM. `client` must outlive the record.
  static absl::StatusOr<std::unique_ptr<ExplorationRecord>> Begin(rpc::Client* client,
                                                                  const v1::RunOptions& options,
                                                                  const std::string& run_id);
  ExplorationRecord(const ExplorationRecord&) = delete;
  ~ExplorationRecord();

  const std::string& run_id() const { return run_id_; }
  // What it has done so far.
  void Update(v1::Exploration now);
  // Sends what there is, and ends the exploration.
  absl::Status Finish(bool aborted);

 private:
  ExplorationRecord(rpc::Client* client, std::string run_id, std::string agent_id)
      : client_(client), run_id_(std::move(run_id)), agent_id_(std::move(agent_id)) {}
  void SendReports();
  void EndThread();
  v1::ReportRequest Report();

  rpc::Client* const client_;
  const std::string run_id_;
  const std::string agent_id_;
  std::mutex mutex_;
  std::condition_variable changed_;
  v1::Exploration now_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status refused_;  // of the thread, which has ended
  std::thread thread_;
};

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_EXPLORATION_RECORD_H_
