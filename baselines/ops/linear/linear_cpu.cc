// out = input @ weight^T + bias, over the last dimension of input.
#include "baselines/ops/linear/linear_common.h"
#include "baselines/ops/support/gemm.h"
#include "baselines/ops/support/tensor.h"

extern "C" diopiError_t diopiLinear(diopiContextHandle_t, diopiTensorHandle_t out,
                                    diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                    diopiConstTensorHandle_t bias) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), x(input), w(weight), b(bias);
    const Sizes3 s = CheckLinear(result, x, w, "out");
    if (b) CheckShape(b, {s.out}, "bias");
    DispatchFloating(ResultType(result, {x, w}), [&]<typename C>() {
      std::vector<C> y(static_cast<size_t>(s.rows * s.out), C(0));
      if (b) y = LoadAs<C>(b, {s.rows, s.out});
      Gemm(Trans::kNo, Trans::kYes, s.rows, s.out, s.in, Load<C>(x).data(), Load<C>(w).data(), y.data(),
           static_cast<bool>(b));
      Store(result, y);
    });
  });
}

extern "C" diopiError_t diopiLinearBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                            diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                            diopiConstTensorHandle_t grad_output,
                                            diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor dx(grad_input), dw(grad_weight), db(grad_bias), grad(grad_output), x(input), w(weight);
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
  });
}
