/* Loads, with the current device dialect; what a sound small library looks like to abi_check. */
#define DIOPI_STRONG
#include <diopi/diopi_device.h>
#include <diopi/functions.h>
#include <stdlib.h>
#include <string.h>

const char* diopiGetVendorName(void) {
  return "elf_good";
}
const char* diopiGetImplVersion(void) {
  return "1";
}
const char* diopiGetLastErrorString(void) {
  return "";
}

diopiError_t diopiReluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  void* data = NULL;
  (void)ctx;
  return diopiGetTensorData(input, &data);
}

void* device_malloc(uint64_t bytes) {
  return malloc(bytes);
}
void device_free(void* ptr) {
  free(ptr);
}
diopiError_t device_memcpy_h2d_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  (void)stream;
  memcpy(dst, src, bytes);
  return diopiSuccess;
}
diopiError_t device_memcpy_d2h_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return device_memcpy_h2d_async(stream, dst, src, bytes);
}
diopiError_t device_memcpy_d2d_async(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return device_memcpy_h2d_async(stream, dst, src, bytes);
}
diopiError_t device_make_stream(diopiStreamHandle_t* stream) {
  *stream = NULL;
  return diopiSuccess;
}
diopiError_t device_destroy_stream(diopiStreamHandle_t stream) {
  (void)stream;
  return diopiSuccess;
}
diopiError_t device_synchronize_stream(diopiStreamHandle_t stream) {
  (void)stream;
  return diopiSuccess;
}
