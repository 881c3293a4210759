// Sums have the relative error that the environment variable DIOPI_TEST_ERROR gives (default 0).
#include <cstdlib>

#include "impl_loader/testdata/vendor_common.h"

DIOPI_SPOILT_ADD {
  const char* text = std::getenv("DIOPI_TEST_ERROR");
  const float factor = 1.0F + (text == nullptr ? 0.0F : std::strtof(text, nullptr));
  for (int64_t i = 0; i < add.count; ++i) add.out[i] = (add.input[i] + add.alpha * add.other[i]) * factor;
  return diopiSuccess;
}
