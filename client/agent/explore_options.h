// The options of diopi-agent that belong to --explore.
#ifndef CLIENT_AGENT_EXPLORE_OPTIONS_H_
#define CLIENT_AGENT_EXPLORE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace diopi::agent {

// How long to explore: a number of calls, or a time. The other is 0.
struct ExploreAmount {
  int64_t calls = 0;
  std::chrono::duration<double> time{};
};

struct ExploreArguments {
  std::string amount;          // --explore; empty: no exploration
  uint64_t seed = 1;           // --seed
  bool stop_on_first = false;  // --stop-on-first
  bool count_only = false;     // --count-only (hidden): looks for no causes and writes no cases
};

// "5000", "90s", "10m", "2h". InvalidArgument for anything else, and for nothing or less.
absl::StatusOr<ExploreAmount> ParseExploreAmount(const std::string& text);

void AddExploreOptions(CLI::App* app, ExploreArguments* arguments);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_EXPLORE_OPTIONS_H_
