#include "client/cli/upkeep.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/status_macros.h"
#include "client/cli/command.h"
#include "server/store/database.h"

namespace diopi::cli {

absl::StatusOr<std::string> DatabaseToChange(const std::string& data_folder) {
  const std::string path = server::DatabasePath(data_folder);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return absl::NotFoundError(absl::StrCat(path, ": there is no results database"));
  }
  server::Database::Options options;
  options.on_progress = [](const std::string& text) { std::cerr << "diopi-cli: " << text << "\n"; };
  RETURN_IF_ERROR(server::Database::Open(path, options).status());
  return path;
}

absl::Status Confirm(const std::string& question, bool yes) {
  if (yes) return absl::OkStatus();
  if (isatty(STDIN_FILENO) == 0) {
    return absl::InvalidArgumentError(
        "nothing was changed: --yes is required without a terminal; --dry-run shows what would be done");
  }
  std::cout << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "yes") return absl::OkStatus();
  return absl::CancelledError("nothing was changed");
}

std::string Megabytes(int64_t bytes) {
  return absl::StrFormat("%.1f MB", static_cast<double>(bytes) * 1e-6);
}

}  // namespace diopi::cli
