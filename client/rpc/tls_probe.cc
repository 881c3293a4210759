// Makes one TLS handshake, because gRPC reports only that there was no connection. It only explains: where it
// finds nothing, it returns OK, and gRPC's error stands. In TLS 1.3 a server refuses a client's certificate
// after the handshake, so one frame of HTTP/2 is sent and its answer awaited before the certificate counts as
// accepted.
#include <arpa/inet.h>
#include <netdb.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/rpc/credentials.h"

namespace diopi::rpc {
namespace {

constexpr timeval kPatience{5, 0};

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using Context = std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freer<SSL_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;

class Connection {
 public:
  // A connected socket, or an invalid one.
  Connection(const std::string& host, const std::string& port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* raw = nullptr;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &raw) != 0) return;
    const std::unique_ptr<addrinfo, Freer<freeaddrinfo>> found(raw);
    fd_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return;
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
    connected_ = connect(fd_, found->ai_addr, found->ai_addrlen) == 0;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (fd_ >= 0) close(fd_);
  }
  bool connected() const { return connected_; }
  int descriptor() const { return fd_; }

 private:
  int fd_ = -1;
  bool connected_ = false;
};

// While it lives, a write of this thread to a connection that the server has closed fails, and does not end
// the process: OpenSSL writes without MSG_NOSIGNAL.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
  ~NoBrokenPipe() {
    constexpr timespec kAtOnce{};
    if (sigismember(&before_, SIGPIPE) == 0) sigtimedwait(&pipe_, nullptr, &kAtOnce);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

Bio Memory(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

void UseCredentials(SSL_CTX* context, const Credentials& credentials) {
  const Bio ca = Memory(credentials.ca);
  while (X509* authority = PEM_read_bio_X509(ca.get(), nullptr, nullptr, nullptr)) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
    X509_free(authority);
  }
  if (!credentials.certificate.empty()) {
    const Certificate certificate(
        PEM_read_bio_X509(Memory(credentials.certificate).get(), nullptr, nullptr, nullptr));
    const Key key(PEM_read_bio_PrivateKey(Memory(credentials.key).get(), nullptr, nullptr, nullptr));
    if (certificate != nullptr) SSL_CTX_use_certificate(context, certificate.get());
    if (key != nullptr) SSL_CTX_use_PrivateKey(context, key.get());
  }
  ERR_clear_error();
}

// Verifies as gRPC does: the address itself, or the name.
void Expect(SSL* session, const std::string& host) {
  X509_VERIFY_PARAM* parameters = SSL_get0_param(session);
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host.c_str()) == 1) return;
  ERR_clear_error();
  X509_VERIFY_PARAM_set1_host(parameters, host.c_str(), host.size());
  SSL_set_tlsext_host_name(session, host.c_str());
}

std::string Reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  std::string text = reason == nullptr ? "" : reason;
  ERR_clear_error();
  return text;
}

absl::Status Describe(const std::string& address, const SSL* session) {
  const long verdict = SSL_get_verify_result(session);
  if (verdict != X509_V_OK) {
    return absl::UnauthenticatedError(
        absl::StrCat("the certificate of the server at ", address,
                     " is not accepted: ", X509_verify_cert_error_string(verdict)));
  }
  const std::string reason = Reason();
  if (absl::StrContains(reason, "alert")) {
    return absl::UnauthenticatedError(
        absl::StrCat("the server at ", address, " ended the handshake: ", reason));
  }
  if (reason == "wrong version number") {
    return absl::UnauthenticatedError(
        absl::StrCat("the server at ", address, " does not use TLS: omit --tls-ca"));
  }
  return absl::OkStatus();  // gRPC's own error says as much
}

// HTTP/2's preface, with a SETTINGS frame that has nothing in it.
constexpr absl::string_view kPreface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);

}  // namespace

absl::Status ExplainTls(const std::string& address, const Credentials& credentials) {
  if (absl::StartsWith(address, "unix:")) return absl::OkStatus();
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const NoBrokenPipe no_signal;
  const Connection connection(host, address.substr(colon + 1));
  if (!connection.connected()) return absl::OkStatus();
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_client_method()));
  const bool tls = !credentials.ca.empty();
  UseCredentials(context.get(), credentials);
  SSL_CTX_set_verify(context.get(), tls ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  constexpr std::array<unsigned char, 3> kHttp2 = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), kHttp2.data(), kHttp2.size());
  bool asked = false;  // whether the server asks for a client's certificate
  const auto note = [](SSL*, void* flag) { return *static_cast<bool*>(flag) = true, 1; };
  SSL_CTX_set_cert_cb(context.get(), note, &asked);
  const Session session(SSL_new(context.get()));
  Expect(session.get(), host);
  SSL_set_fd(session.get(), connection.descriptor());
  const bool shook = SSL_connect(session.get()) == 1;
  if (!tls) {
    ERR_clear_error();
    return shook ? absl::UnauthenticatedError(
                       absl::StrCat("the server at ", address, " accepts only TLS: use --tls-ca"))
                 : absl::OkStatus();
  }
  if (!shook) return Describe(address, session.get());
  // A server checks the client's certificate after the handshake. If it accepts, it answers HTTP/2's preface,
  // and if not, it ends the connection. One that has not asked for a certificate ends it for another reason.
  SSL_write(session.get(), kPreface.data(), static_cast<int>(kPreface.size()));
  char first = 0;
  const int got = SSL_read(session.get(), &first, 1);
  if (got == 1) return absl::OkStatus();
  const bool slow = SSL_get_error(session.get(), got) == SSL_ERROR_WANT_READ;
  ERR_clear_error();
  if (!asked || slow) return absl::OkStatus();
  return absl::UnauthenticatedError(
      credentials.certificate.empty()
          ? absl::StrCat("the server at ", address,
                         " requires a client certificate: use --tls-cert and --tls-key")
          : absl::StrCat("the server at ", address, " does not accept the certificate in --tls-cert"));
}

}  // namespace diopi::rpc
