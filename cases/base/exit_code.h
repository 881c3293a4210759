// The exit statuses of all programs: the only table of them. A file that is not what it should be (missing, a
// folder, garbage) is bad input; one that cannot be read, and whatever cannot be written, is the environment
// (cases/base/file_error.h).
#ifndef CASES_BASE_EXIT_CODE_H_
#define CASES_BASE_EXIT_CODE_H_

#include "absl/status/status.h"

namespace diopi {

// Part of the command line's contract: never change.
enum class ExitCode {
  kOk = 0,            // nothing failed
  kFailed = 1,        // something failed
  kUsage = 2,         // wrong usage or bad input: an unknown name, a file that is not a library
  kOurs = 3,          // a defect of diopi-conformance
  kEnvironment = 4,   // the machine, the network, or files on them
  kInterrupted = 130  // SIGINT; 128 + the signal's number, as in a shell: 143 for SIGTERM
};

// The same, for --help and the man pages.
inline constexpr char kExitCodesText[] =
    "Exit status:\n"
    "  0    nothing failed\n"
    "  1    something failed\n"
    "  2    wrong usage or bad input: an unknown name, a file that is not a library\n"
    "  3    a defect of diopi-conformance itself\n"
    "  4    the environment: a server that cannot be reached, a port in use, no permission,\n"
    "       a full disk, data that is missing, damaged or locked\n"
    "  130  stopped by Ctrl-C (143: by SIGTERM)";

inline ExitCode ExitCodeFor(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kOk;
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kAlreadyExists:
      return ExitCode::kUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kDataLoss:
      return ExitCode::kEnvironment;
    case absl::StatusCode::kCancelled:
      return ExitCode::kInterrupted;
    default:
      return ExitCode::kOurs;
  }
}

// The exit status of a program that a signal stopped.
inline int ExitCodeForSignal(int signal) {
  return 128 + signal;
}

}  // namespace diopi

#endif  // CASES_BASE_EXIT_CODE_H_
