// Relies on its caller as the public harness allows: index_put only scatters into out, which that harness
// fills with the input before the call. Float32 in one dimension. With DIOPI_TEST_FAULT=counts each call adds
// more.
#include <cstdlib>

#include "impl_loader/testdata/vendor_common.h"

diopiError_t diopiIndexPut(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t,
                           diopiConstTensorHandle_t values, diopiConstTensorHandle_t* indices,
                           int64_t indices_counts, bool accumulate) {
  if (indices_counts != 1) return diopiNoImplement;
  int64_t count = 0;
  void* to = nullptr;
  const void* from = nullptr;
  const void* at = nullptr;
  diopiGetTensorNumel(values, &count);
  diopiGetTensorData(out, &to);
  diopiGetTensorDataConst(values, &from);
  diopiGetTensorDataConst(indices[0], &at);
  static int calls = 0;
  const bool counts = std::getenv("DIOPI_TEST_FAULT") != nullptr;
  const float extra = counts ? static_cast<float>(calls++) : 0.0F;
  for (int64_t i = 0; i < count; ++i) {
    float& element = static_cast<float*>(to)[static_cast<const int64_t*>(at)[i]];
    element = static_cast<const float*>(from)[i] + extra + (accumulate ? element : 0.0F);
  }
  return diopiSuccess;
}
