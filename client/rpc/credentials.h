// How a client encrypts its connection and authenticates.
#ifndef CLIENT_RPC_CREDENTIALS_H_
#define CLIENT_RPC_CREDENTIALS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::rpc {

// As on the command line; environment variables replace empty fields.
struct CredentialFiles {
  std::string tls_ca;      // --tls-ca, $DIOPI_TLS_CA: authority that signs the server's certificate
  std::string tls_cert;    // --tls-cert, $DIOPI_TLS_CERT: ours, for mutual TLS
  std::string tls_key;     // --tls-key, $DIOPI_TLS_KEY
  std::string token_file;  // --token-file; otherwise the token itself in $DIOPI_TOKEN
  bool insecure = false;   // --insecure: plaintext to another machine
  std::string token = "";  // from $DIOPI_TOKEN, where the program removed it from the environment
};

// Loaded PEM texts and the token. Never log them.
struct Credentials {
  std::string ca;  // empty: plaintext
  std::string certificate;
  std::string key;
  std::string token;  // empty: none
  bool insecure = false;
  std::string secret = "";  // for the server on a Unix socket; empty: none
};

// Reads the files. InvalidArgument, naming flag and file: as from server::ReadTlsFiles; also for a token file
// that cannot be read, is empty, or contains more than a token.
absl::StatusOr<Credentials> LoadCredentials(const CredentialFiles& files);

// InvalidArgument for plaintext to another machine without `insecure`. `address` is as in Client::Connect.
absl::Status CheckEncryption(const std::string& address, const Credentials& credentials);

// Makes one TLS connection to report what gRPC does not: Unauthenticated with the reason when the two sides
// do not accept each other, or only one of them speaks TLS. OK when they do, when nobody listens at the
// address, and for Unix sockets.
absl::Status ExplainTls(const std::string& address, const Credentials& credentials);

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_CREDENTIALS_H_
