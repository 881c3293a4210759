#include "baselines/store/new_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"

namespace diopi::baselines::hdf5 {

NewFile::NewFile(std::string path, Descriptor lock, Outlives outlives)
    : path_(std::move(path)),
      outlives_(outlives),
      lock_(std::move(lock)),
      driver_(RegisterDriver()),
      string_(StringType()),
      scalar_(ScalarSpace()) {}

// No chunk cache; metadata is gathered into blocks of 64 KiB.
absl::Status NewFile::Open() {
  const Silence silence;
  target_.fd = lock_.get();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  H5Pset_cache(access.id(), 0, 0, 0, 0.0);
  H5Pset_meta_block_size(access.id(), 64 << 10);
  if (!driver_.ok() || !UseDriver(access.id(), driver_.id(), &target_)) {
    return Failure("cannot set up its driver");
  }
  file_ = Handle(H5Fcreate(TemporaryPath(path_).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  return file_.ok() ? absl::OkStatus() : Failure("cannot create");
}

absl::Status NewFile::Written() const {
  return target_.error == 0 ? absl::OkStatus()
                            : SystemError(absl::StrCat("cannot write ", path_), target_.error);
}

absl::Status NewFile::Failure(const std::string& what) const {
  absl::Status written = Written();
  return written.ok() ? LastError(path_, what) : written;
}

absl::Status NewFile::Usable(const char* call) const {
  return done_ ? absl::FailedPreconditionError(absl::StrCat(path_, ": ", call, " after Commit or a failure"))
               : absl::OkStatus();
}

absl::Status NewFile::Finish(const MakeFooter& footer) {
  if (H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) < 0 || !file_.Close()) return Failure("cannot close");
  RETURN_IF_ERROR(Written());
  struct stat info {};
  if (fstat(lock_.get(), &info) != 0) return SystemError(absl::StrCat("cannot read ", path_), errno);
  ASSIGN_OR_RETURN(const std::string text, footer(lock_.get(), info.st_size));
  errno = 0;
  if (pwrite(lock_.get(), text.data(), text.size(), info.st_size) != static_cast<ssize_t>(text.size())) {
    return SystemError(absl::StrCat("cannot write ", path_), errno == 0 ? ENOSPC : errno);
  }
  return Publish(lock_, path_, outlives_);
}

absl::Status NewFile::Commit(const MakeFooter& footer) {
  absl::Status status = Usable("Commit");
  if (!status.ok()) return status;
  const Silence silence;
  status = Finish(footer);
  if (!status.ok()) {
    Discard();
    return status;
  }
  done_ = true;
  return outlives_ == Outlives::kMachine ? SyncFolder(path_) : absl::OkStatus();
}

void NewFile::Discard() {
  if (done_) return;
  done_ = true;
  unlink(TemporaryPath(path_).c_str());
  const Silence silence;
  if (target_.error == 0) target_.error = ECANCELED;  // nothing more is written
  file_.Close();
}

}  // namespace diopi::baselines::hdf5
