// initLibrary fails, hangs, crashes or is killed, depending on DIOPI_TEST_INIT.
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "impl_loader/testdata/vendor_common.h"

extern "C" __attribute__((visibility("default"))) int32_t initLibrary() {
  const char* how = std::getenv("DIOPI_TEST_INIT");
  if (how != nullptr && std::strcmp(how, "hang") == 0) {
    volatile bool forever = true;
    while (forever) {
    }
  }
  if (how != nullptr && std::strcmp(how, "crash") == 0) std::abort();
  if (how != nullptr && std::strcmp(how, "killed") == 0) std::raise(SIGKILL);
  return 7;
}

const char* diopiGetLastErrorString() {
  return "no device";
}

// A library that exports no function at all is refused before it is loaded.
diopiError_t diopiRelu(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t) {
  return diopiNoImplement;
}
