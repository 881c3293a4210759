// Everything that abi_check should find, in one library, which cannot be loaded.
#include <cmath>
#include <cstdint>

#define EXPORTED __attribute__((visibility("default")))

extern "C" {
// No library provides it.
int diopiGetTensorDatas(void*, void**);
int nobody_has_this(double);
__attribute__((weak)) int diopiGetTensorShapes(void*, void*);
// From a library that is not on any search path.
int elf_dependency_answer();

EXPORTED int diopiSqrtt(void* x) {
  return diopiGetTensorDatas(x, nullptr);
}  // misspelt
EXPORTED int diopirelu(void*) {
  return nobody_has_this(std::sqrt(2.0));
}  // wrong case
EXPORTED int diopiGetTensorDtype(void* x) {
  return diopiGetTensorShapes(x, x);
}  // the host's
EXPORTED int diopiSin(void*, void*, const void*) {
  return elf_dependency_answer();
}  // sound
EXPORTED void* device_malloc(uint64_t) {
  return nullptr;
}  // alone of its kind
}

EXPORTED int diopiCos(void*, void*, const void*) {
  return 0;
}  // mangled
EXPORTED const char* diopiGetVendorName() {
  return "odd";
}  // mangled

namespace impl {
EXPORTED int diopiTan(void*, void*, const void*) {
  return 0;
}  // in a namespace
EXPORTED int diopiHelper(void*, void*, const void*) {
  return 0;
}  // not meant for the ABI
EXPORTED int diopiSin(void*, void*, const void*, int) {
  return 0;
}  // beside the C symbol
}  // namespace impl
