// arange: start + i * step for as many elements as out has.
#include <type_traits>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/tensor/arange.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct ArangeAt {
  Out<C> out;
  C first;
  C step;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, WrapAdd(first, WrapMul(step, static_cast<C>(i)))); }
};

void Arange(diopiContextHandle_t ctx, const Tensor& out, const diopiScalar_t* start, const diopiScalar_t* end,
            const diopiScalar_t* step) {
  CheckShape(out, Shape{ArangeLength(start, end, step)}, "out");
  DispatchNumeric(out.dtype(), [&]<typename C>() {
    // In double where the CPU reference computes in double.
    using Wide = std::conditional_t<std::is_same_v<C, float>, double, C>;
    ForEach(Queue(ctx), out.numel(),
            ArangeAt<Wide>{Out<Wide>(out), ScalarAs<Wide>(start), ScalarAs<Wide>(step)});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiArange, a) {
  using namespace diopi::ops;
  cuda::Arange(a.ctx, a.out, a.start, a.end, a.step);
}
