// The injected bugs or correct variants that a library holds (baselines/planted).
#ifndef CLIENT_PROOF_PLANTED_LIBRARY_H_
#define CLIENT_PROOF_PLANTED_LIBRARY_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::proof {

// One bug, or one other correct way to compute.
struct Planted {
  std::string name;
  int catalogue = 0;  // number in the catalogue of bugs; 0: not one of them
  std::set<std::string> functions;
  std::vector<std::string> contracts;  // what a device that computes so has to declare
  std::string text;
};

// In the order of their names. NotFound, InvalidArgument, FailedPrecondition as loader::Library::Open;
// InvalidArgument for a library that lists nothing, a malformed line, a name given twice, a function that is
// none of the ABI's.
absl::StatusOr<std::vector<Planted>> ReadPlanted(const std::string& library_path);

// The listing that diopiPlanted() returns: name, number, functions, contracts, text, tab-separated, a line
// each.
absl::StatusOr<std::vector<Planted>> ParsePlanted(const std::string& listing);

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_PLANTED_LIBRARY_H_
