// The device functions that a vendor's library provides, in either dialect, as one table.
#ifndef IMPL_LOADER_RUNTIME_DEVICE_FUNCTIONS_H_
#define IMPL_LOADER_RUNTIME_DEVICE_FUNCTIONS_H_

#include <cstdint>

namespace diopi::runtime {

// A null entry: the library has no such function. The error type is an enum in one dialect and int32_t in the
// other; both are returned the same way.
struct DeviceFunctions {
  int32_t (*stream_create)(void** stream) = nullptr;
  int32_t (*stream_destroy)(void* stream) = nullptr;
  int32_t (*stream_synchronize)(void* stream) = nullptr;
  void* (*memory_malloc)(uint64_t bytes) = nullptr;
  void (*memory_free)(void* pointer) = nullptr;
  int32_t (*copy_h2d)(void* stream, void* dst, const void* src, uint64_t bytes) = nullptr;
  int32_t (*copy_d2h)(void* stream, void* dst, const void* src, uint64_t bytes) = nullptr;
  int32_t (*copy_d2d)(void* stream, void* dst, const void* src, uint64_t bytes) = nullptr;
  const char* (*last_error)() = nullptr;

  // Tensors of this library live in memory of its own.
  bool HasMemory() const { return memory_malloc != nullptr; }
};

// What the library has registered so far through diopiRegister...Func. These functions take no handle, so by
// the ABI there is one table per process. Thread-safe.
DeviceFunctions RegisteredFunctions();

// Forgets all registrations. Call it before another library is loaded.
void ClearRegisteredFunctions();

}  // namespace diopi::runtime

#endif  // IMPL_LOADER_RUNTIME_DEVICE_FUNCTIONS_H_
