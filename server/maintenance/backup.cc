#include "server/maintenance/backup.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/file_error.h"
#include "cases/base/status_macros.h"
#include "server/store/backup.h"
#include "server/store/database.h"

namespace diopi::server {
namespace {

namespace fs = std::filesystem;

absl::Status Failed(const std::string& what, std::error_code error) {
  return absl::Status(WriteErrorCode(error.value()), absl::StrCat(what, ": ", error.message()));
}

bool IsWithin(const fs::path& inner, const fs::path& outer) {
  std::error_code ignored;
  const fs::path relative =
      fs::weakly_canonical(inner, ignored).lexically_relative(fs::weakly_canonical(outer, ignored));
  return !relative.empty() && *relative.begin() != "..";
}

// A folder that is removed at the end unless Rename has succeeded.
class PartialFolder {
 public:
  explicit PartialFolder(fs::path path) : path_(std::move(path)) {}
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;
  ~PartialFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

  // Gives the folder its final name, which must be free.
  absl::Status Rename(const fs::path& to) {
    if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
      return Failed(absl::StrCat("cannot rename ", path_.string(), " to ", to.string()),
                    {errno, std::generic_category()});
    }
    path_.clear();
    const fs::path parent = to.parent_path();
    return FlushToDisk(parent.empty() ? "." : parent);
  }

 private:
  fs::path path_;
};

bool IsLeftOut(const fs::path& file, const fs::path& database) {
  const std::string name = file.filename().string();
  return absl::EndsWith(name, ".tmp") || file == database || file == database.string() + "-wal" ||
         file == database.string() + "-shm" || file == database.string() + "-journal";
}

absl::Status CopyFile(const fs::path& from, const fs::path& to, BackupReport* report) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (!error) fs::copy_file(from, to, error);
  if (error == std::errc::no_such_file_or_directory) return absl::OkStatus();  // removed since it was listed
  if (error) return Failed(absl::StrCat("cannot copy ", from.string(), " to ", to.string()), error);
  ++report->files;
  const uintmax_t size = fs::file_size(to, error);
  if (error) return Failed(absl::StrCat("cannot read ", to.string()), error);
  // Files are replaced and never changed, so the original may have gone, but not grown.
  if (const uintmax_t original = fs::file_size(from, error); !error && original != size) {
    return absl::DataLossError(absl::StrCat(to.string(), " has ", size, " bytes, ", from.string(), " has ",
                                            original, ": it changed while it was copied; try again"));
  }
  report->bytes += static_cast<int64_t>(size);
  return FlushToDisk(to);
}

absl::Status CopyFiles(const fs::path& data, const fs::path& to, BackupReport* report) {
  const fs::path database = DatabasePath(data.string());
  std::error_code error;
  fs::recursive_directory_iterator entry(data, fs::directory_options::follow_directory_symlink, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    const fs::path target = to / entry->path().lexically_relative(data);
    if (entry->is_directory(gone)) {
      fs::create_directories(target, error);
      if (error) break;
    } else if (entry->is_regular_file(gone) && !IsLeftOut(entry->path(), database)) {
      RETURN_IF_ERROR(CopyFile(entry->path(), target, report));
    }
  }
  if (error) return Failed(absl::StrCat("cannot copy the files of ", data.string()), error);
  // Folders hold the names of their files: flush them too.
  for (fs::recursive_directory_iterator folder(to, error);
       !error && folder != fs::recursive_directory_iterator(); folder.increment(error)) {
    if (!folder->is_directory()) continue;
    RETURN_IF_ERROR(FlushToDisk(folder->path()));
  }
  return FlushToDisk(to);
}

}  // namespace

absl::StatusOr<BackupReport> BackUp(const std::string& data_folder, const std::string& to) {
  std::error_code error;
  const fs::path data = fs::path(data_folder).lexically_normal();
  if (!fs::is_directory(data, error)) {
    return absl::NotFoundError(absl::StrCat(data_folder, ": there is no such data folder"));
  }
  fs::path target = fs::path(to).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // "copy/"
  if (fs::symlink_status(target, error).type() != fs::file_type::not_found) {
    return absl::AlreadyExistsError(absl::StrCat(to, ": already exists; a backup needs a new folder"));
  }
  if (IsWithin(target, data)) {
    return absl::InvalidArgumentError(absl::StrCat(to, " is within ", data_folder));
  }
  PartialFolder partial(absl::StrCat(target.string(), ".partial-", getpid()));
  if (!fs::create_directory(partial.path(), error)) {
    return Failed(absl::StrCat("cannot create ", partial.path().string()),
                  error ? error : std::make_error_code(std::errc::file_exists));
  }
  BackupReport report;
  const std::string copy = DatabasePath(partial.path().string());
  const absl::StatusOr<CopiedDatabase> copied = BackUpDatabase(DatabasePath(data.string()), copy);
  absl::Status status = copied.status();
  if (status.ok()) {
    report.database = true;
    report.rows = copied->rows;
    report.bytes = static_cast<int64_t>(fs::file_size(copy, error));
  } else if (!absl::IsNotFound(status)) {
    return status;
  }
  status = CopyFiles(data, partial.path(), &report);
  if (status.ok()) status = partial.Rename(target);
  if (!status.ok()) return status;
  return report;
}

}  // namespace diopi::server
