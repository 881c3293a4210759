// Length-prefixed protobuf messages over one end of a socket pair.
#ifndef IMPL_LOADER_WORKER_CHANNEL_H_
#define IMPL_LOADER_WORKER_CHANNEL_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "cases/base/descriptor.h"
#include "google/protobuf/message_lite.h"

namespace diopi::loader {

class Channel {
 public:
  Channel() = default;
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }

  // Refuses longer messages from now on (at first the limit is 256 MiB).
  void TakeAtMost(size_t bytes) { most_ = bytes; }

  // Waits while the other side does not read. Unavailable: the other side is gone. It gets a copy of the
  // descriptor `passed`; -1: none.
  absl::Status Send(const google::protobuf::MessageLite& message, int passed = -1);
  // Waits for a whole message. Unavailable: the other side is gone. DataLoss: not a message. `passed`
  // receives the descriptor that came with the message, and is unchanged when none came; null: discards it.
  absl::Status Receive(google::protobuf::MessageLite* message, Descriptor* passed = nullptr);
  // Part of a message has been read already, so there may be a message although the descriptor is not
  // readable.
  bool HasPending() const { return !pending_.empty(); }
  // Reads what has arrived, without waiting; `complete` says whether `message` is. Errors as of Receive.
  absl::Status Poll(google::protobuf::MessageLite* message, bool* complete);

 private:
  absl::Status Extract(google::protobuf::MessageLite* message, bool* complete);
  absl::Status Read(int flags, bool* any, Descriptor* passed);

  Descriptor socket_;
  size_t most_ = size_t{256} << 20;
  std::string pending_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_CHANNEL_H_
