// A temporary folder.
#ifndef CASES_BASE_TEMPORARY_FOLDER_H_
#define CASES_BASE_TEMPORARY_FOLDER_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

namespace diopi {

// A folder that only this user may enter; the destructor removes it with everything in it. Move-only.
class TemporaryFolder {
 public:
  // In the system's folder for temporary files. PermissionDenied where none can be made.
  static absl::StatusOr<TemporaryFolder> Make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder() { Remove(); }
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  void Remove();
  std::string path_;
};

}  // namespace diopi

#endif  // CASES_BASE_TEMPORARY_FOLDER_H_
