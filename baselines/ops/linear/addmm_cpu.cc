// A product of matrices plus an input: beta * input + alpha * (a @ b), of two matrices (addmm) or of two
// stacks of them (baddbmm). The input is broadcast; with beta 0 it is ignored, whatever it holds.
#include <type_traits>

#include "baselines/ops/linear/matmul_common.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops {
namespace {

// The product; on the oracle's numbers its noise is that of sums in any order.
template <typename C>
std::vector<C> Product(const MatrixProduct& p, const std::vector<C>& a, const std::vector<C>& b) {
  if constexpr (std::is_floating_point_v<C>) {
    return Multiply(p, a, b);
  } else {
    std::vector<C> out;
    out.reserve(static_cast<size_t>(p.batch() * p.m * p.n));
    for (int64_t i = 0; i < p.batch() * p.m * p.n; ++i) {
      const int64_t batch = i / (p.m * p.n), row = i / p.n % p.m, column = i % p.n;
      const C* x = a.data() + (p.a_index[batch] * p.m + row) * p.k;
      const C* y = b.data() + p.b_index[batch] * p.k * p.n + column;
      Sum<C> sum;
      for (int64_t j = 0; j < p.k; ++j) sum += x[j] * y[j * p.n];
      out.push_back(sum.total());
    }
    return out;
  }
}

void AddProduct(const Tensor& out, const Tensor& input, const Tensor& a, const Tensor& b, int64_t rank,
                double beta, double alpha) {
  CheckRanks(a, b, rank);
  const MatrixProduct p = PlanProduct(a.shape(), b.shape());
  CheckShape(out, p.out, "out");
  DispatchFloating(ResultType(out, {input, a, b}), [&]<typename C>() {
    std::vector<C> result = Product(p, Load<C>(a), Load<C>(b));
    const std::vector<C> added = LoadAs<C>(input, p.out);
    const C by = Rounded<C>(alpha), keep = Rounded<C>(beta);
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = by * result[i];
      if (beta != 0) result[i] += keep * added[i];
    }
    Store(out, result);
  });
}

}  // namespace
}  // namespace diopi::ops

using namespace diopi::ops;

DIOPI_KERNEL(diopiAddmm, a) {
  AddProduct(a.out, a.input, a.mat1, a.mat2, 2, ScalarAsDouble(a.beta), ScalarAsDouble(a.alpha));
}
DIOPI_KERNEL(diopiBaddbmm, a) {
  AddProduct(a.out, a.input, a.batch1, a.batch2, 3, a.beta, a.alpha);
}
DIOPI_KERNEL(diopiBaddbmmInp, a) {
  AddProduct(a.input, a.input, a.batch1, a.batch2, 3, a.beta, a.alpha);
}
