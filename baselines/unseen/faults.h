// What the bugs of this folder share: elements that a kernel leaves unwritten, slices, places of elements.
// Each PLANT names a bug and stands before the override that has it; the override calls Good, the reference's
// own kernel, so that the library is the reference while no bug is switched on.
#ifndef BASELINES_UNSEEN_FAULTS_H_
#define BASELINES_UNSEEN_FAULTS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "baselines/bugs/support.h"

namespace diopi::unseen {

using namespace bugs;  // NOLINT: one vocabulary for injected bugs
using ops::Axis;
using ops::ScalarAsDouble;
using ops::ScalarAsInt;
using ops::ScalarIsFloating;
using ops::SplitAxis;
using ops::WrapDim;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

inline double At(const std::vector<double>& values, int64_t i) {
  return values[static_cast<size_t>(i)];
}
inline int64_t At(const Shape& shape, int64_t i) {
  return shape[static_cast<size_t>(i)];
}
inline int64_t Rank(diopiConstTensorHandle_t tensor) {
  return static_cast<int64_t>(ShapeOf(tensor).size());
}
// The size of the dimension `dim`, negative from the end; a 0-d tensor has one of size 1.
inline int64_t Length(diopiConstTensorHandle_t tensor, int64_t dim) {
  const Shape shape = ShapeOf(tensor);
  return shape.empty() ? 1 : At(shape, WrapDim(dim, Rank(tensor)));
}
inline bool IsLast(diopiConstTensorHandle_t tensor, int64_t dim) {
  return Rank(tensor) == 0 || WrapDim(dim, Rank(tensor)) == Rank(tensor) - 1;
}
inline std::vector<double> Values(diopiConstTensorHandle_t tensor) {
  return Load<double>(Tensor(tensor));
}
// Broadcast to the shape of `like`.
inline std::vector<double> ValuesAs(diopiConstTensorHandle_t tensor, diopiConstTensorHandle_t like) {
  return LoadAs<double>(Tensor(tensor), ShapeOf(like));
}
// The index of the row-major i-th element along `dim`.
inline int64_t Coordinate(diopiConstTensorHandle_t tensor, int64_t i, int64_t dim) {
  const Axis axis = SplitAxis(ShapeOf(tensor), WrapDim(dim, Rank(tensor)));
  return i / axis.inner % axis.size;
}
inline diopiScalar_t Number(double value) {
  diopiScalar_t scalar;
  scalar.stype = diopi_dtype_float64;
  scalar.fval = value;
  return scalar;
}

inline void CopyElement(diopiTensorHandle_t out, int64_t i, diopiConstTensorHandle_t in, int64_t j) {
  std::memmove(ElementAt(out, i), ElementAt(in, j), static_cast<size_t>(BytesPerElement(out)));
}

// Zeroes the elements i for which where(i).
template <typename P>
void Zero(diopiTensorHandle_t out, P&& where) {
  for (int64_t i = 0; i < NumElements(out); ++i) {
    if (where(i)) std::memset(ElementAt(out, i), 0, static_cast<size_t>(BytesPerElement(out)));
  }
}

// out[i] = value(i) where where(i); the other elements stay as they are, bit for bit.
template <typename P, typename F>
void Set(diopiContextHandle_t ctx, diopiTensorHandle_t out, P&& where, F&& value) {
  std::vector<double> values(static_cast<size_t>(NumElements(out)));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (where(at)) values[i] = value(at);
  }
  diopiTensorHandle_t wrong = NewTensor(ctx, ShapeOf(out), DtypeOf(out));
  Store(Tensor(wrong), values);
  for (int64_t i = 0; i < NumElements(out); ++i) {
    if (where(i)) CopyElement(out, i, wrong, i);
  }
}

// What a tensor held before the call: the elements that a kernel does not write keep it.
class Before {
 public:
  Before(diopiContextHandle_t ctx, diopiTensorHandle_t tensor)
      : tensor_(tensor), copy_(NewTensor(ctx, ShapeOf(tensor), DtypeOf(tensor))) {
    for (int64_t i = 0; i < NumElements(tensor); ++i) CopyElement(copy_, i, tensor, i);
  }
  // Puts the elements i for which where(i) back.
  template <typename P>
  void Keep(P&& where) const {
    for (int64_t i = 0; i < NumElements(tensor_); ++i) {
      if (where(i)) CopyElement(tensor_, i, copy_, i);
    }
  }
  diopiTensorHandle_t copy() const { return copy_; }

 private:
  diopiTensorHandle_t tensor_;
  diopiTensorHandle_t copy_;
};

// A dense tensor that has `count` slices along `dim`; its i-th is the source(i)-th of x.
template <typename F>
diopiTensorHandle_t Taken(diopiContextHandle_t ctx, diopiConstTensorHandle_t x, int64_t dim, int64_t count,
                          F&& source) {
  Shape shape = ShapeOf(x);
  const int64_t at = WrapDim(dim, Rank(x));
  const Axis axis = SplitAxis(shape, at);
  shape[static_cast<size_t>(at)] = count;
  diopiTensorHandle_t out = NewTensor(ctx, shape, DtypeOf(x));
  for (int64_t i = 0; i < NumElements(out); ++i) {
    const int64_t outer = i / (axis.inner * count), slice = i / axis.inner % count;
    CopyElement(out, i, x, (outer * axis.size + source(slice)) * axis.inner + i % axis.inner);
  }
  return out;
}

// The first `count` slices of x along `dim`.
inline diopiTensorHandle_t Head(diopiContextHandle_t ctx, diopiConstTensorHandle_t x, int64_t dim,
                                int64_t count) {
  return Taken(ctx, x, dim, count, [](int64_t i) { return i; });
}

// A "plan" that a library keeps by `key` from its first call on: the value of that call. Thread-safe.
template <typename Key, typename Value>
class Plans {
 public:
  Value Get(const Key& key, const Value& value) {
    const std::lock_guard lock(mutex_);
    return plans_.try_emplace(key, value).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<Key, Value> plans_;
};

}  // namespace diopi::unseen

#endif  // BASELINES_UNSEEN_FAULTS_H_
