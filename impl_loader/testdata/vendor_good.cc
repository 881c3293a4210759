// A correct add, to compare the others with; prints its arguments when DIOPI_TEST_CHATTY is set, and adds a
// line to the file DIOPI_TEST_LOADS whenever it is loaded.
#include <cstdio>
#include <cstdlib>

#include "impl_loader/testdata/vendor_common.h"

__attribute__((constructor)) static void CountLoad() {
  const char* path = std::getenv("DIOPI_TEST_LOADS");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "ae");
  if (file == nullptr) return;
  std::fputs("loaded\n", file);
  std::fclose(file);
}

const char* diopiGetVendorName() {
  return "good";
}
const char* diopiGetImplVersion() {
  return "1.2.3";
}

DIOPI_SPOILT_ADD {
  if (std::getenv("DIOPI_TEST_CHATTY") != nullptr)
    std::printf("adding %lld\n", static_cast<long long>(add.count));
  Add(add);
  return diopiSuccess;
}

diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  return diopiAdd(ctx, input, input, other, alpha);
}
