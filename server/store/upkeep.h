// The upkeep of a results database over the years: tags, removal of runs, archives, vacuum. Each function
// opens the file itself, which must exist, and may be called while a server writes to it. Statuses as
// Database's. A run may be named by its id, by a tag, or as "latest".
#ifndef SERVER_STORE_UPKEEP_H_
#define SERVER_STORE_UPKEEP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/labels.h"

namespace diopi::server {

struct RunTag {
  std::string tag;
  std::string run_id;
};

// Sorted by name.
absl::StatusOr<std::vector<RunTag>> Tags(const std::string& path);
// Gives the tag to the run, and takes it from any other run. InvalidArgument says what is wrong with the
// name. Returns the run's id.
absl::StatusOr<std::string> TagRun(const std::string& path, const std::string& run_id,
                                   const std::string& tag);
// NotFound when there is no such tag.
absl::Status RemoveTag(const std::string& path, const std::string& tag);

// Gives the run these labels, beside those that it has; one with an empty value is removed. InvalidArgument
// as CheckLabels. Returns the run's id and all its labels.
struct LabelledRun {
  std::string run_id;
  Labels labels;
};
absl::StatusOr<LabelledRun> LabelRun(const std::string& path, const std::string& run_id,
                                     const Labels& labels);

struct RunBytes {
  std::string run_id;
  int64_t verdicts = 0;
  int64_t bytes = 0;  // approximate; without what other runs share
};

// How many bytes the removal of these runs would free, by run; what several of them share counts for the
// first. Reads every verdict's row, about 0.2 us each.
absl::StatusOr<std::vector<RunBytes>> BytesOfRuns(const std::string& path,
                                                  const std::vector<std::string>& run_ids);

struct Removed {
  int64_t runs = 0;
  int64_t verdicts = 0;
};

// Removes one run per transaction, so that a server's writes wait for one run at most; then, in small
// transactions, what no other run shares. FailedPrecondition, with nothing removed, when one of the runs goes
// on or has a tag. A process that dies in between leaves each run whole or gone, and at most some space that
// the next call frees. The file stays as large as it is: the space is used again, or returned by Vacuum.
absl::StatusOr<Removed> RemoveRuns(const std::string& path, const std::vector<std::string>& run_ids);

struct Archived {
  int64_t verdicts = 0;
  int64_t bytes = 0;  // of the new file
};

// Writes these runs, with their ids, times and tags, into a results database of their own and compares it
// with the original, verdict by verdict. The file gets its name after that. AlreadyExists: there is a file of
// that name; FailedPrecondition when one of the runs goes on; DataLoss when the copy differs.
absl::StatusOr<Archived> ArchiveRuns(const std::string& path, const std::vector<std::string>& run_ids,
                                     const std::string& to);

// FailedPrecondition when RemoveRuns would refuse one of these runs.
absl::Status CheckRemovable(const std::string& path, const std::vector<std::string>& run_ids);

struct FileUse {
  int64_t bytes = 0;       // of the file
  int64_t free = 0;        // of these, unused
  bool in_pieces = false;  // Vacuum can shrink it in pieces
};
absl::StatusOr<FileUse> UseOf(const std::string& path);

// Returns unused space to the disk: in pieces of a few MiB, which need no space, or, with `whole` and where
// an earlier version made the file, by rewriting the file, during which nobody else can write.
// ResourceExhausted, before anything is done, when the disk lacks space for that: as much as is in use, once
// beside the file and once in the folder for temporary files.
absl::Status Vacuum(const std::string& path, bool whole);

}  // namespace diopi::server

#endif  // SERVER_STORE_UPKEEP_H_
