#include "impl_loader/worker/channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace diopi::loader {
namespace {

constexpr uint32_t kMaxMessage = 256u << 20;
constexpr size_t kReadBytes = 64 << 10;

absl::Status Gone(absl::string_view what) {
  return absl::UnavailableError(absl::StrCat("the other end of the channel has closed: ", what));
}

}  // namespace

absl::Status Channel::Send(const google::protobuf::MessageLite& message) {
  std::string bytes(sizeof(uint32_t), '\0');
  if (!message.AppendToString(&bytes)) return absl::InternalError("a message that cannot be serialised");
  const auto length = static_cast<uint32_t>(bytes.size() - sizeof(uint32_t));
  if (length > kMaxMessage) return absl::InvalidArgumentError("a message of more than 256 MiB");
  std::memcpy(bytes.data(), &length, sizeof(length));
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = send(socket_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<size_t>(n);
    } else if (n < 0 && errno != EINTR) {
      return Gone(std::strerror(errno));
    }
  }
  return absl::OkStatus();
}

absl::Status Channel::Read(int flags, bool* any) {
  const size_t before = pending_.size();
  pending_.resize(before + kReadBytes);
  const ssize_t n = recv(socket_.get(), pending_.data() + before, kReadBytes, flags);
  const int error = errno;
  pending_.resize(before + (n > 0 ? static_cast<size_t>(n) : 0));
  *any = n > 0;
  if (n > 0 || (n < 0 && (error == EINTR || error == EAGAIN))) return absl::OkStatus();
  return Gone(n == 0 ? "end of file" : std::strerror(error));
}

absl::Status Channel::Extract(google::protobuf::MessageLite* message, bool* complete) {
  *complete = false;
  uint32_t length = 0;
  if (pending_.size() < sizeof(length)) return absl::OkStatus();
  std::memcpy(&length, pending_.data(), sizeof(length));
  if (length > kMaxMessage) return absl::DataLossError("not a message of ours on the channel");
  if (pending_.size() < sizeof(length) + length) return absl::OkStatus();
  if (!message->ParseFromArray(pending_.data() + sizeof(length), static_cast<int>(length))) {
    return absl::DataLossError("a message on the channel that does not parse");
  }
  pending_.erase(0, sizeof(length) + length);
  *complete = true;
  return absl::OkStatus();
}

absl::Status Channel::Receive(google::protobuf::MessageLite* message) {
  bool complete = false;
  for (;;) {
    if (absl::Status s = Extract(message, &complete); !s.ok() || complete) return s;
    bool any = false;
    if (absl::Status s = Read(0, &any); !s.ok()) return s;
  }
}

absl::Status Channel::Poll(google::protobuf::MessageLite* message, bool* complete) {
  for (;;) {
    if (absl::Status s = Extract(message, complete); !s.ok() || *complete) return s;
    bool any = false;
    if (absl::Status s = Read(MSG_DONTWAIT, &any); !s.ok() || !any) return s;
  }
}

}  // namespace diopi::loader
