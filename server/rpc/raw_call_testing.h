// Sends any bytes as the request of any RPC, for the tests and the fuzz target that send garbage.
#ifndef SERVER_RPC_RAW_CALL_TESTING_H_
#define SERVER_RPC_RAW_CALL_TESTING_H_

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace diopi::server {

// Every RPC that this project defines.
inline std::vector<const google::protobuf::MethodDescriptor*> AllMethods() {
  std::vector<const google::protobuf::MethodDescriptor*> methods;
  for (const char* name : {"diopi.v1.Conformance", "diopi.v1.Agents"}) {
    const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
    for (int i = 0; i < service->method_count(); ++i) methods.push_back(service->method(i));
  }
  return methods;
}

inline bool NextEvent(grpc::CompletionQueue* queue) {
  void* tag = nullptr;
  bool ok = false;
  return queue->Next(&tag, &ok) && ok;
}

// Whether the server keeps the stream open for as long as the client likes.
inline bool IsHeld(const google::protobuf::MethodDescriptor& method) {
  return method.name() == "Serve" || method.name() == "WatchRun";
}

// Sends one message and reads at most sixteen answers. A stream that the server holds open ends with its
// deadline after 20 ms.
inline grpc::Status CallRaw(grpc::GenericStub* stub, const google::protobuf::MethodDescriptor& method,
                            const std::string& request) {
  constexpr int kMostMessages = 16;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::milliseconds(IsHeld(method) ? 20 : 9000));
  grpc::CompletionQueue queue;
  const auto call =
      stub->PrepareCall(&context, "/" + method.service()->full_name() + "/" + method.name(), &queue);
  call->StartCall(nullptr);
  bool ok = NextEvent(&queue);
  const grpc::Slice slice(request);
  if (ok) {
    call->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
    ok = NextEvent(&queue);
  }
  for (int i = 0; ok && i < kMostMessages; ++i) {
    grpc::ByteBuffer answer;
    call->Read(&answer, nullptr);
    ok = NextEvent(&queue);
  }
  if (ok) context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  NextEvent(&queue);
  queue.Shutdown();
  while (NextEvent(&queue)) {
  }
  return status;
}

}  // namespace diopi::server

#endif  // SERVER_RPC_RAW_CALL_TESTING_H_
