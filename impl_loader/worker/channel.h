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

  // From now on a longer message than this is not taken (256 MiB until then).
  void TakeAtMost(size_t bytes) { most_ = bytes; }

  // Waits while the other side does not read. Unavailable when it is gone. The other side gets a copy of the
  // descriptor `passed`; -1: none.
  absl::Status Send(const google::protobuf::MessageLite& message, int passed = -1);
  // Waits for a whole message. Unavailable: the other side is gone. DataLoss: not a message. `passed` takes
  // the descriptor that came with it, and stays as it is when none came; null: none is taken.
  absl::Status Receive(google::protobuf::MessageLite* message, Descriptor* passed = nullptr);
  // Something of a message has been taken already: the descriptor need not be readable when there is more.
  bool HasPending() const { return !pending_.empty(); }
  // Takes what has arrived, without waiting; true when `message` is complete. Errors as of Receive.
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
