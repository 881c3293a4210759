// Who is connected, from which address, and what each may still do. Decides; closes nothing itself.
#ifndef SERVER_DOOR_GUEST_BOOK_H_
#define SERVER_DOOR_GUEST_BOOK_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "server/door/client_watch.h"
#include "server/telemetry/metrics.h"

namespace diopi::server {

using DoorClock = std::chrono::steady_clock;

// What is spent from a store that refills by itself.
class Budget {
 public:
  struct Size {
    double most;
    double per_second;
  };
  // False: there was less than `points`, and the store is empty now. Negative points fill it.
  bool Take(double points, const Size& size, DoorClock::time_point now);

 private:
  double left_ = -1;  // full
  DoorClock::time_point filled_;
};

struct DoorLimits {
  int connections = 1024;
  // Connections on which no call was allowed yet are strangers': of all addresses, and of one. At the limit a
  // new one replaces the one that has been of no use for the longest time.
  int strangers = 512;
  int strangers_per_address = 256;  // a laboratory's agents may all start at once
  // False: all clients share an address, because they come through a proxy.
  bool count_addresses = true;
  std::chrono::milliseconds probation{60'000};  // for an address after an abuse
  std::chrono::milliseconds opening{10'000};    // for TLS and HTTP/2's preface
};

// One connection.
struct Guest {
  uint64_t id = 0;
  std::string address;  // IPv4, or the IPv6 network of 64 bits that one customer gets
  std::string peer;     // "ipv4:10.0.0.7:51234", as gRPC writes it
  std::atomic<bool> admitted = false;
  std::atomic<DoorClock::time_point> useful;  // when it last called or sent data
  // The book's own. `opening`: points that do not count against its address, of SETTINGS and a first call.
  Budget budget;
  double opening = 45;
};

// Thread-safe.
class GuestBook {
 public:
  explicit GuestBook(const DoorLimits& limits) : limits_(limits) {}

  struct Arrival {
    std::shared_ptr<Guest> guest;  // null: refused
    uint64_t replaced = 0;         // the guest to close; 0: none
  };
  Arrival Arrive(const std::string& address, const std::string& peer, DoorClock::time_point now);
  void Leave(const Guest& guest);
  // False: it has spent what it or the strangers of its address had, and must be closed. `relayed`: bytes
  // sent to it since the last call, which explain some frames.
  bool Spend(Guest* guest, const Nuisance& nuisance, uint64_t relayed, DoorClock::time_point now);
  // `guest` is closed because of `why`, of which there are few: literals. With `abuse` its address is on
  // probation from now on: its strangers get a tenth, and few new connections. Names an address in the log at
  // most once in the time of a probation.
  void Closed(const Guest& guest, std::string_view why, bool abuse, DoorClock::time_point now);
  // A call on its connection was allowed. Unknown ids are ignored.
  void Admit(uint64_t id);
  // Connections, closed ones by reason, and addresses on probation with what they did.
  std::vector<Sample> Samples(DoorClock::time_point now);

 private:
  struct Address {
    int guests = 0;
    int strangers = 0;
    Budget arrivals;
    Budget nuisance;
    DoorClock::time_point probation_ends;  // the epoch: never on probation
    DoorClock::time_point quiet_ends;      // until then, what it does is counted and not logged
    uint64_t closed = 0;                   // connections, since the probation began
  };

  bool OnProbation(const Address& address, DoorClock::time_point now) const {
    return limits_.count_addresses && address.probation_ends > now;
  }
  uint64_t Replaceable(const std::string& address, bool strangers_only, DoorClock::time_point now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Address* Find(const std::string& name, DoorClock::time_point now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountClosed(Address* address, const std::string& name, const std::string& peer, std::string_view why,
                   bool abuse, DoorClock::time_point now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const DoorLimits limits_;
  std::mutex mutex_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  int strangers_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::shared_ptr<Guest>> guests_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Address> addresses_ ABSL_GUARDED_BY(mutex_);
  DoorClock::time_point swept_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string_view, uint64_t> closed_ ABSL_GUARDED_BY(mutex_);  // by reason
};

}  // namespace diopi::server

#endif  // SERVER_DOOR_GUEST_BOOK_H_
