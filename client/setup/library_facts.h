// Facts about a vendor's library that need no call of an operator.
#ifndef CLIENT_SETUP_LIBRARY_FACTS_H_
#define CLIENT_SETUP_LIBRARY_FACTS_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"

namespace diopi::agent {

struct LibraryFacts {
  std::string path;  // absolute
  std::string sha256;
  std::string identity;               // identifies the hashed file: loader::FileIdentity
  std::set<std::string> implemented;  // ABI functions that it exports
};

// Reads the file without loading it. NotFound, InvalidArgument (not ELF, another architecture, not a shared
// object) or DataLoss (truncated), each naming the file.
absl::StatusOr<LibraryFacts> InspectLibrary(const std::string& path);

// The same for a library with operators: InvalidArgument when it exports no function of the ABI.
absl::StatusOr<LibraryFacts> InspectOperators(const std::string& path);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_LIBRARY_FACTS_H_
