// Checks a results database: SQLite's own checks, and what must hold between the rows.
#ifndef SERVER_STORE_CHECK_H_
#define SERVER_STORE_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::server {

struct DatabaseCheck {
  std::vector<std::string> problems;  // "FILE: TABLE row ID (what it is): what is wrong"
  int64_t runs = 0;
  int64_t results = 0;
};

// Reads everything in one read-only transaction, so that a server may write meanwhile. Verifies: the file
// (integrity_check), foreign keys, that every verdict is on a case of its run, in the same version, that
// outcomes, dtypes and times are valid, that every blob parses, that runs have as many cases as they say, and
// that finished runs are complete. A file that cannot be read or has another schema is a problem; NotFound:
// there is no file. Lists at most 20 problems of a kind, then how many more there are.
absl::StatusOr<DatabaseCheck> CheckDatabase(const std::string& path);

}  // namespace diopi::server

#endif  // SERVER_STORE_CHECK_H_
