// Mean and inverse standard deviation of a set of elements, as every normalization needs them.
#ifndef BASELINES_OPS_NORMALIZATION_NORMALIZATION_COMMON_H_
#define BASELINES_OPS_NORMALIZATION_NORMALIZATION_COMMON_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "baselines/ops/support/sum.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

template <typename C>
struct Moments {
  C mean = C(0);
  C squares = C(0);  // sum of squared distances from the mean
  int64_t count = 0;

  C variance() const { return squares / C(count); }  // biased
};

// In two passes over the elements of x at at(0), ..., at(count - 1).
template <typename C, typename At>
Moments<C> MomentsOf(const std::vector<C>& x, int64_t count, At&& at) {
  Moments<C> m;
  m.count = count;
  Sum<C> sum, squares;
  for (int64_t i = 0; i < count; ++i) sum += x[at(i)];
  m.mean = sum.total() / C(count);
  for (int64_t i = 0; i < count; ++i) {
    const C distance = x[at(i)] - m.mean;
    squares += distance * distance;
  }
  m.squares = squares.total();
  return m;
}

template <typename C>
C InverseStd(const C& variance, double eps) {
  using std::sqrt;
  return C(1) / sqrt(variance + Rounded<C>(eps));
}

// An optional weight or bias: its elements, or `count` times what leaves the result alone.
template <typename C>
std::vector<C> LoadOr(const Tensor& tensor, int64_t count, double neutral) {
  if (tensor) return Load<C>(tensor);
  return std::vector<C>(static_cast<size_t>(count), C(neutral));
}

inline void CheckOptionalShape(const Tensor& tensor, const Shape& shape, const char* name) {
  if (tensor) CheckShape(tensor, shape, name);
}

template <typename C>
void StoreIfGiven(const Tensor& tensor, const std::vector<C>& values) {
  if (tensor) Store(tensor, values);
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_NORMALIZATION_NORMALIZATION_COMMON_H_
