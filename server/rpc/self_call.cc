#include "server/rpc/self_call.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "diopi/v1/service.grpc.pb.h"

namespace diopi::server {
namespace {

// Where a process of this machine reaches a server that listens on every address.
std::string ReachableText(Address address) {
  if (!address.is_unix && address.host == "0.0.0.0") address.host = "127.0.0.1";
  if (!address.is_unix && (address.host == "::" || address.host == "[::]")) address.host = "::1";
  return address.Text();
}

// The certificate names the server for its clients; this client has the socket from the server itself.
std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(bool encrypted) {
  if (!encrypted) return grpc::InsecureChannelCredentials();
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_verify_server_certs(false);
  options.set_check_call_host(false);
  return grpc::experimental::TlsCredentials(options);
}

std::shared_ptr<grpc::Channel> ChannelTo(const Address& address, bool encrypted) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // A connection of its own, which tries again at once when it is cut.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return grpc::CreateCustomChannel(ReachableText(address), CredentialsFor(encrypted), arguments);
}

}  // namespace

SelfCall::SelfCall(const Address& address, bool encrypted, std::string token)
    : SelfCall(ChannelTo(address, encrypted), std::move(token)) {}

absl::Status SelfCall::Try() const {
  grpc::ClientContext context;
  context.AddMetadata("authorization", absl::StrCat("Bearer ", token_));
  context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(kSelfCallLimit));
  v1::ListRunsRequest request;
  request.set_limit(1);
  v1::ListRunsResponse response;
  const grpc::Status status = v1::Conformance::NewStub(channel_)->ListRuns(&context, request, &response);
  if (status.ok()) return absl::OkStatus();
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return absl::UnavailableError(
        absl::StrCat("a call was not answered within ", absl::FormatDuration(kSelfCallLimit)));
  }
  return absl::UnavailableError(absl::StrCat("a call failed: ", status.error_message()));
}

}  // namespace diopi::server
