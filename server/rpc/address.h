// The address that a server listens on: HOST:PORT or unix:PATH.
#ifndef SERVER_RPC_ADDRESS_H_
#define SERVER_RPC_ADDRESS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::server {

struct Address {
  bool is_unix = false;
  std::string host;  // or the path
  int port = 0;      // 0: any free one
  // As users write it and clients dial it.
  std::string Text() const;
};

// InvalidArgument, saying what is expected.
absl::StatusOr<Address> ParseAddress(const std::string& text);

// Checks that a server can listen there, because gRPC itself does not say why it cannot. Removes a Unix
// socket that a dead server left behind. Unavailable for a socket or port in use: "cannot listen on
// 127.0.0.1:7410: address already in use".
absl::Status CheckFree(const Address& address);

}  // namespace diopi::server

#endif  // SERVER_RPC_ADDRESS_H_
