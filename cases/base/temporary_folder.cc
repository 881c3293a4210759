#include "cases/base/temporary_folder.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace diopi {

absl::StatusOr<TemporaryFolder> TemporaryFolder::Make() {
  std::string pattern = (std::filesystem::temp_directory_path() / "diopi-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return absl::PermissionDeniedError(absl::StrCat(pattern, ": cannot create a temporary folder"));
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  if (this != &other) {
    Remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void TemporaryFolder::Remove() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace diopi
