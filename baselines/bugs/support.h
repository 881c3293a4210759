// What injected bugs share: the roundings of narrow hardware, and changes to what a good function gets or
// returns. Elements are read and written through baselines/ops/support: Load<double> gives a tensor's
// elements dense and row-major whatever its strides, Store rounds them into it.
#ifndef BASELINES_BUGS_SUPPORT_H_
#define BASELINES_BUGS_SUPPORT_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "baselines/injected/injected.h"
#include "baselines/ops/support/op.h"
#include "baselines/ops/support/shape.h"
#include "baselines/ops/support/stored.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::bugs {

using injected::Bytes;
using injected::BytesPerElement;
using injected::DtypeOf;
using injected::IsDense;
using injected::NumElements;
using injected::OrFail;
using injected::ShapeOf;
using injected::StrideOf;
using ops::Load;
using ops::LoadAs;
using ops::RoundedTo;
using ops::Shape;
using ops::Store;
using ops::Stored;
using ops::Tensor;

inline bool IsHalf(diopiConstTensorHandle_t tensor) {
  return DtypeOf(tensor) == diopi_dtype_float16;
}
inline bool IsBfloat16(diopiConstTensorHandle_t tensor) {
  return DtypeOf(tensor) == diopi_dtype_bfloat16;
}
inline bool IsFloat32(diopiConstTensorHandle_t tensor) {
  return DtypeOf(tensor) == diopi_dtype_float32;
}
inline bool IsFloating(diopiConstTensorHandle_t tensor) {
  return ops::IsFloating(DtypeOf(tensor));
}
inline bool IsInteger(diopiConstTensorHandle_t tensor) {
  return ops::IsInteger(DtypeOf(tensor));
}

// The nearest number of a 16-bit format, ties to even.
inline double ToHalf(double x) {
  return Stored(diopi_dtype_float16, x);
}
inline double ToBfloat16(double x) {
  return Stored(diopi_dtype_bfloat16, x);
}

// The next number of the dtype towards zero, as dropping the low bits gives.
inline double TruncatedTo(diopiDtype_t dtype, double x) {
  if (!std::isfinite(x)) return x;
  double low = RoundedTo(dtype, x);
  if (std::fabs(low) <= std::fabs(x)) return low;
  if (dtype == diopi_dtype_float16) {
    low = static_cast<double>(ops::FromFloat16(static_cast<uint16_t>(ops::ToFloat16(x) - 1)));
  } else if (dtype == diopi_dtype_bfloat16) {
    low = static_cast<double>(ops::FromBfloat16(static_cast<uint16_t>(ops::ToBfloat16(x) - 1)));
  } else if (dtype == diopi_dtype_float32) {
    low = static_cast<double>(std::nextafter(static_cast<float>(x), 0.0F));
  }
  return low;
}

// float32 with 10 bits of mantissa, as tf32 matrix units read it: nearest, ties away from zero.
inline float ToTf32(float x) {
  if (!std::isfinite(x)) return x;
  return std::bit_cast<float>((std::bit_cast<uint32_t>(x) + 0x1000U) & 0xFFFFE000U);
}

// The sum of values in an accumulator of `dtype` that is rounded after each addition.
inline double NarrowSum(diopiDtype_t dtype, const std::vector<double>& values) {
  double sum = 0;
  for (double x : values) sum = RoundedTo(dtype, sum + x);
  return sum;
}

// tensor[i] = f(tensor[i], i) over the row-major elements, as double.
template <typename F>
void Change(diopiTensorHandle_t tensor, F&& f) {
  const Tensor view(tensor);
  std::vector<double> values = Load<double>(view);
  for (size_t i = 0; i < values.size(); ++i) values[i] = f(values[i], static_cast<int64_t>(i));
  Store(view, values);
}

// Address of the row-major i-th element, by the tensor's strides.
template <typename Handle>
auto ElementAt(Handle tensor, int64_t i) -> decltype(Bytes(tensor)) {
  const std::vector<int64_t> shape = ShapeOf(tensor), strides = StrideOf(tensor);
  int64_t offset = 0;
  for (size_t d = shape.size(); d-- > 0; i /= shape[d]) offset += i % shape[d] * strides[d];
  return Bytes(tensor) + offset * BytesPerElement(tensor);
}

// Moves the elements to where they would be if the tensor were dense, like a kernel that ignores the output's
// strides.
inline void WriteContiguous(diopiTensorHandle_t out) {
  const auto bytes = static_cast<size_t>(BytesPerElement(out));
  std::vector<unsigned char> dense;
  for (int64_t i = 0; i < NumElements(out); ++i) {
    const unsigned char* element = ElementAt(out, i);
    dense.insert(dense.end(), element, element + bytes);
  }
  if (!dense.empty()) std::memcpy(Bytes(out), dense.data(), dense.size());
}

// A new dense tensor of the host's; alive until the call is over.
inline diopiTensorHandle_t NewTensor(diopiContextHandle_t ctx, const Shape& shape, diopiDtype_t dtype) {
  return ops::RequireTensor(ctx, shape, dtype);
}

// A dense tensor of the input's shape and dtype with f(input[i], i) in it.
template <typename F>
diopiTensorHandle_t Replaced(diopiContextHandle_t ctx, diopiConstTensorHandle_t input, F&& f) {
  const Tensor view(input);
  diopiTensorHandle_t copy = NewTensor(ctx, view.shape(), view.dtype());
  std::vector<double> values = Load<double>(view);
  for (size_t i = 0; i < values.size(); ++i) values[i] = f(values[i], static_cast<int64_t>(i));
  Store(Tensor(copy), values);
  return copy;
}

// The same elements, dense, with `shape` (of as many elements) for a shape.
inline diopiTensorHandle_t Reshaped(diopiContextHandle_t ctx, diopiConstTensorHandle_t input,
                                    const Shape& shape) {
  const Tensor view(input);
  diopiTensorHandle_t copy = NewTensor(ctx, shape, view.dtype());
  if (ops::IsFloating(view.dtype())) {
    Store(Tensor(copy), Load<double>(view));
  } else {
    Store(Tensor(copy), Load<int64_t>(view));
  }
  return copy;
}

// The storage from the first element on, read as the dense elements of a tensor of this shape, like a kernel
// that ignores strides. Beyond the end of the storage: zeros.
inline diopiTensorHandle_t ReadWithoutStrides(diopiContextHandle_t ctx, diopiConstTensorHandle_t input) {
  diopiTensorHandle_t dense = NewTensor(ctx, ShapeOf(input), DtypeOf(input));
  int64_t offset = 0;
  size_t storage_bytes = 0;
  diopiGetTensorStorageOffset(input, &offset);
  diopiGetTensorStorageNbytes(input, &storage_bytes);
  const size_t readable = storage_bytes - static_cast<size_t>(offset * BytesPerElement(input));
  const size_t wanted = static_cast<size_t>(NumElements(input) * BytesPerElement(input));
  if (wanted > 0) {
    std::memset(Bytes(dense), 0, wanted);
    std::memcpy(Bytes(dense), Bytes(input), wanted < readable ? wanted : readable);
  }
  return dense;
}

}  // namespace diopi::bugs

#endif  // BASELINES_BUGS_SUPPORT_H_
