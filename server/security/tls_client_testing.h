// A TLS client with chosen versions and ciphers, for tests.
#ifndef SERVER_SECURITY_TLS_CLIENT_TESTING_H_
#define SERVER_SECURITY_TLS_CLIENT_TESTING_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace diopi::server {

// What a client can do. Versions as of OpenSSL (TLS1_1_VERSION); 0: any.
struct TlsOffer {
  int lowest = 0;
  int highest = 0;
  std::string ciphers = "ALL";   // up to TLS 1.2
  std::string application = "";  // the protocol to agree on (ALPN); empty: none
};

// Old and weak offers, which gRPC and HTTPS must refuse, and good ones.
struct TlsOfferRow {
  std::string name;
  TlsOffer offer;
  bool accepted;
};
std::vector<TlsOfferRow> TlsOffers();

// Opens a TCP connection from the loopback address `from` to 127.0.0.1:`port`. The caller closes the
// descriptor; -1: the server reset it. `receive_bytes`: the kernel's buffer for unread bytes; 0: its default.
int ConnectTo(int port, const std::string& from = "127.0.0.1", int receive_bytes = 0);

// A connection that accepts every certificate. Not thread-safe.
class TlsClient {
 public:
  // Null: the handshake failed.
  static std::unique_ptr<TlsClient> Connect(int port, const TlsOffer& offer = {}, int receive_bytes = 0,
                                            const std::string& from = "127.0.0.1");
  virtual ~TlsClient() = default;  // closes

  virtual bool Send(std::string_view bytes) = 0;
  // Returns at most 4096 bytes; empty at the end.
  virtual std::string Receive() = 0;
  virtual int descriptor() const = 0;
  virtual std::string protocol() const = 0;  // "TLSv1.2"
  virtual std::string server() const = 0;    // the common name in the server's certificate
};

}  // namespace diopi::server

#endif  // SERVER_SECURITY_TLS_CLIENT_TESTING_H_
