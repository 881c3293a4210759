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

extern "C" diopiError_t diopiSoftmax(diopiContextHandle_t, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, int64_t dim) {
  using namespace diopi::ops;
  return LineForward(__func__, out, input, dim,
                     []<typename C>(const std::vector<C>& x, std::vector<C>& y, int64_t start, int64_t step,
                                    int64_t length) { SoftmaxLine(x, y, start, step, length); });
}

// y * (g - sum(g * y))
extern "C" diopiError_t diopiSoftmaxBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                             diopiConstTensorHandle_t grad_output,
                                             diopiConstTensorHandle_t output, int64_t dim) {
  using namespace diopi::ops;
  return LineBackward(__func__, grad_input, grad_output, output, dim,
                      []<typename C>(const std::vector<C>& g, const std::vector<C>& y, std::vector<C>& values,
                                     int64_t start, int64_t step, int64_t length) {
                        Sum<C> terms;
                        for (int64_t i = 0; i < length; ++i)
                          terms += g[start + i * step] * y[start + i * step];
                        const C sum = terms.total();
                        for (int64_t i = 0; i < length; ++i) {
                          const int64_t at = start + i * step;
                          values[at] = y[at] * (g[at] - sum);
                        }
                      });
}
