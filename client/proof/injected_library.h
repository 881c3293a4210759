// The injected bugs or correct variants that a library holds (baselines/injected).
#ifndef CLIENT_PROOF_INJECTED_LIBRARY_H_
#define CLIENT_PROOF_INJECTED_LIBRARY_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::proof {

// One bug, or one other correct way to compute.
struct Injected {
  std::string name;
  int catalogue = 0;  // number in the catalogue of bugs; 0: not in it
  std::set<std::string> functions;
  std::vector<std::string> contracts;  // that a device computing this way must declare
  std::string text;
};

// Ordered by name. NotFound, InvalidArgument and FailedPrecondition as from loader::Library::Open; also
// InvalidArgument for a library that lists nothing, a malformed line, a duplicate name, or a function that
// the ABI does not have.
absl::StatusOr<std::vector<Injected>> ReadInjected(const std::string& library_path);

// Parses the listing that diopiInjected() returns: one line each, with name, number, functions, contracts and
// text separated by tabs.
absl::StatusOr<std::vector<Injected>> ParseInjected(const std::string& listing);

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_INJECTED_LIBRARY_H_
