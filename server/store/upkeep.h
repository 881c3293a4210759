// What a results database needs over the years: names for runs, removal, archives, a smaller file. Each
// function opens the file for itself, and may be called beside a server that writes to it. Statuses as
// Database's, of a file that must be there; a run may be named by its id, by a tag, or as "latest".
#ifndef SERVER_STORE_UPKEEP_H_
#define SERVER_STORE_UPKEEP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::server {

struct RunTag {
  std::string tag;
  std::string run_id;
};

// By name.
absl::StatusOr<std::vector<RunTag>> Tags(const std::string& path);
// A tag is of one run: it is taken from the run that had it. InvalidArgument says what is wrong with the
// name. Returns the run's id.
absl::StatusOr<std::string> TagRun(const std::string& path, const std::string& run_id,
                                   const std::string& tag);
// NotFound when there is no such tag.
absl::Status RemoveTag(const std::string& path, const std::string& tag);

struct RunBytes {
  std::string run_id;
  int64_t verdicts = 0;
  int64_t bytes = 0;  // about; of what other runs share, nothing
};

// What the file would have to spare without each of these runs; what several of them share counts with the
// first. Reads every verdict's row, about 0.2 us each.
absl::StatusOr<std::vector<RunBytes>> BytesOfRuns(const std::string& path,
                                                  const std::vector<std::string>& run_ids);

struct Removed {
  int64_t runs = 0;
  int64_t verdicts = 0;
};

// A transaction a run, so that a server's writes wait for one run at most; then what no other run shares, in
// small transactions. FailedPrecondition, with nothing removed, when one of the runs goes on or has a tag. A
// process that dies in between leaves runs that are there or not there, and at most room that the next call
// frees. The file stays as large as it is: the room is used again, or given back by Vacuum.
absl::StatusOr<Removed> RemoveRuns(const std::string& path, const std::vector<std::string>& run_ids);

struct Archived {
  int64_t verdicts = 0;
  int64_t bytes = 0;  // of the new file
};

// Writes these runs, with their ids, times and tags, into a results database of their own and compares it
// with the first, verdict by verdict. The file appears under its name when that was done. AlreadyExists:
// there is a file; FailedPrecondition when one of the runs goes on; DataLoss when the copy differs.
absl::StatusOr<Archived> ArchiveRuns(const std::string& path, const std::vector<std::string>& run_ids,
                                     const std::string& to);

// FailedPrecondition when RemoveRuns would refuse one of these runs.
absl::Status CheckRemovable(const std::string& path, const std::vector<std::string>& run_ids);

struct FileUse {
  int64_t bytes = 0;       // of the file
  int64_t free = 0;        // of these, what nothing uses
  bool in_pieces = false;  // can be made smaller beside a server
};
absl::StatusOr<FileUse> UseOf(const std::string& path);

// Gives what nothing uses back to the disk: in pieces of a few MiB, which need no room, or, with `whole` and
// where the file was made by an earlier version, by writing the file anew, during which nobody else can
// write. ResourceExhausted, before anything is done, when that lacks room: as much as is in use, once beside
// the file and once in the folder for temporary files.
absl::Status Vacuum(const std::string& path, bool whole);

}  // namespace diopi::server

#endif  // SERVER_STORE_UPKEEP_H_
