// Add, mul and relu of contiguous float32 tensors, with broadcasting; refuses every other dtype and layout.
// Tested with an adaptor and the device profile float32_only of client/testing.
#include <vector>

#define DIOPI_STRONG
#include "diopi/diopirt.h"
#include "diopi/functions.h"

namespace {

struct View {
  std::vector<int64_t> shape;
  float* data = nullptr;
  int64_t count = 0;
};

// False unless it is a contiguous float32 tensor.
bool Read(diopiConstTensorHandle_t tensor, View* view) {
  diopiDtype_t dtype = diopi_dtype_unsupported;
  diopiSize_t shape{};
  diopiSize_t strides{};
  const void* data = nullptr;
  if (diopiGetTensorDtype(tensor, &dtype) != diopiSuccess || dtype != diopi_dtype_float32) return false;
  diopiGetTensorShape(tensor, &shape);
  diopiGetTensorStride(tensor, &strides);
  diopiGetTensorDataConst(tensor, &data);
  view->shape.assign(shape.data, shape.data + shape.len);
  view->data = static_cast<float*>(const_cast<void*>(data));
  diopiGetTensorNumel(tensor, &view->count);
  int64_t stride = 1;
  for (int64_t i = shape.len; i-- > 0 && view->count > 0;) {
    if (shape.data[i] > 1 && strides.data[i] != stride) return false;
    stride *= shape.data[i];
  }
  return true;
}

// The element of `from` that broadcasting assigns to element `index` of a tensor of `shape`.
float At(const View& from, const std::vector<int64_t>& shape, int64_t index) {
  int64_t offset = 0;
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t dim = shape.size() - 1 - i;
    const int64_t at = index % shape[dim];
    index /= shape[dim];
    if (i >= from.shape.size()) continue;
    const int64_t size = from.shape[from.shape.size() - 1 - i];
    if (size > 1) offset += at * stride;
    stride *= size;
  }
  return from.data[offset];
}

float Number(const diopiScalar_t* scalar) {
  return static_cast<float>(scalar->stype <= 7 ? static_cast<double>(scalar->ival) : scalar->fval);
}

template <typename F>
diopiError_t Binary(diopiTensorHandle_t out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                    F f) {
  View o;
  View a;
  View b;
  if (!Read(out, &o) || !Read(input, &a) || !Read(other, &b)) return diopiDtypeNotSupported;
  for (int64_t i = 0; i < o.count; ++i) o.data[i] = f(At(a, o.shape, i), At(b, o.shape, i));
  return diopiSuccess;
}

}  // namespace

diopiError_t diopiAdd(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const float factor = Number(alpha);
  return Binary(out, input, other, [factor](float a, float b) { return a + factor * b; });
}

diopiError_t diopiAddInp(diopiContextHandle_t, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  const float factor = Number(alpha);
  return Binary(input, input, other, [factor](float a, float b) { return a + factor * b; });
}

diopiError_t diopiMul(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other) {
  return Binary(out, input, other, [](float a, float b) { return a * b; });
}

diopiError_t diopiRelu(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return Binary(out, input, input, [](float a, float) { return a > 0 || a != a ? a : 0.0F; });
}
