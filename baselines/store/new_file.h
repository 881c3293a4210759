// Writes an HDF5 file atomically: at the end it is complete under its name, or does not exist. For this
// folder only. Not thread-safe.
#ifndef BASELINES_STORE_NEW_FILE_H_
#define BASELINES_STORE_NEW_FILE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "baselines/store/driver.h"
#include "baselines/store/h5.h"
#include "baselines/store/replace.h"

namespace diopi::baselines::hdf5 {

class NewFile {
 public:
  // `lock` is what OpenTemporary(path) returned.
  NewFile(std::string path, Descriptor lock, Outlives outlives);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() { Discard(); }

  // Creates it in the newest format.
  absl::Status Open();

  const std::string& path() const { return path_; }
  hid_t root() const { return file_.id(); }
  hid_t scalar() const { return scalar_.id(); }
  bool WriteText(hid_t object, const char* attribute, const std::string& value) const {
    return WriteString(object, attribute, value, string_.id(), scalar_.id());
  }
  bool WriteNumber(hid_t object, const char* attribute, int64_t value) const {
    return WriteInt(object, attribute, value, scalar_.id());
  }

  // The result of the writes that HDF5 considers done.
  absl::Status Written() const;
  // The error of the call that failed just now: the disk's, or else HDF5's own.
  absl::Status Failure(const std::string& what) const;
  // FailedPrecondition after Commit or Discard; `call` is what the user called.
  absl::Status Usable(const char* call) const;

  // Closes the file, appends what `footer` makes from its bytes (a descriptor open for reading, and their
  // number) and gives it its name. After an error nothing is left of it.
  using MakeFooter = std::function<absl::StatusOr<std::string>(int fd, int64_t size)>;
  absl::Status Commit(const MakeFooter& footer);
  // Removes the file unless it is committed.
  void Discard();

 private:
  absl::Status Finish(const MakeFooter& footer);

  const std::string path_;
  const Outlives outlives_;
  Descriptor lock_;
  Target target_;  // before the file that writes into it
  Handle driver_;
  Handle file_;
  Handle string_;
  Handle scalar_;
  bool done_ = false;
};

}  // namespace diopi::baselines::hdf5

#endif  // BASELINES_STORE_NEW_FILE_H_
