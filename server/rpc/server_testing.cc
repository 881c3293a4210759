#include "server/rpc/server_testing.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/store/store.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"
#include "server/rpc/status.h"

namespace diopi::server {
namespace {

constexpr char kAdd[] = R"(
operator: "add"  family: "elementwise"
function {
  name: "diopiAdd"
  arg { name: "out" broadcast: ["input", "other"] }
  judge { kind: MATH }
}
grid {
  dtypes: [float32]
  point { label: "small" reveals: "a" in { name: "input" shape: [3] } in { name: "other" shape: [3] }
          attr { name: "alpha" i: 2 } }
  point { label: "empty" reveals: "b" in { name: "input" shape: [0, 4] } in { name: "other" shape: [0, 4] }
          attr { name: "alpha" i: 2 } }
  point { label: "large" reveals: "c" in { name: "input" shape: [700, 1000] } in { name: "other" shape: [1] }
          attr { name: "alpha" i: 2 } }
  point { label: "zero_d" reveals: "d" in { name: "input" shape: [] } in { name: "other" shape: [] }
          attr { name: "alpha" i: 2 } }
}
grid {
  dtypes: [float16, int32]
  point { label: "more" reveals: "e" in { name: "input" shape: [9] } in { name: "other" shape: [9] }
          attr { name: "alpha" i: 2 } }
}
)";

constexpr char kRelu[] = R"(
operator: "relu"  family: "activation"
function {
  name: "diopiRelu"
  arg { name: "out" like: "input" }
  judge { kind: EXACT }
}
grid {
  dtypes: [float32, float64]
  point { label: "small" reveals: "f" in { name: "input" shape: [5] } }
}
)";

HostTensor MakeTensor(Dtype dtype, const v1::TensorSpec& spec, size_t seed) {
  HostTensor tensor{dtype, {spec.shape().begin(), spec.shape().end()}, {}};
  const int64_t count = NumElements(tensor.shape);
  tensor.data.resize(static_cast<size_t>(count * ElementSize(dtype)));
  for (int64_t i = 0; i < count; ++i) {
    StoreDouble(dtype, tensor.data.data(), i, static_cast<double>((i * 7 + static_cast<int64_t>(seed)) % 97));
  }
  return tensor;
}

}  // namespace

absl::StatusOr<std::unique_ptr<cases::Catalog>> TestCatalog() {
  std::vector<v1::OperatorFile> files;
  for (const char* text : {kAdd, kRelu}) {
    ASSIGN_OR_RETURN(v1::OperatorFile file, cases::ParseOperatorFile(text, "test.textproto"));
    files.push_back(std::move(file));
  }
  return cases::Catalog::FromFiles(std::move(files));
}

std::vector<v1::Case> TestCases(const std::string& operator_name) {
  const auto catalog = TestCatalog();
  EXPECT_TRUE(catalog.ok()) << catalog.status();
  v1::Selection selection;
  if (!operator_name.empty()) selection.add_functions(operator_name);
  auto cases = (*catalog)->Select(selection);
  EXPECT_TRUE(cases.ok()) << cases.status();
  return *std::move(cases);
}

TensorMap ReferencesOf(const v1::Case& c) {
  TensorMap references;
  const size_t seed = std::hash<std::string>{}(c.id()) % 1000;
  for (const v1::Argument& arg : c.args()) {
    if (arg.role() != v1::ROLE_OUTPUT) continue;
    references[arg.name()] = MakeTensor(v1::Dtype::float64, arg.tensor(), seed);
    references[arg.name() + ".sigma"] = MakeTensor(v1::Dtype::float32, arg.tensor(), seed + 1);
  }
  return references;
}

void WriteBaselines(const std::string& data_folder, const std::string& operator_name,
                    const std::vector<v1::Case>& cases) {
  const std::string path = baselines::BaselinePath(data_folder, "cpu", operator_name);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  baselines::Provenance provenance;
  provenance.reference = "cpu";
  provenance.library = "test 1";
  auto writer = baselines::BaselineWriter::Create(path, operator_name, provenance);
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const v1::Case& c : cases) {
    const auto inputs = FillInputs(c);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    const absl::Status added = (*writer)->Add({c, *inputs, ReferencesOf(c)});
    ASSERT_TRUE(added.ok()) << added;
  }
  const absl::Status committed = (*writer)->Commit();
  ASSERT_TRUE(committed.ok()) << committed;
}

v1::RunOptions TestOptions(const std::vector<std::string>& functions) {
  v1::RunOptions options;
  options.set_chip("chip");
  options.set_impl_sha256("sha");
  for (const std::string& name : functions) options.mutable_selection()->add_functions(name);
  return options;
}

v1::Verdict PassOf(const v1::Case& c) {
  v1::Verdict verdict;
  verdict.set_case_id(c.id());
  verdict.set_case_hash(c.hash());
  verdict.set_outcome(v1::OUTCOME_PASS);
  return verdict;
}

TestAgent::TestAgent(const std::string& address, std::string id) : id_(std::move(id)) {
  grpc::ChannelArguments arguments;
  // Every agent gets a connection of its own, as in reality.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  stub_ = v1::Conformance::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
}

absl::StatusOr<v1::CreateRunResponse> TestAgent::CreateRun(const v1::CreateRunRequest& request) {
  grpc::ClientContext context;
  v1::CreateRunResponse response;
  RETURN_IF_ERROR(FromGrpc(stub_->CreateRun(&context, request, &response)));
  return response;
}

absl::StatusOr<v1::CreateRunResponse> TestAgent::CreateRun(const std::vector<std::string>& functions) {
  v1::CreateRunRequest request;
  *request.mutable_options() = TestOptions(functions);
  return CreateRun(request);
}

absl::StatusOr<v1::CreateRunResponse> TestAgent::Resume(const std::string& run_id) {
  v1::CreateRunRequest request;
  *request.mutable_options() = TestOptions({});
  request.set_resume_run(run_id);
  return CreateRun(request);
}

ReceivedLease TestAgent::Lease(const std::string& run_id, int max_cases) {
  grpc::ClientContext context;
  v1::LeaseRequest request;
  request.set_run_id(run_id);
  request.set_agent_id(id_);
  request.set_max_cases(max_cases);
  const auto reader = stub_->Lease(&context, request);
  ReceivedLease lease;
  v1::LeaseMessage message;
  while (reader->Read(&message)) {
    if (message.has_header()) lease.header = message.header();
    if (message.has_case_start()) {
      const v1::LeaseMessage::CaseStart& start = message.case_start();
      lease.cases.push_back({start.case_(),
                             start.reference(),
                             start.unavailable(),
                             {},
                             {},
                             0,
                             0,
                             start.quarantined(),
                             start.device_reference(),
                             lease.header.lease_id()});
    }
    if (message.has_damaged()) {  // the case's tensors so far do not count
      lease.cases.back().unavailable = message.damaged();
      lease.cases.back().inputs.clear();
      lease.cases.back().references.clear();
    }
    if (!message.has_input() && !message.has_reference()) continue;
    const v1::TensorChunk& chunk = message.has_input() ? message.input() : message.reference();
    ReceivedCase& current = lease.cases.back();
    HostTensor& tensor = (message.has_input() ? current.inputs : current.references)[chunk.key()];
    EXPECT_EQ(chunk.offset(), static_cast<int64_t>(tensor.data.size())) << chunk.key();
    tensor.dtype = chunk.dtype();
    tensor.shape = {chunk.shape().begin(), chunk.shape().end()};
    tensor.data += chunk.data();
    ++current.chunks;
    current.largest_chunk = std::max(current.largest_chunk, chunk.data().size());
  }
  lease.status = FromGrpc(reader->Finish());
  return lease;
}

absl::StatusOr<v1::ReportResponse> TestAgent::Report(const v1::ReportRequest& request) {
  grpc::ClientContext context;
  v1::ReportResponse response;
  RETURN_IF_ERROR(FromGrpc(stub_->Report(&context, request, &response)));
  return response;
}

absl::StatusOr<v1::ReportResponse> TestAgent::Report(const std::string& run_id,
                                                     const std::vector<ReceivedCase>& cases) {
  v1::ReportRequest request;
  request.set_run_id(run_id);
  request.set_agent_id(id_);
  for (const ReceivedCase& received : cases) {
    *request.add_verdicts() = PassOf(received.c);
    request.add_renew_leases(received.lease_id);
  }
  return Report(request);
}

absl::StatusOr<v1::RunInfo> TestAgent::Finish(const std::string& run_id, bool aborted) {
  grpc::ClientContext context;
  v1::FinishRunRequest request;
  request.set_run_id(run_id);
  request.set_agent_id(id_);
  request.set_aborted(aborted);
  v1::FinishRunResponse response;
  RETURN_IF_ERROR(FromGrpc(stub_->FinishRun(&context, request, &response)));
  return response.run();
}

absl::StatusOr<v1::RunInfo> TestAgent::GetRun(const std::string& run_id) {
  grpc::ClientContext context;
  v1::GetRunRequest request;
  request.set_run_id(run_id);
  v1::RunInfo response;
  RETURN_IF_ERROR(FromGrpc(stub_->GetRun(&context, request, &response)));
  return response;
}

int TestAgent::DoAll(const std::string& run_id, int max_cases) {
  int count = 0;
  for (;;) {
    const ReceivedLease lease = Lease(run_id, max_cases);
    EXPECT_TRUE(lease.status.ok()) << lease.status;
    if (!lease.status.ok() || lease.header.run_complete()) return count;
    const auto reported = Report(run_id, lease.cases);
    EXPECT_TRUE(reported.ok()) << reported.status();
    if (!reported.ok()) return count;
    count += reported->stored();
  }
}

TestServer::TestServer(bool with_baselines) {
  if (with_baselines) {
    for (const char* op : {"add", "relu"}) WriteBaselines(data_folder(), op, TestCases(op));
  }
  Start();
}

void TestServer::Start() {
  options.data_folder = data_folder();
  options.listen = "127.0.0.1:0";
  options.catalog = TestCatalog;
  options.clock = &clock_;
  options.lease = absl::Seconds(10);
  auto server = ConformanceServer::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
}

}  // namespace diopi::server
