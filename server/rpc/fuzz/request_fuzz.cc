// Calls every RPC of our services over a real connection to a real server. The first byte picks the RPC; the
// rest is the request. In a request that parses, ids that nobody can guess are filled in: "R" in a field
// run_id or resume_run becomes a run, "C" in a case_id or case_hash a case of it. A request that does not
// parse is sent as it is. The server must answer whatever it gets, and then still answer others.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "server/rpc/raw_call_testing.h"
#include "server/rpc/server_testing.h"
#include "server/telemetry/log.h"

namespace {

namespace protobuf = google::protobuf;

// Inputs before the server is replaced: what they create stays in memory.
constexpr int kRunsOfAServer = 2000;

[[noreturn]] void Finding(const std::string& what) {
  std::fprintf(stderr, "request_fuzz: %s\n", what.c_str());
  std::abort();
}

class Target {
 public:
  Target() {
    channel_ = grpc::CreateCustomChannel(server_.server().address(), grpc::InsecureChannelCredentials(), {});
    stub_ = std::make_unique<grpc::GenericStub>(channel_);
    const auto created = server_.Agent("first").CreateRun(std::vector<std::string>{"relu"});
    if (!created.ok()) Finding("no run: " + created.status().ToString());
    run_id_ = created->run_id();
    case_ = diopi::server::TestCases("relu").front();
  }

  void Call(uint8_t which, std::string request) {
    const protobuf::MethodDescriptor* method = methods_[which % methods_.size()];
    FillIn(*method->input_type(), &request);
    Exchange(*method, request);
  }

  void ExpectAnswers() {
    const auto run = server_.Agent("other").GetRun(run_id_);
    if (!run.ok()) Finding("others get no answer: " + run.status().ToString());
  }

 private:
  void FillIn(const protobuf::Descriptor& type, std::string* request) {
    const std::unique_ptr<protobuf::Message> message(
        protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->New());
    if (!message->ParseFromString(*request)) return;
    FillIn(message.get());
    message->SerializeToString(request);
  }

  void FillIn(protobuf::Message* message) {
    const protobuf::Reflection& reflection = *message->GetReflection();
    std::vector<const protobuf::FieldDescriptor*> fields;
    reflection.ListFields(*message, &fields);
    for (const protobuf::FieldDescriptor* field : fields) {
      if (field->cpp_type() == protobuf::FieldDescriptor::CPPTYPE_MESSAGE && field->is_repeated()) {
        for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
          FillIn(reflection.MutableRepeatedMessage(message, field, i));
        }
      } else if (field->cpp_type() == protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
        FillIn(reflection.MutableMessage(message, field));
      } else if (field->cpp_type() == protobuf::FieldDescriptor::CPPTYPE_STRING && !field->is_repeated()) {
        const std::string text = reflection.GetString(*message, field);
        if (text == "R") reflection.SetString(message, field, run_id_);
        if (text == "C") {
          reflection.SetString(message, field, field->name() == "case_hash" ? case_.hash() : case_.id());
        }
      }
    }
  }

  void Exchange(const protobuf::MethodDescriptor& method, const std::string& request) {
    const grpc::Status status = diopi::server::CallRaw(stub_.get(), method, request);
    const bool late = status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE || (late && !diopi::server::IsHeld(method))) {
      Finding(method.full_name() + ": " + status.error_message());
    }
  }

  diopi::server::TestServer server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<grpc::GenericStub> stub_;
  const std::vector<const protobuf::MethodDescriptor*> methods_ = diopi::server::AllMethods();
  std::string run_id_;
  diopi::v1::Case case_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::unique_ptr<Target>& target = *new std::unique_ptr<Target>;
  static int calls = 0;
  if (calls++ % kRunsOfAServer == 0) {
    diopi::server::StartLog(diopi::server::LogFormat::kLogfmt, "off");
    target = nullptr;
    target = std::make_unique<Target>();
  }
  if (size == 0) return 0;
  target->Call(data[0], std::string(reinterpret_cast<const char*>(data + 1), size - 1));
  if (calls % 16 == 0) target->ExpectAnswers();
  return 0;
}
