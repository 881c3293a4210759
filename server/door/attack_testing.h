// Clients that abuse HTTP/2, for tests and benchmarks: bounded in frames and time, and only on loopback.
#ifndef SERVER_DOOR_ATTACK_TESTING_H_
#define SERVER_DOOR_ATTACK_TESTING_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace diopi::server {

// The bytes of one HTTP/2 frame.
std::string FrameBytes(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload = {});
// HEADERS of a call of `path` without a token, which end neither the stream nor, without `end_headers`, the
// header block.
std::string CallHeaders(uint32_t stream, std::string_view path, bool end_headers = true);
// What a client sends first.
extern const std::string_view kHttp2Preface;

struct Attack {
  std::string name;
  // What a connection sends first: the preface and SETTINGS, or less.
  std::string opening;
  // The frames of step 0, 1, ... of a connection; empty: it only holds the connection open.
  std::function<std::string(uint32_t step)> frames;
  int connections = 1;
};
std::vector<Attack> Attacks();

struct AttackPlan {
  int port = 0;      // of 127.0.0.1
  bool tls = false;  // trusts every certificate
  std::string from = "127.0.0.1";
  int connections = 0;  // 0: as many as the attack has
  absl::Duration time = absl::Seconds(10);
  uint64_t most_closed = UINT64_MAX;  // ends when the server has closed so many connections
};

struct AttackCounts {
  uint64_t steps = 0;
  uint64_t connections = 0;  // opened
  uint64_t closed = 0;       // by the server, after a step or before
};

// Opens connections again when the server closes them, until `stop` is set or the plan is done.
AttackCounts RunAttack(const Attack& attack, const AttackPlan& plan, const std::atomic<bool>& stop);

}  // namespace diopi::server

#endif  // SERVER_DOOR_ATTACK_TESTING_H_
