// softmax: exp(x - max) / sum(exp(x - max)) along one dimension.
#include "baselines/ops/softmax/softmax_common.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops {
namespace {

template <typename C>
void SoftmaxLine(const std::vector<C>& x, std::vector<C>& y, int64_t start, int64_t step, int64_t length) {
  using std::exp;
  const C greatest = LineMax(x, start, step, length);
  Sum<C> terms;
  for (int64_t i = start; i < start + length * step; i += step) {
    y[i] = exp(x[i] - greatest);
    terms += y[i];
  }
  const C sum = terms.total();
  for (int64_t i = start; i < start + length * step; i += step) y[i] = y[i] / sum;
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiSoftmax, a) {
  using namespace diopi::ops;
  LineForward(a.out, a.input, a.dim,
              []<typename C>(const std::vector<C>& x, std::vector<C>& y, int64_t start, int64_t step,
                             int64_t length) { SoftmaxLine(x, y, start, step, length); });
}

// y * (g - sum(g * y))
DIOPI_KERNEL(diopiSoftmaxBackward, a) {
  using namespace diopi::ops;
  LineBackward(a.grad_input, a.grad_output, a.output, a.dim,
               []<typename C>(const std::vector<C>& g, const std::vector<C>& y, std::vector<C>& values,
                              int64_t start, int64_t step, int64_t length) {
                 Sum<C> terms;
                 for (int64_t i = 0; i < length; ++i) terms += g[start + i * step] * y[start + i * step];
                 const C sum = terms.total();
                 for (int64_t i = 0; i < length; ++i) {
                   const int64_t at = start + i * step;
                   values[at] = y[at] * (g[at] - sum);
                 }
               });
}
