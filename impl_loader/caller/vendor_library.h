// A vendor's library, ready to be called: loaded and initialised, with its device functions found.
#ifndef IMPL_LOADER_CALLER_VENDOR_LIBRARY_H_
#define IMPL_LOADER_CALLER_VENDOR_LIBRARY_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "impl_loader/library/library.h"
#include "impl_loader/runtime/device_functions.h"

namespace diopi::loader {

// Runs the vendor's code in this process. Only one may exist in a process at a time, because the register
// dialect has one table. Thread-safe as far as the library is.
class VendorLibrary {
 public:
  // Loads the device library first, if there is one, then the library; then calls initLibrary of each.
  // Errors as of Library::Open; FailedPrecondition when initLibrary fails or throws, or when the device
  // functions that were found cannot work (memory without copies).
  static absl::StatusOr<std::unique_ptr<VendorLibrary>> Open(const std::string& impl_path,
                                                             const std::string& device_lib,
                                                             const std::string& identity = "");
  // Calls finalizeLibrary.
  ~VendorLibrary();
  VendorLibrary(const VendorLibrary&) = delete;
  VendorLibrary& operator=(const VendorLibrary&) = delete;

  // A symbol of the library itself; null when it does not export the name.
  void* Symbol(const std::string& name);

  const runtime::DeviceFunctions& functions() const { return functions_; }
  const std::string& dialect() const { return dialect_; }  // "conform_test", "register" or "none"
  const std::vector<std::string>& missing_device_functions() const { return missing_; }

  // Empty when the library does not say.
  std::string VendorName();
  std::string ImplVersion();
  std::string LastError();

 private:
  explicit VendorLibrary(Library impl) : impl_(std::move(impl)) {}
  absl::Status FindDeviceFunctions();
  absl::Status Initialize(const Library& library);
  std::string CallText(void* symbol);

  Library impl_;
  std::optional<Library> device_;
  runtime::DeviceFunctions functions_;
  std::string dialect_ = "none";
  std::vector<std::string> missing_;
  std::vector<void*> finalizers_;
  std::mutex symbols_mutex_;
  std::unordered_map<std::string, void*> symbols_;  // guarded by symbols_mutex_
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_VENDOR_LIBRARY_H_
