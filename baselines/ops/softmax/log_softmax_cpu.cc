// log_softmax: x - max - log(sum(exp(x - max))) along one dimension.
#include "baselines/ops/softmax/softmax_common.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops {
namespace {

template <typename C>
void LogSoftmaxLine(const std::vector<C>& x, std::vector<C>& y, int64_t start, int64_t step, int64_t length) {
  using std::exp;
  using std::log;
  const C greatest = LineMax(x, start, step, length);
  Sum<C> sum;
  for (int64_t i = start; i < start + length * step; i += step) sum += exp(x[i] - greatest);
  const C log_sum = log(sum.total());
  for (int64_t i = start; i < start + length * step; i += step) y[i] = (x[i] - greatest) - log_sum;
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiLogSoftmax, a) {
  using namespace diopi::ops;
  LineForward(a.out, a.input, a.dim,
              []<typename C>(const std::vector<C>& x, std::vector<C>& y, int64_t start, int64_t step,
                             int64_t length) { LogSoftmaxLine(x, y, start, step, length); });
}

// g - exp(y) * sum(g)
DIOPI_KERNEL(diopiLogSoftmaxBackward, a) {
  using namespace diopi::ops;
  LineBackward(a.grad_input, a.grad_output, a.output, a.dim,
               []<typename C>(const std::vector<C>& g, const std::vector<C>& y, std::vector<C>& values,
                              int64_t start, int64_t step, int64_t length) {
                 using std::exp;
                 Sum<C> terms;
                 for (int64_t i = 0; i < length; ++i) terms += g[start + i * step];
                 const C sum = terms.total();
                 for (int64_t i = 0; i < length; ++i) {
                   const int64_t at = start + i * step;
                   values[at] = g[at] - exp(y[at]) * sum;
                 }
               });
}
