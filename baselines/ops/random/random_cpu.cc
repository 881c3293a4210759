// random_ and randperm: integers.
#include <numeric>
#include <utility>

#include "baselines/ops/random/integer_range.h"
#include "baselines/ops/random/random_common.h"

namespace diopi::ops {
namespace {

// One of 0 ... count - 1; of all 64-bit numbers where count is 0.
uint64_t DrawBelow(Random& random, uint64_t count) {
  const auto word = [&] { return static_cast<uint64_t>(random.Uniform() * 0x1p32); };
  const uint64_t high = word(), bits = high << 32 | word();
  return count == 0 ? bits : bits % count;
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiRandomInp, a) {
  using namespace diopi::ops;
  const Tensor out(a.inout);
  const IntegerRange range(out.dtype(), a.from, a.to);
  Random random(a.generator);
  std::vector<int64_t> values(static_cast<size_t>(out.numel()));
  for (int64_t& value : values) value = range.At(DrawBelow(random, range.count));
  Store(out, values);
  random.Advance(a.generator);
}

DIOPI_KERNEL(diopiRandperm, a) {
  using namespace diopi::ops;
  const Tensor out(a.out);
  Check(a.n >= 0, "n must not be negative, got ", a.n);
  CheckShape(out, Shape{a.n}, "out");
  Random random(a.generator);
  std::vector<int64_t> values(static_cast<size_t>(a.n));
  std::iota(values.begin(), values.end(), int64_t{0});
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[DrawBelow(random, i)]);
  Store(out, values);
  random.Advance(a.generator);
}
