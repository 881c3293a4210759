// A copy of a results database while others write to it.
#ifndef SERVER_STORE_BACKUP_H_
#define SERVER_STORE_BACKUP_H_

#include <string>

#include "absl/status/status.h"

namespace diopi::server {

// Copies the state of one moment with SQLite's online backup; writers go on meanwhile. `to` must not exist
// and is flushed to the disk. NotFound: there is no database at `from`; ResourceExhausted: the disk is full.
absl::Status BackUpDatabase(const std::string& from, const std::string& to);

// Waits until the file, or the entries of the folder, are on the disk. The statuses are those of errno.
absl::Status FlushToDisk(const std::string& path);

}  // namespace diopi::server

#endif  // SERVER_STORE_BACKUP_H_
