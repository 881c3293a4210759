// Frames are made by hand (RFC 9113, and HPACK literals that need no state), because a library for HTTP/2
// would refuse to send most of them.
#include "server/door/attack_testing.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "cases/base/descriptor.h"
#include "server/security/tls_client_testing.h"

namespace diopi::server {

constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

namespace {

enum Type : uint8_t {
  kData,
  kHeaders,
  kPriority,
  kReset,
  kSettings,
  kPush,
  kPing,
  kGoaway,
  kWindowUpdate,
  kContinuation
};
constexpr uint8_t kAck = 1;
constexpr uint8_t kEndStream = 1;
constexpr uint8_t kEndHeaders = 4;
constexpr char kCall[] = "/diopi.v1.Conformance/GetServerInfo";
constexpr int kStepsAtOnce = 100;

std::string Number(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

// A literal field whose name, of an index below 15 in the static table, is not added to the dynamic one.
std::string Literal(char index, std::string_view value) {
  return std::string(1, index) + static_cast<char>(value.size()) + std::string(value);
}

uint32_t Stream(uint32_t step) {
  return 2 * step + 1;
}

std::string Opening() {
  return std::string(kHttp2Preface) + FrameBytes(kSettings, 0, 0) + FrameBytes(kSettings, kAck, 0);
}

// One stream that is open, for frames that need one.
std::string OpeningWithStream() {
  return Opening() + CallHeaders(1, kCall);
}

class Connection {
 public:
  // `silent`: sends nothing, not even TLS's greeting.
  Connection(const AttackPlan& plan, bool silent) {
    if (plan.tls && !silent) {
      TlsOffer offer;
      offer.application = "h2";
      tls_ = TlsClient::Connect(plan.port, offer, 0, plan.from);
      fd_ = tls_ == nullptr ? -1 : tls_->descriptor();
    } else {
      socket_ = Descriptor(ConnectTo(plan.port, plan.from));
      fd_ = socket_.get();
    }
    // A server that reads no more must not hold the attacker.
    const timeval limit{0, 200'000};
    if (fd_ >= 0) setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  }

  bool Send(std::string_view bytes) {
    if (fd_ < 0) return false;
    if (tls_ != nullptr) return bytes.empty() || tls_->Send(bytes);
    while (!bytes.empty()) {
      const ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  // Discards what the server sent. False: the server closed the connection.
  bool Drain() {
    if (fd_ < 0) return false;
    std::array<char, 65536> bytes{};
    for (;;) {
      pollfd wait{fd_, POLLIN, 0};
      if (poll(&wait, 1, 0) <= 0) return true;
      if (tls_ != nullptr ? tls_->Receive().empty() : recv(fd_, bytes.data(), bytes.size(), 0) <= 0)
        return false;
    }
  }

 private:
  std::unique_ptr<TlsClient> tls_;
  Descriptor socket_;
  int fd_ = -1;
};

struct Attacker {
  std::unique_ptr<Connection> connection;
  uint32_t step = 0;
};

}  // namespace

std::string FrameBytes(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  const auto size = static_cast<uint32_t>(payload.size());
  return Number(size).substr(1) + static_cast<char>(type) + static_cast<char>(flags) + Number(stream) +
         std::string(payload);
}

std::string CallHeaders(uint32_t stream, std::string_view path, bool end_headers) {
  std::string block = "\x83\x86";  // :method POST, :scheme http
  block += Literal(4, path) + Literal(1, "localhost");
  block += std::string("\x0f\x10\x10") + "application/grpc";
  block += std::string("\0\x02te\x08trailers", 13);
  return FrameBytes(kHeaders, end_headers ? kEndHeaders : 0, stream, block);
}

std::vector<Attack> Attacks() {
  const std::string reset = Number(8);
  const std::string empty_message(5, '\0');
  return {
      {"reset", Opening(),
       [=](uint32_t step) {
         return CallHeaders(Stream(step), kCall) + FrameBytes(kReset, 0, Stream(step), reset);
       }},
      {"reset of unknown method", Opening(),
       [=](uint32_t step) {
         return CallHeaders(Stream(step), "/x") + FrameBytes(kReset, 0, Stream(step), reset);
       }},
      // The server resets the stream, because the update is invalid.
      {"reset by the server", Opening(),
       [=](uint32_t step) {
         return CallHeaders(Stream(step), kCall) + FrameBytes(kWindowUpdate, 0, Stream(step), Number(0));
       }},
      {"streams without message", Opening(), [](uint32_t step) { return CallHeaders(Stream(step), kCall); }},
      {"streams without ack", std::string(kHttp2Preface) + FrameBytes(kSettings, 0, 0),
       [](uint32_t step) { return CallHeaders(Stream(step), kCall); }},
      {"calls without token", Opening(),
       [=](uint32_t step) {
         return CallHeaders(Stream(step), kCall) + FrameBytes(kData, kEndStream, Stream(step), empty_message);
       }},
      {"continuation", Opening() + CallHeaders(1, kCall, false),
       [](uint32_t step) {
         return FrameBytes(kContinuation, 0, 1, Literal(0, "x") + Literal(1, std::to_string(step % 10)));
       }},
      {"empty continuation", Opening() + CallHeaders(1, kCall, false),
       [](uint32_t) { return FrameBytes(kContinuation, 0, 1); }},
      {"settings", Opening(), [](uint32_t) { return FrameBytes(kSettings, 0, 0); }},
      {"ping", Opening(), [](uint32_t) { return FrameBytes(kPing, 0, 0, "12345678"); }},
      {"empty data", OpeningWithStream(), [](uint32_t) { return FrameBytes(kData, 0, 1); }},
      {"window update", Opening(), [](uint32_t) { return FrameBytes(kWindowUpdate, 0, 0, Number(1)); }},
      {"priority", OpeningWithStream(),
       [](uint32_t) { return FrameBytes(kPriority, 0, 1, Number(0) + "\x10"); }},
      {"unknown type", Opening(), [](uint32_t) { return FrameBytes(0xfa, 0, 0); }},
      {"half open", "", [](uint32_t) { return std::string(); }, 400},
      {"half a preface", std::string(kHttp2Preface.substr(0, 10)), [](uint32_t) { return std::string(); },
       400},
      {"idle connections", Opening(), [](uint32_t) { return std::string(); }, 400},
      {"connections",
       Opening() + CallHeaders(1, kCall) + FrameBytes(kData, kEndStream, 1, empty_message),
       {},
       20},
  };
}

AttackCounts RunAttack(const Attack& attack, const AttackPlan& plan, const std::atomic<bool>& stop) {
  AttackCounts counts;
  const absl::Time end = absl::Now() + plan.time;
  std::vector<Attacker> attackers(
      static_cast<size_t>(plan.connections > 0 ? plan.connections : attack.connections));
  const auto over = [&] { return stop || absl::Now() >= end || counts.closed >= plan.most_closed; };
  while (!over()) {
    bool idle = true;
    for (Attacker& attacker : attackers) {
      if (over()) break;
      if (attacker.connection == nullptr) {
        attacker = {std::make_unique<Connection>(plan, attack.opening.empty()), 0};
        ++counts.connections;
        idle = false;
        if (!attacker.connection->Send(attack.opening)) {
          ++counts.closed;
          attacker.connection = nullptr;
          continue;
        }
      }
      std::string bytes;
      for (int i = 0; attack.frames && i < kStepsAtOnce; ++i) {
        const std::string frames = attack.frames(attacker.step);
        if (frames.empty()) break;
        ++attacker.step;
        ++counts.steps;
        bytes += frames;
      }
      if (!bytes.empty()) idle = false;
      if (attacker.connection->Send(bytes) && attacker.connection->Drain() && attack.frames) continue;
      if (attack.frames) ++counts.closed;
      attacker.connection = nullptr;
    }
    if (idle) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return counts;
}

}  // namespace diopi::server
