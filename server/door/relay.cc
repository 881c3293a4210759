#include "server/door/relay.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace diopi::server {
namespace {

// Then others of the thread have their turn.
constexpr int kRoundsAtOnce = 16;
constexpr std::chrono::seconds kHeaderBlock{10};
constexpr std::chrono::seconds kUnread{30};

bool Again() {
  return errno == EAGAIN || errno == EINTR;
}

}  // namespace

uint32_t Relay::ClientEvents() const {
  uint32_t events = 0;
  if (!server_blocked()) events |= EPOLLIN;
  if (client_blocked_ || client_.read_wants_write()) events |= EPOLLOUT;
  return events;
}

uint32_t Relay::ServerEvents() const {
  uint32_t events = 0;
  if (!client_blocked_) events |= EPOLLIN;
  if (server_blocked()) events |= EPOLLOUT;
  return events;
}

bool Relay::Move(uint32_t client_events, uint32_t server_events) {
  constexpr uint32_t kGone = EPOLLHUP | EPOLLERR;
  if ((client_events & kGone) != 0 && server_blocked()) return false;
  const bool flush = (server_events & EPOLLOUT) != 0;
  if (flush && !FlushToServer()) return false;
  const bool read = flush || (client_events & (EPOLLIN | kGone)) != 0 || client_.read_wants_write();
  if (read && !ReadClient()) return false;
  const bool write = client_blocked_ && (client_events & EPOLLOUT) != 0;
  return (!write && (server_events & (EPOLLIN | kGone)) == 0) || ReadServer();
}

bool Relay::Overdue(DoorClock::time_point now) const {
  if (!server_.valid()) return now - arrived_ > shared_->opening;
  if (watch_.in_header_block() && now - block_began_ > kHeaderBlock) return true;
  return client_blocked_ && !guest_->admitted && now - blocked_since_ > kUnread;
}

bool Relay::ReadClient() {
  for (int round = 0; round < kRoundsAtOnce && !server_blocked(); ++round) {
    const ssize_t count = client_.Read(shared_->buffer.data(), shared_->buffer.size());
    if (count == ClientStream::kBlocked) break;
    if (count == ClientStream::kEnded) return false;
    const std::string_view bytes(shared_->buffer.data(), static_cast<size_t>(count));
    if (!Admit(bytes) || !Forward(bytes)) return false;
  }
  return true;
}

// Whether the client may send these bytes.
bool Relay::Admit(std::string_view bytes) {
  const DoorClock::time_point now = DoorClock::now();
  const bool in_block = watch_.in_header_block();
  const Nuisance nuisance = watch_.Read(bytes, guest_->admitted);
  if (!in_block) block_began_ = now;
  if (nuisance.useful) guest_->useful = now;
  std::string_view why = nuisance.violation;
  if (why.empty() && nuisance.points != 0 &&
      !shared_->book->Spend(guest_.get(), nuisance, std::exchange(relayed_, 0), now)) {
    why = nuisance.kind;
  }
  if (why.empty()) return true;
  shared_->book->Closed(*guest_, why, true, now);
  return false;
}

bool Relay::Forward(std::string_view bytes) {
  to_server_.append(bytes);
  if (server_.valid()) return FlushToServer();
  if (!watch_.opened()) return true;
  if (!client_.SpeaksHttp2()) return false;
  server_ = shared_->hand_over(*guest_);
  return server_.valid() && FlushToServer();
}

bool Relay::FlushToServer() {
  size_t sent = 0;
  while (sent < to_server_.size()) {
    const ssize_t count =
        send(server_.get(), to_server_.data() + sent, to_server_.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && !Again()) return false;
    if (count < 0) break;
    sent += static_cast<size_t>(count);
  }
  to_server_.erase(0, sent);
  return true;
}

bool Relay::ReadServer() {
  const bool was_blocked = std::exchange(client_blocked_, false);
  if (!to_client_.empty()) {
    const ssize_t sent = WriteToClient(to_client_);
    if (sent < 0) return false;
    to_client_.erase(0, static_cast<size_t>(sent));
    client_blocked_ = !to_client_.empty();
  }
  for (int round = 0; round < kRoundsAtOnce && !client_blocked_; ++round) {
    const ssize_t count = recv(server_.get(), shared_->buffer.data(), shared_->buffer.size(), MSG_DONTWAIT);
    if (count < 0 && Again()) break;
    if (count <= 0) return false;
    const std::string_view bytes(shared_->buffer.data(), static_cast<size_t>(count));
    const ssize_t sent = WriteToClient(bytes);
    if (sent < 0) return false;
    to_client_ = bytes.substr(static_cast<size_t>(sent));
    client_blocked_ = !to_client_.empty();
  }
  if (client_blocked_ && !was_blocked) blocked_since_ = DoorClock::now();
  return true;
}

// How many bytes the client took; negative: it has left.
ssize_t Relay::WriteToClient(std::string_view bytes) {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = client_.Write(bytes.data() + sent, bytes.size() - sent);
    if (count == ClientStream::kEnded) return -1;
    if (count == ClientStream::kBlocked) break;
    sent += static_cast<size_t>(count);
  }
  relayed_ += sent;
  return static_cast<ssize_t>(sent);
}

}  // namespace diopi::server
