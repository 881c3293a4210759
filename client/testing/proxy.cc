#include "client/testing/proxy.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace diopi::testing {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// -1 when the server refuses.
int Connect(const std::string& server) {
  const sockaddr_in address = Loopback(std::stoi(server.substr(server.rfind(':') + 1)));
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return fd;
  close(fd);
  return -1;
}

void SendAtOnce(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

// The other side sees a reset, not an end.
void Reset(int fd) {
  const linger now{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

bool SendAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

}  // namespace

Proxy::Proxy(const std::string& server, const Fault& fault, int times)
    : server_(server), fault_(fault), times_(times) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(listener_, SOMAXCONN), 0);
  EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(pipe(stop_), 0);
  address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  thread_ = std::thread([this] { Accept(); });
}

Proxy::~Proxy() {
  close(stop_[1]);
  thread_.join();
  for (Connection& connection : all_) connection.thread.join();
  close(stop_[0]);
  close(listener_);
}

void Proxy::Accept() {
  for (;;) {
    pollfd wait_for[] = {{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    if (poll(wait_for, 2, -1) < 0) continue;
    if (wait_for[1].revents != 0) return;
    Connection& connection = all_.emplace_back();
    connection.client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    connection.server = Connect(server_);
    if (connections_++ < times_) connection.fault = fault_;
    connection.thread = std::thread([this, &connection] { Pump(&connection); });
  }
}

void Proxy::Pump(Connection* connection) {
  int64_t passed = 0;  // from the server
  if (connection->client >= 0 && connection->server >= 0) {
    SendAtOnce(connection->client);
    SendAtOnce(connection->server);
    for (bool open = true; open;) {
      pollfd wait_for[] = {
          {connection->client, POLLIN, 0}, {connection->server, POLLIN, 0}, {stop_[0], POLLIN, 0}};
      if (poll(wait_for, 3, -1) < 0) continue;
      if (wait_for[2].revents != 0) break;
      if (wait_for[0].revents != 0) open = Pass(connection, false, &passed);
      if (open && wait_for[1].revents != 0) open = Pass(connection, true, &passed);
    }
  }
  close(connection->client);
  close(connection->server);
}

bool Proxy::Pass(Connection* connection, bool from_server, int64_t* passed) {
  std::array<char, 4096> buffer{};
  const int from = from_server ? connection->server : connection->client;
  const int to = from_server ? connection->client : connection->server;
  const Fault& fault = connection->fault;
  size_t limit = buffer.size();
  const bool breaks = fault.kind == Fault::Kind::kCut || fault.kind == Fault::Kind::kStall;
  if (breaks && from_server) {
    limit = static_cast<size_t>(std::min<int64_t>(fault.after_bytes - *passed, buffer.size()));
  }
  if (limit > 0) {
    const ssize_t got = recv(from, buffer.data(), limit, 0);
    if (got <= 0) return false;
    if (fault.kind == Fault::Kind::kDelay) {
      ++faults_;
      pollfd end{stop_[0], POLLIN, 0};
      poll(&end, 1, fault.delay_ms);  // makes the delay; no event is expected
    }
    if (!SendAll(to, buffer.data(), static_cast<size_t>(got))) return false;
    if (from_server) *passed += got;
  }
  if (!breaks || !from_server || *passed < fault.after_bytes) return true;
  ++faults_;
  if (fault.kind == Fault::Kind::kStall) {
    pollfd end{stop_[0], POLLIN, 0};
    poll(&end, 1, -1);
    return false;
  }
  Reset(connection->client);
  Reset(connection->server);
  return false;
}

}  // namespace diopi::testing
