// Why a file that a user named could not be read or written: the one table from error numbers to statuses, so
// that the same mistake has the same exit status in every program (cases/base/exit_code.h).
#ifndef CASES_BASE_FILE_ERROR_H_
#define CASES_BASE_FILE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace diopi {

// "PATH: cannot be read: REASON". NotFound: there is no such file; InvalidArgument: the path names something
// else (a folder, a loop of links, a name that is too long); PermissionDenied; Unavailable: anything else.
// Thread-safe, as all below.
absl::Status ReadError(absl::string_view path, int error);

// "PATH: cannot be written: REASON". Never the caller's input, always the environment: ResourceExhausted: the
// disk is full; PermissionDenied; FailedPrecondition: no such folder, or the path names something else;
// Unavailable: anything else.
absl::Status WriteError(absl::string_view path, int error);
// Its code, for messages that say more than that.
absl::StatusCode WriteErrorCode(int error);

}  // namespace diopi

#endif  // CASES_BASE_FILE_ERROR_H_
