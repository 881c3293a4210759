// A copy of a results database while others write to it.
#ifndef SERVER_STORE_BACKUP_H_
#define SERVER_STORE_BACKUP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::server {

struct CopiedDatabase {
  int tables = 0;
  int64_t rows = 0;  // in all of them
};

// Copies the state of one moment with SQLite's online backup; writers go on meanwhile. `to` must not exist
// and is flushed to the disk. Then reads the copy: its pages must be whole (quick_check), and each table must
// have as many rows as the original had at that moment. DataLoss: it is not so; NotFound: there is no
// database at `from`; ResourceExhausted: the disk is full.
absl::StatusOr<CopiedDatabase> BackUpDatabase(const std::string& from, const std::string& to);

// Waits until the file, or the entries of the folder, are on the disk. The statuses are those of errno.
absl::Status FlushToDisk(const std::string& path);

}  // namespace diopi::server

#endif  // SERVER_STORE_BACKUP_H_
