// RAII over the HDF5 C library, for this folder only. Nothing here throws or prints.
#ifndef BASELINES_STORE_H5_H_
#define BASELINES_STORE_H5_H_

#include <hdf5.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "cases/base/dtype.h"

namespace diopi::baselines::hdf5 {

// An HDF5 identifier with the function that closes it. Move-only; an invalid one holds nothing.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { Close(); }

  bool ok() const { return id_ >= 0; }
  hid_t id() const { return id_; }
  // False when closing failed, as when buffered writes meet a full disk.
  bool Close();

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

// While it lives, HDF5 prints no error stack on this thread.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// "FILE: what: HDF5's innermost message" from the error stack of the last call, as an internal error.
absl::Status LastError(const std::string& file, const std::string& what);

// How an element type is stored in the file: see store.h. Invalid for the internal types.
Handle FileType(Dtype dtype);

Handle StringType();  // variable-length UTF-8
Handle ScalarSpace();

bool WriteString(hid_t object, const char* attribute, const std::string& value, hid_t type, hid_t space);
bool WriteInt(hid_t object, const char* attribute, int64_t value, hid_t space);

}  // namespace diopi::baselines::hdf5

#endif  // BASELINES_STORE_H5_H_
