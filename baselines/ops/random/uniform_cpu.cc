// uniform_: numbers in [from, to), in place. Rounding to a narrow type must not reach `to`.
#include "baselines/ops/random/mantissa_bits.h"
#include "baselines/ops/random/random_common.h"

DIOPI_KERNEL(diopiUniformInp, a) {
  using namespace diopi::ops;
  const Tensor out(a.inout);
  Check(a.from <= a.to, "from (", a.from, ") must not exceed to (", a.to, ")");
  const double steps = std::ldexp(1.0, MantissaBits(out.dtype()));
  FillRandom(out, a.generator, [&](Random& random, size_t) {
    return a.from + (a.to - a.from) * (std::floor(random.Uniform() * steps) / steps);
  });
}
