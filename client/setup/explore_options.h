// The options of --explore.
#ifndef CLIENT_SETUP_EXPLORE_OPTIONS_H_
#define CLIENT_SETUP_EXPLORE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "diopi/v1/exploration.pb.h"

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
  bool count_only = false;     // --count-only (hidden): looks for no causes, writes no cases, stores nothing
  std::string run_id;          // --exploration (hidden): the submitted exploration that this is
};

// "5000", "90s", "10m", "2h". InvalidArgument for anything else, and for nothing or less.
absl::StatusOr<ExploreAmount> ParseExploreAmount(const std::string& text);

// What is stored of these options, except what --count-only and --exploration say.
absl::StatusOr<v1::ExplorationOptions> MakeExplorationOptions(const ExploreArguments& arguments);

// --explore, --seed and --stop-on-first.
CLI::Option* AddExploreOptions(CLI::App* app, ExploreArguments* arguments);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_EXPLORE_OPTIONS_H_
