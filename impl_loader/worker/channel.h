// Length-prefixed protobuf messages over one end of a socket pair.
#ifndef IMPL_LOADER_WORKER_CHANNEL_H_
#define IMPL_LOADER_WORKER_CHANNEL_H_

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

  // Waits while the other side does not read. Unavailable when it is gone.
  absl::Status Send(const google::protobuf::MessageLite& message);
  // Waits for a whole message. Unavailable: the other side is gone. DataLoss: not a message.
  absl::Status Receive(google::protobuf::MessageLite* message);
  // Takes what has arrived, without waiting; true when `message` is complete. Errors as of Receive.
  absl::Status Poll(google::protobuf::MessageLite* message, bool* complete);

 private:
  absl::Status Extract(google::protobuf::MessageLite* message, bool* complete);
  absl::Status Read(int flags, bool* any);

  Descriptor socket_;
  std::string pending_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_CHANNEL_H_
