// Shared by the tests of this folder: a small catalog, its baselines in a real data folder, a real server on
// a loopback port, and an agent that calls it through real stubs.
#ifndef SERVER_RPC_SERVER_TESTING_H_
#define SERVER_RPC_SERVER_TESTING_H_

#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cases/base/tensor.h"
#include "cases/base/test_folder.h"
#include "diopi/v1/service.grpc.pb.h"
#include "server/rpc/server.h"
#include "server/scheduler/fake_clock.h"

namespace diopi::server {

// Two operators, "add" with six cases (one with tensors of more than a chunk, one with empty ones) and "relu"
// with two.
absl::StatusOr<std::unique_ptr<cases::Catalog>> TestCatalog();
// Its cases, of one operator or of all.
std::vector<v1::Case> TestCases(const std::string& operator_name = "");

// Writes DATA/baselines/cpu/OPERATOR.h5: generated inputs, and references that differ from case to case.
void WriteBaselines(const std::string& data_folder, const std::string& operator_name,
                    const std::vector<v1::Case>& cases);
TensorMap ReferencesOf(const v1::Case& c);

struct ReceivedCase {
  v1::Case c;
  std::string reference;
  std::string unavailable;
  TensorMap inputs;
  TensorMap references;
  int chunks = 0;
  size_t largest_chunk = 0;
  bool quarantined = false;
  std::string device_reference = "";
  std::string lease_id = "";
};

struct ReceivedLease {
  v1::LeaseMessage::Header header;
  std::vector<ReceivedCase> cases;
  absl::Status status;  // how the stream ended
};

// An agent, as far as the server can tell.
class TestAgent {
 public:
  TestAgent(const std::string& address, std::string id);

  absl::StatusOr<v1::CreateRunResponse> CreateRun(const v1::CreateRunRequest& request);
  // A run of chip "chip" and library "sha" over `functions`.
  absl::StatusOr<v1::CreateRunResponse> CreateRun(const std::vector<std::string>& functions);
  absl::StatusOr<v1::CreateRunResponse> Resume(const std::string& run_id);
  ReceivedLease Lease(const std::string& run_id, int max_cases);
  absl::StatusOr<v1::ReportResponse> Report(const std::string& run_id,
                                            const std::vector<ReceivedCase>& cases);
  absl::StatusOr<v1::ReportResponse> Report(const v1::ReportRequest& request);
  absl::StatusOr<v1::RunInfo> Finish(const std::string& run_id, bool aborted);
  absl::StatusOr<v1::RunInfo> GetRun(const std::string& run_id);
  // Leases and reports until the run is complete; how many cases it did.
  int DoAll(const std::string& run_id, int max_cases);

  v1::Conformance::Stub& stub() { return *stub_; }
  const std::string& id() const { return id_; }

 private:
  const std::string id_;
  std::unique_ptr<v1::Conformance::Stub> stub_;
};

v1::RunOptions TestOptions(const std::vector<std::string>& functions);
v1::Verdict PassOf(const v1::Case& c);

// A data folder with all baselines, and a server over it that can be stopped and started again.
class TestServer {
 public:
  explicit TestServer(bool with_baselines = true);
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  void Stop() { server_ = nullptr; }
  void Start();
  // Used by the next Start.
  ServerOptions options;
  ConformanceServer& server() { return *server_; }
  TestAgent Agent(const std::string& id) { return {server_->address(), id}; }
  FakeClock& clock() { return clock_; }
  const std::string& data_folder() const { return folder_.path(); }

 private:
  FakeClock clock_;
  const TestFolder folder_;
  std::unique_ptr<ConformanceServer> server_;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_SERVER_TESTING_H_
