// Each product by products of matrices (convolution_common.h).
#include "baselines/ops/convolution/convolution.h"
#include "baselines/ops/convolution/convolution_common.h"

namespace diopi::ops::both {
namespace {

template <typename C>
std::vector<C> LoadOrNothing(const Tensor& tensor) {
  return tensor ? Load<C>(tensor) : std::vector<C>();
}

}  // namespace

void ConvolutionForward(const Queue&, const ConvShape& c, const Tensor& out, const Tensor& x, const Tensor& w,
                        const Tensor& bias) {
  DispatchFloating(ResultType(out, {x, w}), [&]<typename C>() {
    Store(out, Forward(c, Load<C>(x), Load<C>(w), LoadOrNothing<C>(bias)));
  });
}

void ConvolutionGradInput(const Queue&, const ConvShape& c, const Tensor& out, const Tensor& grad,
                          const Tensor& w, const Tensor& bias) {
  DispatchFloating(ResultType(out, {grad, w}), [&]<typename C>() {
    std::vector<C> dx = GradInput(c, Load<C>(grad), Load<C>(w));
    const std::vector<C> shift = LoadOrNothing<C>(bias);
    for (int64_t i = 0; i < static_cast<int64_t>(dx.size()) && !shift.empty(); ++i) {
      dx[i] += shift[i / c.elements() % c.channels];
    }
    Store(out, dx);
  });
}

void ConvolutionGradWeight(const Queue&, const ConvShape& c, const Tensor& out, const Tensor& grad,
                           const Tensor& x) {
  DispatchFloating(ResultType(out, {grad, x}),
                   [&]<typename C>() { Store(out, GradWeight(c, Load<C>(grad), Load<C>(x))); });
}

void ConvolutionGradBias(const Queue&, const Tensor& out, const Tensor& grad) {
  const Shape& shape = grad.shape();
  const int64_t plane = Numel({shape.begin() + 2, shape.end()});
  DispatchFloating(ResultType(out, {grad}),
                   [&]<typename C>() { Store(out, GradBias(Load<C>(grad), shape[1], plane)); });
}

}  // namespace diopi::ops::both
