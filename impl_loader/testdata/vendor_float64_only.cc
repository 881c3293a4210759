// diopiAdd of contiguous float64 tensors of one shape; refuses everything else.
#define DIOPI_STRONG
#include "diopi/diopirt.h"
#include "diopi/functions.h"

namespace {

const double* Read(diopiConstTensorHandle_t tensor) {
  diopiDtype_t dtype = diopi_dtype_unsupported;
  const void* data = nullptr;
  if (diopiGetTensorDtype(tensor, &dtype) != diopiSuccess || dtype != diopi_dtype_float64) return nullptr;
  diopiGetTensorDataConst(tensor, &data);
  return static_cast<const double*>(data);
}

}  // namespace

diopiError_t diopiAdd(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const double* a = Read(input);
  const double* b = Read(other);
  auto* sum = const_cast<double*>(Read(out));
  if (a == nullptr || b == nullptr || sum == nullptr) return diopiDtypeNotSupported;
  int64_t count = 0;
  diopiGetTensorNumel(out, &count);
  const double factor = alpha->stype <= 7 ? static_cast<double>(alpha->ival) : alpha->fval;
  for (int64_t i = 0; i < count; ++i) sum[i] = a[i] + factor * b[i];
  return diopiSuccess;
}
