#include "client/cli/baselines_lock.h"

#include <iostream>

#include "absl/time/time.h"
#include "cases/base/status_macros.h"
#include "cases/base/write_file.h"

namespace diopi::cli {

absl::StatusOr<FileLock> LockBaselines(const std::string& data_folder, double wait_s) {
  RETURN_IF_ERROR(MakeFolder(data_folder));
  const std::string path = data_folder + "/gen.lock";
  return FileLock::Take(path, absl::Seconds(wait_s), [&] {
    std::cerr << "diopi-cli: " << path << " is locked: waiting up to " << wait_s
              << " s for another diopi-cli gen to end\n";
  });
}

}  // namespace diopi::cli
