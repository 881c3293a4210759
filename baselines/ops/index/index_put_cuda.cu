// index_put: see index_put_cpu.cc.
#include "baselines/ops/index/index_list_cuda.h"

namespace diopi::ops::cuda {
namespace {

void IndexPut(diopiContextHandle_t ctx, const Tensor& out, const Tensor& input, const Tensor& values,
              diopiConstTensorHandle_t* handles, int64_t count, bool accumulate) {
  CheckShape(out, input.shape(), "out");
  const Queue queue(ctx);
  const Picked picked = ResolveIndices(queue, input.shape(), handles, count);
  DispatchAny(ResultType(out, {input}), [&]<typename C>() {
    ScatterElements(queue, out, input, picked.n, PositionAt{picked.positions}, In<C>(values, picked.shape),
                    accumulate ? ScatterReduce::kAdd : ScatterReduce::kReplace);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiIndexPut, a) {
  using namespace diopi::ops;
  cuda::IndexPut(a.ctx, a.out, a.input, a.values, a.indices, a.indices_counts, a.accumulate);
}

DIOPI_KERNEL(diopiIndexPutInp, a) {
  using namespace diopi::ops;
  cuda::IndexPut(a.ctx, a.input, a.input, a.values, a.indices, a.indices_counts, a.accumulate);
}
