// What is known about a vendor's library without calling any operator of it.
#ifndef CLIENT_SETUP_LIBRARY_FACTS_H_
#define CLIENT_SETUP_LIBRARY_FACTS_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"

namespace diopi::agent {

struct LibraryFacts {
  std::string path;  // absolute
  std::string sha256;
  std::string identity;               // of the file that was hashed: loader::FileIdentity
  std::set<std::string> implemented;  // ABI functions it exports
};

// Reads the file and loads nothing. NotFound, InvalidArgument (not ELF, another architecture, no shared
// object) or DataLoss (truncated), each naming the file.
absl::StatusOr<LibraryFacts> InspectLibrary(const std::string& path);

// The same of a library with operators: one that exports no function of the ABI is InvalidArgument.
absl::StatusOr<LibraryFacts> InspectOperators(const std::string& path);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_LIBRARY_FACTS_H_
