// The device functions of dialect conform_test, over the fake device.
#ifndef IMPL_LOADER_TESTDATA_CONFORM_DEVICE_H_
#define IMPL_LOADER_TESTDATA_CONFORM_DEVICE_H_

#include <cstdlib>

#define DIOPI_STRONG
#include "diopi/diopi_device.h"
#include "impl_loader/testdata/fake_device.h"

void* device_malloc(uint64_t bytes) {
  return FakeMalloc(bytes);
}
void device_free(void* ptr) {
  FakeFree(ptr);
}
diopiError_t device_memcpy_h2d_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return static_cast<diopiError_t>(FakeCopy(stream, FromDevice(dst), src, bytes));
}
diopiError_t device_memcpy_d2h_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return static_cast<diopiError_t>(FakeCopy(stream, dst, FromDevice(src), bytes));
}
diopiError_t device_memcpy_d2d_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return static_cast<diopiError_t>(FakeCopy(stream, FromDevice(dst), FromDevice(src), bytes));
}
diopiError_t device_make_stream(diopiStreamHandle_t* stream) {
  *stream = NewStream();
  return diopiSuccess;
}
diopiError_t device_destroy_stream(diopiStreamHandle_t stream) {
  return IsStream(stream) ? diopiSuccess : diopiErrorOccurred;
}
// Fails from the start when DIOPI_TEST_SYNC_FAILS is set.
diopiError_t device_synchronize_stream(diopiStreamHandle_t stream) {
  if (std::getenv("DIOPI_TEST_SYNC_FAILS") != nullptr) return diopiErrorOccurred;
  return IsStream(stream) ? diopiSuccess : diopiErrorOccurred;
}

#endif  // IMPL_LOADER_TESTDATA_CONFORM_DEVICE_H_
