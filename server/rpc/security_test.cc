// Access control: every RPC of a real server, called over the wire with and without tokens; request limits.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "cases/base/test_folder.h"
#include "server/rpc/request_limits.h"
#include "server/rpc/server_testing.h"
#include "server/security/rpc_roles.h"
#include "server/security/token_file.h"

namespace diopi::server {
namespace {

using testing::HasSubstr;

// Calls a method of any kind with `request` as its only message, until the first answer.
grpc::Status CallRaw(const std::string& address, const std::string& method, const std::string& token,
                     const std::string& request) {
  grpc::GenericStub stub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(&context, method, &queue);
  void* tag = nullptr;
  bool ok = false;
  const auto next = [&] { queue.Next(&tag, &ok); };
  call->StartCall(nullptr);
  next();
  const grpc::Slice slice(request);
  call->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
  next();
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  next();
  if (ok) context.TryCancel();  // it was let in; streams may be long
  grpc::Status status;
  call->Finish(&status, nullptr);
  next();
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  return answer.Length() > 0 && status.error_code() == grpc::StatusCode::CANCELLED ? grpc::Status::OK
                                                                                   : status;
}

std::vector<const google::protobuf::MethodDescriptor*> AllMethods() {
  const google::protobuf::FileDescriptor* file = v1::GetRunRequest::descriptor()->file();
  std::vector<const google::protobuf::MethodDescriptor*> methods;
  for (int s = 0; s < file->service_count(); ++s) {
    for (int m = 0; m < file->service(s)->method_count(); ++m) methods.push_back(file->service(s)->method(m));
  }
  return methods;
}

std::string PathOf(const google::protobuf::MethodDescriptor& method) {
  return absl::StrCat("/", method.service()->full_name(), "/", method.name());
}

// A method of a service that does not ask the guard fails here.
TEST(SecurityTest, EveryRpcWantsATokenOfItsRole) {
  TestServer server(false);
  const std::string admin = *AddToken(server.data_folder(), "admin", Role::kAdmin);
  const std::string read = *AddToken(server.data_folder(), "read", Role::kRead);
  const std::string& address = server.server().address();
  for (const auto* method : AllMethods()) {
    const std::string path = PathOf(*method);
    EXPECT_EQ(CallRaw(address, path, "", "").error_code(), grpc::StatusCode::UNAUTHENTICATED) << path;
    EXPECT_EQ(CallRaw(address, path, absl::StrCat(admin, "0"), "").error_code(),
              grpc::StatusCode::UNAUTHENTICATED)
        << path;
    const grpc::StatusCode expected = *RoleOfRpc(method->name()) == Role::kRead
                                          ? grpc::StatusCode::OK
                                          : grpc::StatusCode::PERMISSION_DENIED;
    const grpc::StatusCode reader = CallRaw(address, path, read, "").error_code();
    EXPECT_EQ(reader == grpc::StatusCode::PERMISSION_DENIED, expected == grpc::StatusCode::PERMISSION_DENIED)
        << path;
    EXPECT_NE(reader, grpc::StatusCode::UNAUTHENTICATED) << path;
  }
}

TEST(SecurityTest, TokensComeAndGoWhileTheServerServes) {
  TestServer server;
  const std::string& address = server.server().address();
  const std::string info = "/diopi.v1.Conformance/GetServerInfo";
  EXPECT_TRUE(CallRaw(address, info, "", "").ok());
  const std::string token = *AddToken(server.data_folder(), "ci", Role::kRun);
  EXPECT_THAT(CallRaw(address, info, "", "").error_message(), HasSubstr("this server requires a token"));
  EXPECT_TRUE(CallRaw(address, info, token, "").ok());
  ASSERT_TRUE(RevokeToken(server.data_folder(), "ci").ok());
  EXPECT_THAT(CallRaw(address, info, token, "").error_message(), HasSubstr("revoked"));
}

TEST(SecurityTest, AUnixSocketIsItsOwnersAndNeedsNoToken) {
  const TestFolder folder;
  ServerOptions options;
  options.data_folder = folder.path();
  options.listen = "unix:" + folder / "socket";
  options.catalog = TestCatalog;
  options.require_token = true;
  auto server = ConformanceServer::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  struct stat info {};
  ASSERT_EQ(stat((folder / "socket").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & (S_IRWXG | S_IRWXO), 0u);
  EXPECT_TRUE(CallRaw((*server)->address(), "/diopi.v1.Conformance/GetServerInfo", "", "").ok());
  server->reset();
}

TEST(SecurityTest, WithASecretAUnixSocketIsForThoseWhoKnowIt) {
  TestServer beside(false);
  ServerOptions options;
  options.data_folder = beside.data_folder();
  options.listen = absl::StrCat("unix:", beside.data_folder(), "/socket");
  options.catalog = TestCatalog;
  options.secret = "s3cret";
  const auto server = ConformanceServer::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  for (const auto* method : AllMethods()) {
    const std::string path = PathOf(*method);
    for (const char* token : {"", "s3cre", "s3cret0", "S3cret"}) {
      EXPECT_EQ(CallRaw((*server)->address(), path, token, "").error_code(),
                grpc::StatusCode::UNAUTHENTICATED)
          << path << " " << token;
    }
    EXPECT_NE(CallRaw((*server)->address(), path, "s3cret", "").error_code(),
              grpc::StatusCode::UNAUTHENTICATED)
        << path;
  }
}

// The lease's name is the secret: a stranger can name the run, the agent and the cases, but no lease.
TEST(SecurityTest, OnlyWhoWasGivenACaseReportsOnIt) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun({"add"})->run_id();
  ReceivedLease lease = agent.Lease(run, 2);
  ASSERT_EQ(lease.cases.size(), 2u);
  const ReceivedLease other = server.Agent("b").Lease(run, 2);
  ASSERT_EQ(other.cases.size(), 2u);
  const std::string number = lease.header.lease_id().substr(0, lease.header.lease_id().find('-'));
  for (const std::string& name :
       {std::string(), number, number + "-" + std::string(32, '0'), other.header.lease_id()}) {
    std::vector<ReceivedCase> cases = lease.cases;
    for (ReceivedCase& received : cases) received.lease_id = name;
    // As itself, and as the agent.
    for (const char* who : {"b", "a"}) {
      const absl::Status status = server.Agent(who).Report(run, cases).status();
      EXPECT_TRUE(absl::IsPermissionDenied(status)) << who << " " << name << ": " << status;
    }
  }
  EXPECT_EQ(agent.GetRun(run)->done(), 0);
  server.Stop();
  server.Start();
  ASSERT_TRUE(server.Agent("a").Resume(run).ok());
  EXPECT_EQ(server.Agent("a").Report(run, lease.cases)->stored(), 2);
}

TEST(SecurityTest, PlaintextForOthersIsAskedFor) {
  TestServer server(false);
  for (const char* listen : {"0.0.0.0:0", "[::]:0"}) {
    ServerOptions options;
    options.data_folder = server.data_folder();
    options.listen = std::string(listen);
    options.catalog = TestCatalog;
    const absl::Status status = ConformanceServer::Start(options).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("--insecure"));
  }
}

TEST(SecurityTest, PackedAndOversizedMessagesAreRefused) {
  TestServer server(false);
  const auto stub = v1::Conformance::NewStub(
      grpc::CreateChannel(server.server().address(), grpc::InsecureChannelCredentials()));
  v1::CreateRunRequest request;
  request.mutable_options()->set_chip(std::string(32 << 20, 'x'));
  v1::CreateRunResponse response;
  grpc::ClientContext packed;
  packed.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  const grpc::Status bomb = stub->CreateRun(&packed, request, &response);
  EXPECT_EQ(bomb.error_code(), grpc::StatusCode::UNIMPLEMENTED) << bomb.error_message();
  request.mutable_options()->set_chip(std::string(kMaxRequestBytes + 1, 'x'));
  grpc::ClientContext large;
  const grpc::Status oversized = stub->CreateRun(&large, request, &response);
  EXPECT_EQ(oversized.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << oversized.error_message();
}

struct LimitRow {
  const char* name;
  void (*fill)(v1::CreateRunRequest* request);
  std::string text;  // empty: fine
};

TEST(RequestLimitsTest, NameFieldAndLimit) {
  const LimitRow rows[] = {
      {"chip", [](auto* r) { r->mutable_options()->set_chip(std::string(65, 'c')); },
       "diopi.v1.RunOptions.chip is refused: the name of a chip has at most 64 bytes; this one has 65"},
      {"chip that fits", [](auto* r) { r->mutable_options()->set_chip(std::string(64, 'c')); }, ""},
      {"chip that is a path", [](auto* r) { r->mutable_options()->set_chip("acme/100"); }, ""},
      {"chip with a line feed", [](auto* r) { r->mutable_options()->set_chip("a\nb"); },
       "the name of a chip must have printable characters only"},
      {"chip that turns the text around", [](auto* r) { r->mutable_options()->set_chip("a\u202Eb"); },
       "the name of a chip must have printable characters only"},
      {"chip that no address can have", [](auto* r) { r->mutable_options()->set_chip(".."); },
       "a chip cannot be named '..'"},
      {"escape sequence", [](auto* r) { r->mutable_options()->set_host("\x1b[2J"); },
       "RunOptions.host has a character in it that is not printable"},
      {"path in an id", [](auto* r) { r->set_resume_run("../../etc/passwd"); }, "resume_run is not a run id"},
      {"zero in an id", [](auto* r) { r->set_resume_run(std::string("a\0b", 3)); }, "not printable"},
      {"id", [](auto* r) { r->set_resume_run("20260101-120000-abcd"); }, ""},
      {"suite of many models",
       [](auto* r) { r->mutable_options()->mutable_selection()->set_suite(std::string(4096, 's')); }, ""},
      {"list inside",
       [](auto* r) {
         for (int i = 0; i < 65537; ++i)
           r->mutable_options()->mutable_selection()->add_functions(std::string(1, 'f'));
       },
       "diopi.v1.Selection.functions has 65537 elements; the limit is 65536"},
      {"text in a list inside",
       [](auto* r) { r->mutable_options()->mutable_selection()->add_cases(std::string(1025, '*')); },
       "diopi.v1.Selection.cases has 1025 bytes; the limit is 1024"},
  };
  for (const LimitRow& row : rows) {
    v1::CreateRunRequest request;
    row.fill(&request);
    const absl::Status status = CheckRequest(request);
    EXPECT_EQ(status.ok(), row.text.empty()) << row.name << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.text)) << row.name;
  }
}

TEST(RequestLimitsTest, AnswersOverTheWire) {
  TestServer server;
  v1::CreateRunRequest request;
  *request.mutable_options() = TestOptions({"relu"});
  request.mutable_options()->set_chip(std::string(300, 'c'));
  const absl::Status status = server.Agent("a").CreateRun(request).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("RunOptions.chip"));
}

}  // namespace
}  // namespace diopi::server
