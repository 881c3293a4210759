// A correct nonzero of one-dimensional float32 tensors, and a masked_select that cheats: it leaves its handle
// null, invents a handle for a mask of one element, or, for a mask of two, writes half of its output.
#include <vector>

#include "impl_loader/testdata/vendor_common.h"

diopiError_t diopiNonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                          diopiConstTensorHandle_t input) {
  int64_t count = 0;
  const void* data = nullptr;
  diopiGetTensorNumel(input, &count);
  diopiGetTensorDataConst(input, &data);
  std::vector<int64_t> found;
  for (int64_t i = 0; i < count; ++i) {
    if (static_cast<const float*>(data)[i] != 0) found.push_back(i);
  }
  diopiTensorHandle_t workspace = nullptr;
  if (diopiRequireBuffer(ctx, &workspace, 100, diopi_device) != diopiSuccess) return diopiErrorOccurred;
  const int64_t sizes[] = {static_cast<int64_t>(found.size()), 1};
  const diopiSize_t shape{sizes, 2};
  const diopiError_t error = diopiRequireTensor(ctx, out, &shape, nullptr, diopi_dtype_int64, diopi_device);
  if (error != diopiSuccess) return error;
  void* indices = nullptr;
  diopiGetTensorData(*out, &indices);
  for (size_t i = 0; i < found.size(); ++i) static_cast<int64_t*>(indices)[i] = found[i];
  return diopiSuccess;
}

diopiError_t diopiMaskedSelect(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                               diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask) {
  static int made_up[64];
  int64_t count = 0;
  diopiGetTensorNumel(mask, &count);
  if (count == 1) *out = reinterpret_cast<diopiTensorHandle_t>(made_up);
  if (count != 2) return diopiSuccess;
  const int64_t size = 2;
  const diopiSize_t shape{&size, 1};
  if (diopiRequireTensor(ctx, out, &shape, nullptr, diopi_dtype_float32, diopi_device) != diopiSuccess)
    return diopiErrorOccurred;
  void* to = nullptr;
  const void* from = nullptr;
  diopiGetTensorData(*out, &to);
  diopiGetTensorDataConst(input, &from);
  *static_cast<float*>(to) = *static_cast<const float*>(from);
  return diopiSuccess;
}
