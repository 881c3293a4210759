// Finds which parts of a whole make the difference, by delta debugging.
#ifndef CLIENT_CLI_FALLBACK_SEARCH_H_
#define CLIENT_CLI_FALLBACK_SEARCH_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::cli {

// A smallest set of `names` for which `mends` is true: without any one of its members it is false. `mends`
// must be true for all names together; it need not be true for every set that contains a set for which it is.
// Asks each set at most once. An error of `mends` ends the search. (Zeller and Hildebrandt, "Simplifying and
// Isolating Failure-Inducing Input", 2002: ddmin.)
using Mends = std::function<absl::StatusOr<bool>(const std::vector<std::string>& names)>;
absl::StatusOr<std::vector<std::string>> SmallestSet(std::vector<std::string> names, const Mends& mends);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_FALLBACK_SEARCH_H_
