#include "server/rpc/address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace diopi::server {
namespace {

class Socket {
 public:
  explicit Socket(int family) : fd_(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  const int fd_;
};

absl::Status CannotListen(const Address& address, const std::string& why) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address.Text(), ": ", why));
}

absl::Status CannotListen(const Address& address, int error) {
  std::string why = std::generic_category().message(error);
  if (!why.empty()) why[0] = absl::ascii_tolower(static_cast<unsigned char>(why[0]));
  return CannotListen(address, why);
}

absl::Status CheckUnix(const Address& address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (address.host.size() >= sizeof(name.sun_path)) {
    return CannotListen(address,
                        absl::StrCat("the path is longer than ", sizeof(name.sun_path) - 1, " characters"));
  }
  std::memcpy(name.sun_path, address.host.c_str(), address.host.size() + 1);
  struct stat info {};
  if (lstat(address.host.c_str(), &info) != 0) {
    return errno == ENOENT ? absl::OkStatus() : CannotListen(address, errno);
  }
  if (!S_ISSOCK(info.st_mode)) return CannotListen(address, "there is a file of that name, not a socket");
  const Socket probe(AF_UNIX);
  // The socket API takes every address type through sockaddr.
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0) {
    return CannotListen(address, EADDRINUSE);
  }
  if (unlink(address.host.c_str()) != 0) return CannotListen(address, errno);
  return absl::OkStatus();
}

absl::Status CheckTcp(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* raw = nullptr;
  const int code = getaddrinfo(address.host.c_str(), absl::StrCat(address.port).c_str(), &hints, &raw);
  if (code != 0) return CannotListen(address, absl::AsciiStrToLower(gai_strerror(code)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(raw, freeaddrinfo);
  const Socket probe(found->ai_family);
  const int on = 1;
  setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(probe.get(), found->ai_addr, found->ai_addrlen) != 0 || listen(probe.get(), 1) != 0) {
    return CannotListen(address, errno);
  }
  return absl::OkStatus();
}

}  // namespace

std::string Address::Text() const {
  return is_unix ? absl::StrCat("unix:", host) : absl::StrCat(host, ":", port);
}

absl::StatusOr<Address> ParseAddress(const std::string& text) {
  constexpr std::string_view kUnix = "unix:";
  Address address;
  if (absl::StartsWith(text, "unix:")) {
    address.is_unix = true;
    address.host = text.substr(kUnix.size());
    if (!address.host.empty()) return address;
  } else if (const size_t colon = text.rfind(':'); colon != std::string::npos && colon > 0) {
    address.host = text.substr(0, colon);
    const std::string port = text.substr(colon + 1);
    if (absl::SimpleAtoi(port, &address.port) && address.port >= 0 && address.port <= 65535) return address;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", text,
                   "' is not an address to listen on; expected HOST:PORT with a "
                   "port from 0 to 65535, or unix:PATH"));
}

absl::Status CheckFree(const Address& address) {
  return address.is_unix ? CheckUnix(address) : CheckTcp(address);
}

}  // namespace diopi::server
