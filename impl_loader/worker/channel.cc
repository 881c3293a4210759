#include "impl_loader/worker/channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"

namespace diopi::loader {
namespace {

constexpr size_t kMostSent = size_t{256} << 20;
constexpr size_t kReadBytes = 64 << 10;

absl::Status Gone(absl::string_view what) {
  return absl::UnavailableError(absl::StrCat("the other end of the channel has closed: ", what));
}

// Room for one descriptor beside the bytes of a message.
union Ancillary {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr header;
};

}  // namespace

absl::Status Channel::Send(const google::protobuf::MessageLite& message, int passed) {
  std::string bytes(sizeof(uint32_t), '\0');
  if (!message.AppendToString(&bytes)) return absl::InternalError("the message cannot be serialised");
  const auto length = static_cast<uint32_t>(bytes.size() - sizeof(uint32_t));
  if (bytes.size() > kMostSent) return absl::InvalidArgumentError("the message is larger than 256 MiB");
  std::memcpy(bytes.data(), &length, sizeof(length));
  Ancillary ancillary{};
  iovec part{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (passed >= 0) {
    ancillary.header.cmsg_len = CMSG_LEN(sizeof(int));
    ancillary.header.cmsg_level = SOL_SOCKET;
    ancillary.header.cmsg_type = SCM_RIGHTS;
    std::memcpy(CMSG_DATA(&ancillary.header), &passed, sizeof(int));
    header.msg_control = ancillary.bytes;
    header.msg_controllen = sizeof(ancillary.bytes);
  }
  size_t sent = 0;
  while (sent < bytes.size()) {
    part = {bytes.data() + sent, bytes.size() - sent};
    const ssize_t n = sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
    if (n > 0) header.msg_controllen = 0;  // already sent
    if (n > 0) {
      sent += static_cast<size_t>(n);
    } else if (n < 0 && errno != EINTR) {
      return Gone(std::strerror(errno));
    }
  }
  return absl::OkStatus();
}

absl::Status Channel::Read(int flags, bool* any, Descriptor* passed) {
  const size_t before = pending_.size();
  pending_.resize(before + kReadBytes);
  Ancillary ancillary{};
  iovec part{pending_.data() + before, kReadBytes};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (passed != nullptr) {  // otherwise the kernel closes a descriptor that comes
    header.msg_control = ancillary.bytes;
    header.msg_controllen = sizeof(ancillary.bytes);
  }
  const ssize_t n = recvmsg(socket_.get(), &header, flags | MSG_CMSG_CLOEXEC);
  const int error = errno;
  const cmsghdr* came = n > 0 && passed != nullptr ? CMSG_FIRSTHDR(&header) : nullptr;
  if (came != nullptr && came->cmsg_type == SCM_RIGHTS && came->cmsg_len == CMSG_LEN(sizeof(int))) {
    int file = -1;
    std::memcpy(&file, CMSG_DATA(came), sizeof(file));
    *passed = Descriptor(file);
  }
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
  if (length > most_) {
    return absl::DataLossError(absl::StrCat("a message of ", length, " bytes on the channel, where ", most_,
                                            " are the most that we expect"));
  }
  if (pending_.size() < sizeof(length) + length) return absl::OkStatus();
  if (!message->ParseFromArray(pending_.data() + sizeof(length), static_cast<int>(length))) {
    return absl::DataLossError("a message on the channel cannot be parsed");
  }
  pending_.erase(0, sizeof(length) + length);
  *complete = true;
  return absl::OkStatus();
}

absl::Status Channel::Receive(google::protobuf::MessageLite* message, Descriptor* passed) {
  bool complete = false;
  for (;;) {
    if (absl::Status s = Extract(message, &complete); !s.ok() || complete) return s;
    bool any = false;
    RETURN_IF_ERROR(Read(0, &any, passed));
  }
}

absl::Status Channel::Poll(google::protobuf::MessageLite* message, bool* complete) {
  for (;;) {
    if (absl::Status s = Extract(message, complete); !s.ok() || *complete) return s;
    bool any = false;
    if (absl::Status s = Read(MSG_DONTWAIT, &any, nullptr); !s.ok() || !any) return s;
  }
}

}  // namespace diopi::loader
