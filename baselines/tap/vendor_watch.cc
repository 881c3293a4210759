// A library of the register dialect hands its functions to diopiRegister...Func by name, and every library
// calls diopiRequireTensor by name. To see both, these imports of the library are redirected to the functions
// below, which pass everything on to the host. The ABI gives them no handle, so there is one table per
// process.
#include "baselines/tap/vendor_watch.h"

#include <map>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "cases/base/dtype.h"
#include "cases/base/status_macros.h"
#include "impl_loader/library/imports.h"
#include "impl_loader/library/library.h"
#include "proto/abi/abi.h"

namespace diopi::tap {
namespace {

using loader::Library;
using runtime::DeviceFunctions;

struct Watch {
  std::mutex mutex;
  DeviceFunctions functions;
  std::map<std::string, void*> host;  // the host's functions for registrations
  const HostRuntime* runtime = nullptr;
  RequireObserver* observer = nullptr;
};

Watch& TheWatch() {
  static auto* watch = new Watch;
  return *watch;
}

// Stands in for diopiRegister...Func: keeps the function and registers it with the host, too.
template <auto kSlot>
diopiError_t Register(void* function, const char* name) {
  Watch& watch = TheWatch();
  {
    const std::lock_guard<std::mutex> lock(watch.mutex);
    auto& slot = watch.functions.*kSlot;
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(function);
  }
  const auto host = watch.host.find(name);
  if (host == watch.host.end()) return diopiSuccess;
  return reinterpret_cast<diopiError_t (*)(void*)>(host->second)(function);
}

#define DIOPI_REGISTRATION(name, slot)                                                             \
  {                                                                                                \
#name, reinterpret_cast < void*>                                                               \
               (+[](void* function) { return Register<&DeviceFunctions::slot>(function, #name); }) \
  }
std::map<std::string, void*> Registrations() {
  return {DIOPI_REGISTRATION(diopiRegisterStreamCreateFunc, stream_create),
          DIOPI_REGISTRATION(diopiRegisterStreamDestroyFunc, stream_destroy),
          DIOPI_REGISTRATION(diopiRegisterSynchronizeStreamFunc, stream_synchronize),
          DIOPI_REGISTRATION(diopiRegisterDeviceMallocFunc, memory_malloc),
          DIOPI_REGISTRATION(diopiRegisterDevMemFreeFunc, memory_free),
          DIOPI_REGISTRATION(diopiRegisterMemcpyH2DAsyncFunc, copy_h2d),
          DIOPI_REGISTRATION(diopiRegisterMemcpyD2HAsyncFunc, copy_d2h),
          DIOPI_REGISTRATION(diopiRegisterMemcpyD2DAsyncFunc, copy_d2d),
          DIOPI_REGISTRATION(diopiRegisterGetLastErrorFunc, last_error)};
}
#undef DIOPI_REGISTRATION

diopiError_t RequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, const diopiSize_t* size,
                           const diopiSize_t* stride, diopiDtype_t dtype, diopiDevice_t device) {
  int64_t bytes = ElementSize(static_cast<Dtype>(dtype));
  for (int64_t i = 0; size != nullptr && i < size->len; ++i) bytes *= size->data[i];
  TheWatch().observer->Required(bytes, /*buffer=*/false);
  return TheWatch().runtime->require_tensor(ctx, tensor, size, stride, dtype, device);
}

diopiError_t RequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, int64_t bytes,
                           diopiDevice_t device) {
  TheWatch().observer->Required(bytes, /*buffer=*/true);
  return TheWatch().runtime->require_buffer(ctx, tensor, bytes, device);
}

// The address of a function that the library itself exports; null: it has none.
const void* AnySymbol(const Library& library) {
  for (const abi::Function* function : abi::Functions()) {
    if (const void* symbol = library.Symbol(function->name()); symbol != nullptr) return symbol;
  }
  return library.Symbol("initLibrary");
}

void TakeExported(const Library& library, DeviceFunctions* functions) {
  const auto take = [&](const char* name, auto* slot) {
    if (void* symbol = library.Symbol(name); symbol != nullptr) {
      *slot = reinterpret_cast<std::remove_pointer_t<decltype(slot)>>(symbol);
    }
  };
  take("device_malloc", &functions->memory_malloc);
  take("device_free", &functions->memory_free);
  take("device_memcpy_h2d_async", &functions->copy_h2d);
  take("device_memcpy_d2h_async", &functions->copy_d2h);
  take("device_memcpy_d2d_async", &functions->copy_d2d);
  take("device_make_stream", &functions->stream_create);
  take("device_destroy_stream", &functions->stream_destroy);
  take("device_synchronize_stream", &functions->stream_synchronize);
}

absl::Status Redirect(const Library& library, std::map<std::string, void*> functions) {
  const void* inside = AnySymbol(library);
  if (inside == nullptr) return absl::OkStatus();
  return loader::RedirectImports(inside, functions).status();
}

// A second library of the register dialect registers its functions when it is initialised, which the host may
// have done already, before anybody watched.
absl::Status OpenDeviceLibrary(const std::string& path, const std::map<std::string, void*>& registrations) {
  ASSIGN_OR_RETURN(Library opened, Library::Open(path));
  static auto* library = new Library(std::move(opened));
  TakeExported(*library, &TheWatch().functions);
  if (TheWatch().functions.copy_d2h != nullptr) return absl::OkStatus();
  absl::Status status = Redirect(*library, registrations);
  const auto initialize = reinterpret_cast<int32_t (*)()>(library->Symbol("initLibrary"));
  if (!status.ok() || initialize == nullptr) return status;
  const int32_t code = initialize();
  return code == 0 ? absl::OkStatus()
                   : absl::FailedPreconditionError(absl::StrCat(path, ": initLibrary returned ", code));
}

}  // namespace

absl::Status WatchVendor(const TapHost& host, const HostRuntime& runtime, const std::string& library,
                         const std::string& device_lib, RequireObserver* observer) {
  Watch& watch = TheWatch();
  watch.runtime = &runtime;
  watch.observer = observer;
  std::map<std::string, void*> functions = Registrations();
  for (const auto& [name, replacement] : functions) {
    if (void* symbol = host.host_symbol(name.c_str()); symbol != nullptr) watch.host[name] = symbol;
  }
  if (!device_lib.empty()) {
    RETURN_IF_ERROR(OpenDeviceLibrary(device_lib, functions));
  }
  ASSIGN_OR_RETURN(Library opened, Library::Open(library));
  if (watch.functions.copy_d2h == nullptr) TakeExported(opened, &watch.functions);
  if (observer != nullptr) {
    functions["diopiRequireTensor"] = reinterpret_cast<void*>(&RequireTensor);
    functions["diopiRequireBuffer"] = reinterpret_cast<void*>(&RequireBuffer);
  }
  return Redirect(opened, functions);  // the tap keeps the library loaded
}

DeviceFunctions VendorDeviceFunctions() {
  Watch& watch = TheWatch();
  const std::lock_guard<std::mutex> lock(watch.mutex);
  return watch.functions;
}

}  // namespace diopi::tap
