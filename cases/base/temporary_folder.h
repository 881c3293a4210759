// A temporary folder.
#ifndef CASES_BASE_TEMPORARY_FOLDER_H_
#define CASES_BASE_TEMPORARY_FOLDER_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"

namespace diopi {

// A folder that only this user may enter; the destructor removes it with everything in it. Move-only.
class TemporaryFolder {
 public:
  // Makes one in the system's folder for temporary files. PermissionDenied if that is impossible.
  static absl::StatusOr<TemporaryFolder> Make();
  // Removes folders that killed processes of this user left behind: their locks are free. What cannot be
  // removed stays.
  static void SweepAbandoned();
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder() { Remove(); }
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  TemporaryFolder(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  void Remove();
  std::string path_;
  Descriptor lock_;  // on a file in the folder, for as long as this process lives
};

}  // namespace diopi

#endif  // CASES_BASE_TEMPORARY_FOLDER_H_
