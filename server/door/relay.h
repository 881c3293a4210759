// One connection: passes bytes between a client and gRPC, and watches what the client sends.
#ifndef SERVER_DOOR_RELAY_H_
#define SERVER_DOOR_RELAY_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cases/base/descriptor.h"
#include "server/door/client_stream.h"
#include "server/door/client_watch.h"
#include "server/door/guest_book.h"

namespace diopi::server {

// What the relays of one thread share.
struct RelayShared {
  GuestBook* book;
  std::chrono::milliseconds opening;  // as of DoorLimits
  // Gives gRPC its end of a connection with this guest. The other end; invalid: it cannot be made.
  std::function<Descriptor(const Guest&)> hand_over;
  std::vector<char> buffer = std::vector<char>(256 << 10);
};

// Used by one thread. Never blocks, and holds at most one buffer of bytes in each direction.
class Relay {
 public:
  Relay(std::shared_ptr<Guest> guest, ClientStream client, RelayShared* shared)
      : guest_(std::move(guest)), client_(std::move(client)), shared_(shared) {}

  // What to wait for (EPOLLIN, EPOLLOUT) on each side.
  uint32_t ClientEvents() const;
  uint32_t ServerEvents() const;
  // Moves what can be moved after these events. False: the connection has ended; if that is the client's
  // fault, the book has the reason.
  bool Move(uint32_t client_events, uint32_t server_events);
  // Whether the client has kept the server waiting for too long: in its handshake and preface, in a header
  // block, or, as a stranger, with answers that it does not read.
  bool Overdue(DoorClock::time_point now) const;

  const Guest& guest() const { return *guest_; }
  int client_fd() const { return client_.fd(); }
  int server_fd() const { return server_.get(); }  // -1: gRPC has not got it yet

 private:
  // gRPC takes no more for now.
  bool server_blocked() const { return server_.valid() && !to_server_.empty(); }
  bool ReadClient();
  bool Admit(std::string_view bytes);
  bool Forward(std::string_view bytes);
  bool FlushToServer();
  bool ReadServer();
  ssize_t WriteToClient(std::string_view bytes);

  const std::shared_ptr<Guest> guest_;
  ClientStream client_;
  RelayShared* const shared_;
  Descriptor server_;
  ClientWatch watch_;
  std::string to_server_;  // could not be sent yet: gRPC is busy, or the preface is not complete
  std::string to_client_;
  bool client_blocked_ = false;
  uint64_t relayed_ = 0;  // to the client, since it last cost points
  const DoorClock::time_point arrived_ = DoorClock::now();
  DoorClock::time_point block_began_;
  DoorClock::time_point blocked_since_;
};

}  // namespace diopi::server

#endif  // SERVER_DOOR_RELAY_H_
