// A copy of a data folder while a server serves it.
#ifndef SERVER_MAINTENANCE_BACKUP_H_
#define SERVER_MAINTENANCE_BACKUP_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace diopi::server {

struct BackupReport {
  bool database = false;  // there is one
  int64_t rows = 0;       // of the database, counted in the original and in the copy
  int64_t files = 0;      // others
  int64_t bytes = 0;      // in all
};

// Copies `data_folder` to `to`, which must not exist: the database as of one moment, whose copy is
// verified (store/backup.h), then every other file whole, as baselines are replaced by renaming and never
// changed. Temporary files (*.tmp), sockets and SQLite's own side files are left out. Everything is written
// to TO.partial-PID, flushed, and renamed at the end. A failure leaves nothing behind; a kill leaves that
// folder. To restore, start a server on the copy. AlreadyExists; NotFound: there is no such data folder;
// InvalidArgument: `to` is within `data_folder`; ResourceExhausted: the disk is full.
absl::StatusOr<BackupReport> BackUp(const std::string& data_folder, const std::string& to);

}  // namespace diopi::server

#endif  // SERVER_MAINTENANCE_BACKUP_H_
