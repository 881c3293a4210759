// Tensors for kernels: elements by their place in row-major order, for any dtype and strides.
//
//   In<C> x(tensor), y(tensor, shape);   x[i] is element i; y is broadcast to `shape`
//   In<C>::Constant(1)                   reads as a tensor of ones, of any shape
//   Out<C> out(tensor);                  out.Set(i, value)
//
// Where Quads() says so, they also read and write four neighbours at once (QuadAt, SetQuad). Both are values
// that a functor holds as members; the host makes and checks them.
#ifndef BASELINES_OPS_SUPPORT_CUDA_ACCESS_H_
#define BASELINES_OPS_SUPPORT_CUDA_ACCESS_H_

#include <algorithm>
#include <cstdint>

#include "baselines/ops/support/cuda/element.h"
#include "baselines/ops/support/cuda/layout.h"

namespace diopi::ops::cuda {

// Fail: complex and unknown types.
inline void CheckDtype(diopiDtype_t dtype) {
  if (!IsBool(dtype) && !IsInteger(dtype) && (!IsFloating(dtype) || IsNoise(dtype)))
    FailDtype("not implemented for '", DtypeName(dtype), "'");
}

// Whether elements 4 q to 4 q + 3 are always neighbours in aligned memory, of a dtype that C stands for
// (which keeps kernels small).
template <typename C>
bool InQuads(const void* data, diopiDtype_t dtype, const Layout& layout) {
  const auto alignment = static_cast<uintptr_t>(std::min<int64_t>(4 * ElementSize(dtype), 16));
  return layout.inner == 1 && layout.Fours() && reinterpret_cast<uintptr_t>(data) % alignment == 0 &&
         WithFormOf<C>(dtype, AnyForm());
}

template <typename C>
class In {
 public:
  In() = default;
  explicit In(const Tensor& tensor) : In(tensor, tensor.shape()) {}
  // Broadcast to `shape`.
  In(const Tensor& tensor, const Shape& shape)
      : In(tensor.data(), tensor.dtype(), shape, StridesAt(tensor, shape)) {}
  // The rows of a reduction: [row * rows.length + j].
  In(const Tensor& tensor, const RowView& rows)
      : In(tensor.data(), tensor.dtype(), rows.shape, rows.strides) {}
  // Any part of a tensor: `data` is its first element.
  In(const void* data, diopiDtype_t dtype, const Shape& shape, const Shape& strides)
      : data_(data), dtype_(dtype), layout_(MakeLayout(shape, strides)) {
    CheckDtype(dtype);
  }

  // The elements from `offset` elements after the first one on, with these strides.
  static In Part(const Tensor& tensor, int64_t offset, const Shape& shape, const Shape& strides) {
    return In(tensor.data() + offset * ElementSize(tensor.dtype()), tensor.dtype(), shape, strides);
  }
  // The value of a host scalar, or of an absent optional tensor.
  static In Constant(C value) {
    In in;
    in.constant_ = value;
    return in;
  }

  DIOPI_HD C operator[](int64_t index) const {
    if (data_ == nullptr) return constant_;
    return LoadElement<C>(data_, dtype_, layout_.Offset(index));
  }

  // Broadcast along the last dimension, four elements are the same one.
  bool Quads() const { return RepeatsQuads() || InQuads<C>(data_, dtype_, layout_); }
  bool RepeatsQuads() const { return data_ == nullptr || (layout_.inner == 0 && layout_.Fours()); }
  // Elements 4 * quad to 4 * quad + 3.
  DIOPI_HD Four<C> QuadAt(int64_t quad) const {
    if (data_ != nullptr && layout_.inner == 1) return LoadFour<C>(data_, dtype_, layout_.Offset(4 * quad));
    const C value = (*this)[4 * quad];
    return {{value, value, value, value}};
  }

 private:
  const void* data_ = nullptr;
  C constant_ = C(0);
  diopiDtype_t dtype_ = diopi_dtype_unsupported;
  Layout layout_;
};

template <typename C>
class Out {
 public:
  Out() = default;
  explicit Out(const Tensor& tensor)
      : Out(tensor.writable(), tensor.dtype(), tensor.shape(), tensor.strides()) {
    Check(static_cast<bool>(tensor), "a required tensor is null");
    Check(tensor.writable() != nullptr || tensor.numel() == 0, "the output cannot be written");
  }
  Out(const Tensor& tensor, const RowView& rows)
      : Out(tensor.writable(), tensor.dtype(), rows.shape, rows.strides) {}
  Out(void* data, diopiDtype_t dtype, const Shape& shape, const Shape& strides)
      : data_(data), dtype_(dtype), layout_(MakeLayout(shape, strides)) {
    CheckDtype(dtype);
  }

  static Out Part(const Tensor& tensor, int64_t offset, const Shape& shape, const Shape& strides) {
    Check(tensor.writable() != nullptr || Numel(shape) == 0, "the output cannot be written");
    return Out(tensor.writable() + offset * ElementSize(tensor.dtype()), tensor.dtype(), shape, strides);
  }

  DIOPI_HD void Set(int64_t index, C value) const {
    StoreElement<C>(data_, dtype_, layout_.Offset(index), value);
  }
  bool Quads() const { return InQuads<C>(data_, dtype_, layout_); }
  DIOPI_HD void SetQuad(int64_t quad, const Four<C>& values) const {
    StoreFour<C>(data_, dtype_, layout_.Offset(4 * quad), values);
  }
  // The present value, for functions that update.
  DIOPI_HD C operator[](int64_t index) const { return LoadElement<C>(data_, dtype_, layout_.Offset(index)); }

 private:
  void* data_ = nullptr;
  diopiDtype_t dtype_ = diopi_dtype_unsupported;
  Layout layout_;
};

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_ACCESS_H_
