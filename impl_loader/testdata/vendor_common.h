// What the bad libraries share: a correct float32 add of contiguous tensors, in which each injects its fault.
#ifndef IMPL_LOADER_TESTDATA_VENDOR_COMMON_H_
#define IMPL_LOADER_TESTDATA_VENDOR_COMMON_H_

#include <cstdint>

#define DIOPI_STRONG
#include "diopi/diopirt.h"
#include "diopi/functions.h"

struct AddArguments {
  float* out = nullptr;
  const float* input = nullptr;
  const float* other = nullptr;
  float alpha = 1;
  int64_t count = 0;
};

// False unless all three are float32 tensors of one size.
inline bool ReadAdd(diopiTensorHandle_t out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                    const diopiScalar_t* alpha, AddArguments* add) {
  diopiDtype_t dtype = diopi_dtype_unsupported;
  int64_t other_count = 0;
  if (diopiGetTensorDtype(out, &dtype) != diopiSuccess || dtype != diopi_dtype_float32) return false;
  diopiGetTensorNumel(out, &add->count);
  diopiGetTensorNumel(other, &other_count);
  if (add->count != other_count || alpha == nullptr) return false;
  void* data = nullptr;
  const void* const_data = nullptr;
  diopiGetTensorData(out, &data);
  add->out = static_cast<float*>(data);
  diopiGetTensorDataConst(input, &const_data);
  add->input = static_cast<const float*>(const_data);
  diopiGetTensorDataConst(other, &const_data);
  add->other = static_cast<const float*>(const_data);
  add->alpha = static_cast<float>(alpha->stype <= 7 ? static_cast<double>(alpha->ival) : alpha->fval);
  return true;
}

inline void Add(const AddArguments& add) {
  for (int64_t i = 0; i < add.count; ++i) add.out[i] = add.input[i] + add.alpha * add.other[i];
}

// The function into which each library puts its fault: DIOPI_SPOILT_ADD { ... } sees `ctx`, the handles and
// `add`.
#define DIOPI_SPOILT_ADD                                                                                   \
  static diopiError_t SpoiltAdd([[maybe_unused]] diopiContextHandle_t ctx,                                 \
                                [[maybe_unused]] diopiTensorHandle_t out,                                  \
                                [[maybe_unused]] const AddArguments& add);                                 \
  diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input, \
                        diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {                      \
    AddArguments add;                                                                                      \
    if (!ReadAdd(out, input, other, alpha, &add)) return diopiDtypeNotSupported;                           \
    return SpoiltAdd(ctx, out, add);                                                                       \
  }                                                                                                        \
  static diopiError_t SpoiltAdd([[maybe_unused]] diopiContextHandle_t ctx,                                 \
                                [[maybe_unused]] diopiTensorHandle_t out,                                  \
                                [[maybe_unused]] const AddArguments& add)

#endif  // IMPL_LOADER_TESTDATA_VENDOR_COMMON_H_
