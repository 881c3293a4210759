// The older dialect: initLibrary registers its device functions with the host.
#include "impl_loader/testdata/fake_add.h"

namespace {

int32_t CopyH2D(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return FakeCopy(stream, FromDevice(dst), src, bytes);
}
int32_t CopyD2H(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return FakeCopy(stream, dst, FromDevice(src), bytes);
}
int32_t CopyD2D(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) {
  return FakeCopy(stream, FromDevice(dst), FromDevice(src), bytes);
}
int32_t CreateStream(diopiStreamHandle_t* stream) {
  *stream = NewStream();
  return 0;
}
int32_t CheckStream(diopiStreamHandle_t stream) {
  return IsStream(stream) ? 0 : 1;
}
const char* LastError() {
  return "the registered last error";
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int32_t initLibrary() {
  diopiRegisterDeviceMallocFunc(FakeMalloc);
  diopiRegisterDevMemFreeFunc(FakeFree);
  diopiRegisterStreamCreateFunc(CreateStream);
  diopiRegisterStreamDestroyFunc(CheckStream);
  diopiRegisterSynchronizeStreamFunc(CheckStream);
  diopiRegisterMemcpyH2DAsyncFunc(CopyH2D);
  diopiRegisterMemcpyD2HAsyncFunc(CopyD2H);
  diopiRegisterMemcpyD2DAsyncFunc(CopyD2D);
  diopiRegisterGetLastErrorFunc(LastError);
  return 0;
}
extern "C" __attribute__((visibility("default"))) int32_t finalizeLibrary() {
  return 0;
}
