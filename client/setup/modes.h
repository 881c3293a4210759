// The public harness's modes: --nhwc, --four-bytes, --list-only and others; the options that select cases.
#ifndef CLIENT_SETUP_MODES_H_
#define CLIENT_SETUP_MODES_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/setup/arguments.h"
#include "diopi/v1/adaptor.pb.h"

namespace diopi::agent {

struct Modes {
  bool nhwc = false;            // --nhwc: channels last, for the operators that support it
  int nhwc_min_dim = 3;         // --nhwc-min-dim: only tensors with at least this many dimensions
  bool four_bytes = false;      // --four-bytes: int64 as int32, float64 as float32
  int failure_debug_level = 0;  // --failure-debug-level: 1 the tensors of failed cases, 2 their values too
  bool list_only = false;       // --list-only: print the cases, run nothing
};

// The rules that the modes add to a profile's own. Operator files say which tensors --nhwc concerns.
absl::StatusOr<std::vector<v1::AdaptorRule>> AdaptorRules(const Modes& modes);

// What --get-model-list prints: the names of the models that have a suite.
std::string ModelListText();

// Bytes of this machine's memory that programs can have; 0: not known.
int64_t FreeMemory();

// How many tensors of `--max-bytes auto` fit into the memory that is free: a call's inputs and outputs.
inline constexpr int64_t kTensorsInMemory = 8;

// What `--max-bytes auto` allows a tensor where so many bytes of memory are free: a power of two, so that
// runs on machines alike have the same cases.
int64_t TensorBytesForFreeMemory(int64_t free);

// --fname --case --suite --model --max-bytes --dtype --filter-dtype, and --get-model-list, which prints the
// list and throws CLI::Success.
void AddSelectionOptions(CLI::App* app, SelectionArguments* arguments);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_MODES_H_
