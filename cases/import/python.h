// Runs the importers' Python programs, within limits.
#ifndef CASES_IMPORT_PYTHON_H_
#define CASES_IMPORT_PYTHON_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/temporary_folder.h"

namespace diopi::cases {

// Far more than any file of the public harness has (0.4 MiB).
inline constexpr size_t kMostImportedBytes = size_t{4} << 20;

// Copies a file that a user named into the folder, for a program that needs a path: a pipe can be read only
// once. Statuses of ReadFile with kMostImportedBytes.
absl::Status CopyForImport(const std::string& path, const std::string& to);

// Runs `script`, which begins with harness.py, and returns what it printed. harness.py limits its memory and
// its time of a processor; this function, the time that passes. InvalidArgument, with the script's message,
// for input that it refuses or that exceeds a limit; FailedPrecondition when Python or a package is not
// installed; Internal for a defect of the script.
absl::StatusOr<std::string> RunPython(const std::string& script, const std::vector<std::string>& arguments,
                                      const TemporaryFolder& folder);

}  // namespace diopi::cases

#endif  // CASES_IMPORT_PYTHON_H_
