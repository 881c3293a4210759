// How a client protects its line and says who it is.
#ifndef CLIENT_RPC_CREDENTIALS_H_
#define CLIENT_RPC_CREDENTIALS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::rpc {

// As the command line has it; the environment stands in for what is empty.
struct CredentialFiles {
  std::string tls_ca;      // --tls-ca, $DIOPI_TLS_CA: who signs the server's certificate
  std::string tls_cert;    // --tls-cert, $DIOPI_TLS_CERT: ours, for mutual TLS
  std::string tls_key;     // --tls-key, $DIOPI_TLS_KEY
  std::string token_file;  // --token-file; otherwise the token itself in $DIOPI_TOKEN
  bool insecure = false;   // --insecure: plaintext to another machine
  std::string token = "";  // of $DIOPI_TOKEN, where the program has taken it from the environment
};

// Ready to be used: PEM texts and the token. Not for logs.
struct Credentials {
  std::string ca;  // empty: plaintext
  std::string certificate;
  std::string key;
  std::string token;  // empty: none
  bool insecure = false;
  std::string secret = "";  // that the server on a Unix socket asks for; empty: none
};

// Reads the files. InvalidArgument, naming flag and file: as of server::ReadTlsFiles; a token file that
// cannot be read, is empty, or has more than a token in it.
absl::StatusOr<Credentials> LoadCredentials(const CredentialFiles& files);

// InvalidArgument for plaintext to another machine without `insecure`. `address` as in Client::Connect.
absl::Status CheckEncryption(const std::string& address, const Credentials& credentials);

// Makes one TLS connection to say what gRPC does not: Unauthenticated with the reason when the two sides do
// not accept each other, or only one of them speaks TLS. OK when they do, when there is nobody at the
// address, and for Unix sockets.
absl::Status ExplainTls(const std::string& address, const Credentials& credentials);

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_CREDENTIALS_H_
