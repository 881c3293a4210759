// bernoulli: 1 with a probability, else 0.
#include "baselines/ops/random/random_common.h"

namespace diopi::ops {
namespace {

void Bernoulli(const Tensor& out, const std::vector<double>& p, diopiGeneratorHandle_t generator) {
  for (const double x : p) Check(x >= 0 && x <= 1, "a probability must lie in [0, 1], got ", x);
  FillRandom(out, generator, [&](Random& random, size_t i) {
    return random.Uniform() < (p.size() == 1 ? p[0] : p[i]) ? 1.0 : 0.0;
  });
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiBernoulli, a) {
  using namespace diopi::ops;
  const Tensor out(a.out), p(a.input);
  CheckShape(out, p.shape(), "out");
  Bernoulli(out, Load<double>(p), a.generator);
}

DIOPI_KERNEL(diopiBernoulliInp, a) {
  using namespace diopi::ops;
  const Tensor out(a.inout);
  Bernoulli(out, Load<double>(out), a.generator);
}

DIOPI_KERNEL(diopiBernoulliScalar, a) {
  using namespace diopi::ops;
  Bernoulli(Tensor(a.out), {a.p}, a.generator);
}
