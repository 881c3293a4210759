// uniform_: numbers in [from, to), in place. Rounding to a narrow type must not reach `to`.
#include "baselines/ops/random/mantissa_bits.h"
#include "baselines/ops/random/random_common.h"

extern "C" diopiError_t diopiUniformInp(diopiContextHandle_t, diopiTensorHandle_t inout, double from,
                                        double to, diopiGeneratorHandle_t generator) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor out(inout);
    Check(from <= to, "from (", from, ") must not exceed to (", to, ")");
    const double steps = std::ldexp(1.0, MantissaBits(out.dtype()));
    FillRandom(out, generator, [&](Random& random, size_t) {
      return from + (to - from) * (std::floor(random.Uniform() * steps) / steps);
    });
  });
}
