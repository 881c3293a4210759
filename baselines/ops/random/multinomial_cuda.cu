// multinomial: indices drawn by the weights of each row, with or without replacement.
#include "baselines/ops/random/random_cuda.h"
#include "baselines/ops/support/cuda/sort.h"

namespace diopi::ops::cuda {
namespace {

// Each draw walks through its row's weights.
struct DrawEach {
  Stream stream;
  In<double> weights;
  Out<int64_t> out;
  int64_t length, count;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / count * length;
    double total = 0;
    for (int64_t k = 0; k < length; ++k) total += weights[row + k];
    const double place = UniformOf<double>(stream.Draw(i), 0, 53) * total;
    double sum = 0;
    int64_t index = 0;
    for (int64_t k = 0; k < length; ++k) {
      const double w = weights[row + k];
      sum += w;
      if (w > 0) index = k;
      if (w > 0 && sum > place) break;
    }
    out.Set(i, index);
  }
};

// Arrival times, exponential with the weight as their rate.
struct DrawTimes {
  Stream stream;
  In<double> weights;
  Out<double> times;
  DIOPI_HD void operator()(int64_t i) const {
    using std::log;
    const double w = weights[i];
    times.Set(i,
              w > 0 ? -log(1 - UniformOf<double>(stream.Draw(i), 0, 53)) / w : static_cast<double>(INFINITY));
  }
};

struct TakeFirst {
  const int64_t* order;
  Out<int64_t> out;
  int64_t length, count;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, order[i / count * length + i % count]); }
};

void Multinomial(diopiContextHandle_t ctx, const Tensor& out, const Tensor& input, int64_t count,
                 bool replacement, diopiGeneratorHandle_t generator) {
  Check(input.rank() == 1 || input.rank() == 2, "input must have one dimension or two");
  Shape shape = input.shape();
  const int64_t length = shape.back();
  Check(count > 0 && length > 0, "nothing to draw");
  Check(replacement || count <= length, count, " draws of ", length, " without replacement");
  shape.back() = count;
  CheckShape(out, shape, "out");
  const Queue queue(ctx);
  const Stream stream = TakeBlock(generator);
  const In<double> weights(input);
  const Out<int64_t> result(out);
  if (replacement) {
    ForEach(queue, out.numel(), DrawEach{stream, weights, result, length, count});
    return;
  }
  const int64_t n = input.numel();
  if (n == 0) return;
  const Tensor times(RequireTensor(ctx, input.shape(), diopi_dtype_float64));
  int64_t* const order = queue.Buffer<int64_t>(n);
  ForEach(queue, n, DrawTimes{stream, weights, Out<double>(times)});
  SortRows<double>(queue, In<double>(times), n / length, length, false, order);
  ForEach(queue, out.numel(), TakeFirst{order, result, length, count});
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiMultinomial, a) {
  using namespace diopi::ops;
  cuda::Multinomial(a.ctx, a.out, a.input, a.num_samples, a.replacement, a.generator);
}
