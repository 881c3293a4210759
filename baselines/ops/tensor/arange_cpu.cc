// arange: start + i * step for as many elements as out has.
#include "baselines/ops/support/tensor.h"
#include "baselines/ops/tensor/arange.h"

DIOPI_KERNEL(diopiArange, a) {
  using namespace diopi::ops;
  const Tensor result(a.out);
  CheckShape(result, Shape{ArangeLength(a.start, a.end, a.step)}, "out");
  DispatchNumeric(result.dtype(), [&]<typename C>() {
    // PyTorch's accumulate type on the CPU: float32 and narrower types are computed in double.
    using Wide = std::conditional_t<std::is_same_v<C, float>, double, C>;
    const Wide first = ScalarAs<Wide>(a.start), difference = ScalarAs<Wide>(a.step);
    std::vector<Wide> values(static_cast<size_t>(result.numel()));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = WrapAdd(first, WrapMul(difference, Exact<Wide>(static_cast<int64_t>(i))));
    }
    Store(result, values);
  });
}
