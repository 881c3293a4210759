// A product of stacks of matrices, for matmul, bmm and mm.
#ifndef BASELINES_OPS_LINEAR_MATMUL_COMMON_H_
#define BASELINES_OPS_LINEAR_MATMUL_COMMON_H_

#include <cstdint>
#include <vector>

#include "baselines/ops/support/gemm.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// out[batch, m, n] = a[batch of a, m, k] * b[batch of b, k, n], the batches broadcast.
struct MatrixProduct {
  int64_t m = 1, n = 1, k = 1;
  Shape out;                              // what the caller sees: without the dimensions that vectors lack
  std::vector<int64_t> a_index, b_index;  // which matrix of a and of b makes the i-th of out

  int64_t batch() const { return static_cast<int64_t>(a_index.size()); }
};

// Like numpy's matmul: a vector is a row on the left and a column on the right. Fail when sizes do not fit.
inline MatrixProduct PlanProduct(const Shape& a, const Shape& b);

template <typename C>
std::vector<C> Multiply(const MatrixProduct& p, const std::vector<C>& a, const std::vector<C>& b) {
  std::vector<C> out(static_cast<size_t>(p.batch() * p.m * p.n));
  for (int64_t i = 0; i < p.batch(); ++i) {
    Gemm(Trans::kNo, Trans::kNo, p.m, p.n, p.k, a.data() + p.a_index[i] * p.m * p.k,
         b.data() + p.b_index[i] * p.k * p.n, out.data() + i * p.m * p.n);
  }
  return out;
}

// For mm and bmm, which do not broadcast, rank is 2 or 3; for matmul it is -1.
inline void CheckRanks(const Tensor& x, const Tensor& y, int64_t rank) {
  Check(rank < 0 || (x.rank() == rank && y.rank() == rank), "expected two tensors of ", rank,
        " dimensions, got shapes ", ShapeText(x.shape()), " and ", ShapeText(y.shape()));
  Check(rank != 3 || x.size(0) == y.size(0), "the batches differ: ", ShapeText(x.shape()), " and ",
        ShapeText(y.shape()));
}

// A whole ABI function.
inline void MultiplyTensors(diopiTensorHandle_t out, diopiConstTensorHandle_t a, diopiConstTensorHandle_t b,
                            int64_t rank = -1) {
  const Tensor result(out), x(a), y(b);
  CheckRanks(x, y, rank);
  const MatrixProduct p = PlanProduct(x.shape(), y.shape());
  CheckShape(result, p.out, "out");
  DispatchFloating(ResultType(result, {x, y}),
                   [&]<typename C>() { Store(result, Multiply(p, Load<C>(x), Load<C>(y))); });
}

// For every index of `batch`, the index into the smaller stack that is broadcast to it.
inline std::vector<int64_t> BroadcastIndex(const Shape& own, const Shape& batch) {
  std::vector<int64_t> index = {0};
  const size_t added = batch.size() - own.size();
  const Shape strides = DenseStrides(own);
  for (size_t d = 0; d < batch.size(); ++d) {
    const int64_t stride = d < added || own[d - added] == 1 ? 0 : strides[d - added];
    std::vector<int64_t> next;
    for (int64_t at : index) {
      for (int64_t i = 0; i < batch[d]; ++i) next.push_back(at + i * stride);
    }
    index = std::move(next);
  }
  return index;
}

inline MatrixProduct PlanProduct(const Shape& a, const Shape& b) {
  Check(!a.empty() && !b.empty(), "both arguments to matmul need to be at least 1-d, but they are ", a.size(),
        "-d and ", b.size(), "-d");
  Shape left = a, right = b;
  if (a.size() == 1) left.insert(left.begin(), 1);
  if (b.size() == 1) right.push_back(1);
  MatrixProduct p;
  p.m = left[left.size() - 2];
  p.k = left.back();
  p.n = right.back();
  Check(p.k == right[right.size() - 2], "shapes ", ShapeText(a), " and ", ShapeText(b),
        " cannot be multiplied: ", p.k, " columns but ", right[right.size() - 2], " rows");
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  p.out = BroadcastShapes(left, right);
  p.a_index = BroadcastIndex(left, p.out);
  p.b_index = BroadcastIndex(right, p.out);
  if (a.size() > 1) p.out.push_back(p.m);
  if (b.size() > 1) p.out.push_back(p.n);
  return p;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_LINEAR_MATMUL_COMMON_H_
