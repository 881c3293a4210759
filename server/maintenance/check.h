// Checks a data folder: every baseline file and every row of the database.
#ifndef SERVER_MAINTENANCE_CHECK_H_
#define SERVER_MAINTENANCE_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::server {

struct CheckReport {
  std::vector<std::string> problems;  // each starts with the file
  int64_t runs = 0;
  int64_t results = 0;
  int64_t files = 0;  // baselines
  int64_t cases = 0;  // in them
  int64_t tensors = 0;
  int64_t quarantined = 0;  // cases that a reference fails: not a problem
};

// Only reads, and may run beside a server and `diopi-cli gen`. For each DATA/baselines/REFERENCE/OPERATOR.h5
// it verifies the index, the checksum of every tensor and every case's text, that a case's hash is the one of
// its content, and that the file is what its name says. One case is in memory at a time. store/check.h lists
// what it verifies in the database. A data folder without database or baselines is whole. NotFound: there is
// no such folder.
absl::StatusOr<CheckReport> CheckDataFolder(const std::string& data_folder);

}  // namespace diopi::server

#endif  // SERVER_MAINTENANCE_CHECK_H_
