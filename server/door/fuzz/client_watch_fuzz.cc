// What clients send before gRPC sees it, on eight connections from two addresses. The input is a sequence
// of steps: a byte of which the lowest three bits say which connection and the next two what happens to it
// (nothing, a call was allowed, it ends and another begins, or time passes), the count of bytes that it
// sends, and these. Pieces are judged like single bytes and like all bytes at once; what they cost has
// bounds; and the book counts exactly the connections that are open.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "server/door/client_watch.h"
#include "server/door/guest_book.h"
#include "server/telemetry/log.h"

namespace {

namespace server = diopi::server;
using server::ClientWatch;
using server::Nuisance;

constexpr size_t kSlots = 8;
constexpr int kLeastPrice = -4;  // an allowed call
constexpr int kMostPrice = 100;  // its reset
constexpr size_t kFrameHeader = 9;
constexpr double kOpening = 45;
const server::DoorLimits kLimits = {.connections = 6, .strangers = 4, .strangers_per_address = 3};

void Expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "client_watch_fuzz: it does not hold that %s\n", what);
  std::abort();
}

// A client's bytes as one of the ways to split them shows them.
class Watched {
 public:
  // False: the connection must end.
  bool Read(std::string_view bytes, bool admitted) {
    const Nuisance one = watch_.Read(bytes, admitted);
    const auto frames = static_cast<int>(bytes.size() / kFrameHeader) + 1;
    Expect(one.points <= kMostPrice * frames, "a frame has a price");
    Expect(one.points >= (admitted ? kLeastPrice * frames : 0), "only allowed calls pay");
    Expect(one.dearest >= 0 && one.dearest <= kMostPrice, "the dearest frame has a price");
    Expect(one.kind.empty() == (one.dearest == 0), "a frame that costs has a name");
    last_ = one;
    points_ += one.points;
    useful_ = useful_ || one.useful;
    if (one.dearest > dearest_) kind_ = one.kind;
    dearest_ = std::max(dearest_, one.dearest);
    return one.violation.empty();
  }
  const Nuisance& last() const { return last_; }

  void ExpectSame(const Watched& other) const {
    Expect(points_ == other.points_ && dearest_ == other.dearest_ && kind_ == other.kind_ &&
               useful_ == other.useful_ && last_.violation == other.last_.violation,
           "the same bytes cost the same");
    if (!last_.violation.empty()) return;
    Expect(watch_.opened() == other.watch_.opened() &&
               watch_.in_header_block() == other.watch_.in_header_block(),
           "the same bytes lead to the same state");
  }

 private:
  ClientWatch watch_;
  Nuisance last_;
  int64_t points_ = 0;
  int dearest_ = 0;
  std::string_view kind_;
  bool useful_ = false;
};

struct Connection {
  std::shared_ptr<server::Guest> guest;  // null: closed
  Watched pieces, bytes, at_once;
  std::string unread;  // by `at_once`
};

class Door {
 public:
  void Step(size_t slot, int what, std::string_view bytes) {
    Connection& of = connections_[slot];
    if (what == 1 && of.guest != nullptr) Admit(&of);
    if (what == 2) Close(&of);
    if (what == 3) now_ += std::chrono::milliseconds(64 * bytes.size());
    if (of.guest == nullptr) Open(slot);
    if (of.guest != nullptr && what != 3) Send(&of, bytes);
    if (what != 0 || of.guest == nullptr) Count();
  }
  void End() {
    for (Connection& each : connections_) Close(&each);
    Count();
  }

 private:
  void Open(size_t slot) {
    const server::GuestBook::Arrival arrival =
        book_.Arrive(slot % 2 == 0 ? "10.0.0.1" : "10.0.0.2", "ipv4:10.0.0.1:1", now_);
    for (Connection& each : connections_) {
      if (each.guest != nullptr && each.guest->id == arrival.replaced) Close(&each);
    }
    connections_[slot].guest = arrival.guest;
  }
  void Admit(Connection* of) {
    Settle(of);
    book_.Admit(of->guest->id);
  }
  void Close(Connection* of) {
    if (of->guest == nullptr) return;
    Settle(of);
    book_.Leave(*of->guest);
    *of = {};
  }
  // Everything that was sent since the last admission, at once.
  void Settle(Connection* of) {
    of->at_once.Read(of->unread, of->guest->admitted);
    of->unread.clear();
    of->pieces.ExpectSame(of->at_once);
    of->pieces.ExpectSame(of->bytes);
  }

  void Send(Connection* of, std::string_view bytes) {
    const bool admitted = of->guest->admitted;
    for (const char& byte : bytes) {
      if (!of->bytes.Read({&byte, 1}, admitted)) break;
    }
    of->unread += bytes;
    const bool allowed = of->pieces.Read(bytes, admitted);
    const Nuisance& nuisance = of->pieces.last();
    const bool afforded = !allowed || nuisance.points == 0 || book_.Spend(of->guest.get(), nuisance, 0, now_);
    Expect(of->guest->opening >= 0 && of->guest->opening <= kOpening, "a first call's points are limited");
    if (allowed && afforded) return;
    Expect(!nuisance.violation.empty() || !nuisance.kind.empty(), "an end has a reason");
    book_.Closed(*of->guest, allowed ? nuisance.kind : nuisance.violation, true, now_);
    Close(of);
  }

  void Count() {
    int open = 0, strangers = 0;
    for (const Connection& each : connections_) {
      open += each.guest != nullptr ? 1 : 0;
      strangers += each.guest != nullptr && !each.guest->admitted ? 1 : 0;
    }
    Expect(open <= kLimits.connections && strangers <= kLimits.strangers, "connections are limited");
    for (const server::Sample& sample : book_.Samples(now_)) {
      Expect(sample.value >= 0, "counts are not below zero");
      if (sample.name != "diopi_door_connections") continue;
      const bool of_strangers = sample.labels.at("state") == "stranger";
      Expect(sample.value == (of_strangers ? strangers : open - strangers), "open connections are counted");
    }
  }

  server::GuestBook book_{kLimits};
  server::DoorClock::time_point now_{std::chrono::hours(1)};
  std::array<Connection, kSlots> connections_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (server::Logs(server::LogLevel::kWarn)) server::StartLog(server::LogFormat::kLogfmt, "off");
  constexpr size_t kMostBytes = 8 << 10;  // each step reads them three times
  if (size > kMostBytes) return 0;
  Door door;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (rest.size() >= 2) {
    const auto what = static_cast<uint8_t>(rest[0]);
    const std::string_view bytes = rest.substr(2, static_cast<uint8_t>(rest[1]));
    rest.remove_prefix(2 + bytes.size());
    door.Step(what % kSlots, what / kSlots % 4, bytes);
  }
  door.End();
  return 0;
}
