// The register dialect has one table for the process: it is cleared before a library is initialized and read
// after that. Every call of the vendor's code here may throw, so each is guarded. Symbols are looked up once,
// because a run asks for the same ones again and again.
#include "impl_loader/caller/vendor_library.h"

#include <cstring>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "impl_loader/caller/text.h"

namespace diopi::loader {
namespace {

template <typename F>
void Take(const Library& library, const char* name, F* slot, std::vector<std::string>* missing) {
  void* symbol = library.Symbol(name);
  if (symbol == nullptr) {
    missing->emplace_back(name);
    return;
  }
  *slot = reinterpret_cast<F>(symbol);
}

// Null: the call threw an exception, described in `error`.
template <typename F>
bool Guarded(F call, std::string* error) {
  try {
    call();
    return true;
  } catch (const std::exception& e) {
    *error = PrintableText(e.what());
  } catch (...) {
    *error = "an exception that is not a std::exception";
  }
  return false;
}

}  // namespace

absl::StatusOr<std::unique_ptr<VendorLibrary>> VendorLibrary::Open(const std::string& impl_path,
                                                                   const std::string& device_lib,
                                                                   const std::string& identity) {
  std::optional<Library> device;
  if (!device_lib.empty()) {
    ASSIGN_OR_RETURN(device, Library::Open(device_lib));
  }
  ASSIGN_OR_RETURN(Library impl, Library::Open(impl_path, identity));
  std::unique_ptr<VendorLibrary> vendor(new VendorLibrary(std::move(impl)));
  vendor->device_ = std::move(device);
  runtime::ClearRegisteredFunctions();
  if (vendor->device_.has_value()) {
    RETURN_IF_ERROR(vendor->Initialize(*vendor->device_));
  }
  RETURN_IF_ERROR(vendor->Initialize(vendor->impl_));
  RETURN_IF_ERROR(vendor->FindDeviceFunctions());
  return vendor;
}

VendorLibrary::~VendorLibrary() {
  for (void* finalizer : finalizers_) {
    std::string ignored;
    Guarded([&] { reinterpret_cast<int32_t (*)()>(finalizer)(); }, &ignored);
  }
}

absl::Status VendorLibrary::Initialize(const Library& library) {
  void* init = library.Symbol("initLibrary");
  if (void* finalizer = library.Symbol("finalizeLibrary"); finalizer != nullptr) {
    finalizers_.push_back(finalizer);
  }
  if (init == nullptr) return absl::OkStatus();
  int32_t code = 0;
  std::string error;
  if (!Guarded([&] { code = reinterpret_cast<int32_t (*)()>(init)(); }, &error)) {
    return absl::FailedPreconditionError(absl::StrCat(library.path(), ": initLibrary threw: ", error));
  }
  if (code != 0) {
    const std::string last = LastError();
    return absl::FailedPreconditionError(
        absl::StrCat(library.path(), ": initLibrary returned ", code, last.empty() ? "" : ": ", last));
  }
  return absl::OkStatus();
}

absl::Status VendorLibrary::FindDeviceFunctions() {
  const Library& library = device_.has_value() ? *device_ : impl_;
  if (library.Symbol("device_malloc") != nullptr) {
    dialect_ = "conform_test";
    Take(library, "device_malloc", &functions_.memory_malloc, &missing_);
    Take(library, "device_free", &functions_.memory_free, &missing_);
    Take(library, "device_memcpy_h2d_async", &functions_.copy_h2d, &missing_);
    Take(library, "device_memcpy_d2h_async", &functions_.copy_d2h, &missing_);
    Take(library, "device_memcpy_d2d_async", &functions_.copy_d2d, &missing_);
    Take(library, "device_make_stream", &functions_.stream_create, &missing_);
    Take(library, "device_destroy_stream", &functions_.stream_destroy, &missing_);
    Take(library, "device_synchronize_stream", &functions_.stream_synchronize, &missing_);
  } else {
    functions_ = runtime::RegisteredFunctions();
    const bool registered = functions_.HasMemory() || functions_.stream_create != nullptr;
    if (!registered) {
      functions_ = runtime::DeviceFunctions();
      return device_.has_value() ? absl::FailedPreconditionError(absl::StrCat(
                                       device_->path(), ": no device functions of either dialect"))
                                 : absl::OkStatus();
    }
    dialect_ = "register";
    const std::pair<bool, const char*> expected[] = {
        {functions_.memory_malloc != nullptr, "diopiRegisterDeviceMallocFunc"},
        {functions_.memory_free != nullptr, "diopiRegisterDevMemFreeFunc"},
        {functions_.copy_h2d != nullptr, "diopiRegisterMemcpyH2DAsyncFunc"},
        {functions_.copy_d2h != nullptr, "diopiRegisterMemcpyD2HAsyncFunc"},
        {functions_.copy_d2d != nullptr, "diopiRegisterMemcpyD2DAsyncFunc"},
        {functions_.stream_create != nullptr, "diopiRegisterStreamCreateFunc"},
        {functions_.stream_destroy != nullptr, "diopiRegisterStreamDestroyFunc"},
        {functions_.stream_synchronize != nullptr, "diopiRegisterSynchronizeStreamFunc"}};
    for (const auto& [present, name] : expected) {
      if (!present) missing_.push_back(name);
    }
  }
  if (functions_.HasMemory() && (functions_.copy_h2d == nullptr || functions_.copy_d2h == nullptr)) {
    return absl::FailedPreconditionError(
        absl::StrCat(library.path(), ": device memory without copies to and from the host"));
  }
  return absl::OkStatus();
}

void* VendorLibrary::Symbol(const std::string& name) {
  const std::lock_guard lock(symbols_mutex_);
  const auto [at, added] = symbols_.try_emplace(name, nullptr);
  if (added) at->second = impl_.Symbol(name);
  return at->second;
}

std::string VendorLibrary::CallText(void* symbol) {
  if (symbol == nullptr) return "";
  const char* text = nullptr;
  std::string ignored;
  Guarded([&] { text = reinterpret_cast<const char* (*)()>(symbol)(); }, &ignored);
  return text == nullptr ? "" : PrintableText({text, strnlen(text, kMaxVendorText)}, kMaxVendorText);
}

std::string VendorLibrary::VendorName() {
  return CallText(Symbol("diopiGetVendorName"));
}
std::string VendorLibrary::ImplVersion() {
  return CallText(Symbol("diopiGetImplVersion"));
}

std::string VendorLibrary::LastError() {
  std::string text = CallText(Symbol("diopiGetLastErrorString"));
  if (text.empty()) text = CallText(reinterpret_cast<void*>(functions_.last_error));
  return text;
}

}  // namespace diopi::loader
