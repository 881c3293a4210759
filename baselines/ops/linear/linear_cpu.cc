// out = input @ weight^T + bias, over the last dimension of input.
#include "baselines/ops/linear/linear_common.h"
#include "baselines/ops/support/gemm.h"
#include "baselines/ops/support/tensor.h"

DIOPI_KERNEL(diopiLinear, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input), w(a.weight), b(a.bias);
  const Sizes3 s = CheckLinear(result, x, w, "out");
  CheckBias(b, s.out);
  DispatchFloating(ResultType(result, {x, w}), [&]<typename C>() {
    std::vector<C> y(static_cast<size_t>(s.rows * s.out), C(0));
    if (b) y = LoadAs<C>(b, result.shape());
    Gemm(Trans::kNo, Trans::kYes, s.rows, s.out, s.in, Load<C>(x).data(), Load<C>(w).data(), y.data(),
         static_cast<bool>(b));
    Store(result, y);
  });
}

DIOPI_KERNEL(diopiLinearBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight);
  const Sizes3 s = CheckLinear(grad, x, w, "grad_output");
  DispatchFloating(ResultType(grad, {grad, x, w}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    if (dx) {
      CheckShape(dx, x.shape(), "grad_input");
      std::vector<C> d(static_cast<size_t>(s.rows * s.in));
      Gemm(Trans::kNo, Trans::kNo, s.rows, s.in, s.out, g.data(), Load<C>(w).data(), d.data());
      Store(dx, d);
    }
    if (dw) {
      CheckShape(dw, w.shape(), "grad_weight");
      std::vector<C> d(static_cast<size_t>(s.out * s.in));
      Gemm(Trans::kYes, Trans::kNo, s.out, s.in, s.rows, g.data(), Load<C>(x).data(), d.data());
      Store(dw, d);
    }
    if (db) {
      CheckShape(db, {s.out}, "grad_bias");
      std::vector<C> d(static_cast<size_t>(s.out), C(0));
      for (int64_t i = 0; i < s.rows; ++i) {
        for (int64_t j = 0; j < s.out; ++j) d[j] += g[i * s.out + j];
      }
      Store(db, d);
    }
  });
}
