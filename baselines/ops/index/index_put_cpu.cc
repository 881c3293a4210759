// index_put: out = input, then out[indices] = values (or += with accumulate); the list is read in
// index_list.h.
#include "baselines/ops/index/index_list.h"

namespace diopi::ops {
namespace {

void IndexPut(const Tensor& out, const Tensor& input, const Tensor& values, diopiConstTensorHandle_t* handles,
              int64_t count, bool accumulate) {
  CheckShape(out, input.shape(), "out");
  const Target target = ResolveIndices(input.shape(), handles, count);
  DispatchAny(ResultType(out, {input}), [&]<typename C>() {
    std::vector<C> result = Load<C>(input);
    const std::vector<C> sources = LoadAs<C>(values, target.shape);
    for (size_t i = 0; i < sources.size(); ++i) {
      C& element = result[static_cast<size_t>(target.positions[i])];
      element = accumulate ? WrapAdd(element, sources[i]) : sources[i];
    }
    Store(out, result);
  });
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiIndexPut, a) {
  using namespace diopi::ops;
  IndexPut(a.out, a.input, a.values, a.indices, a.indices_counts, a.accumulate);
}

DIOPI_KERNEL(diopiIndexPutInp, a) {
  using namespace diopi::ops;
  IndexPut(a.input, a.input, a.values, a.indices, a.indices_counts, a.accumulate);
}
