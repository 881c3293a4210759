// arange: start + i * step for as many elements as out has.
#include "baselines/ops/support/tensor.h"
#include "baselines/ops/tensor/arange.h"

extern "C" diopiError_t diopiArange(diopiContextHandle_t, diopiTensorHandle_t out, const diopiScalar_t* start,
                                    const diopiScalar_t* end, const diopiScalar_t* step) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out);
    CheckShape(result, Shape{ArangeLength(start, end, step)}, "out");
    DispatchNumeric(result.dtype(), [&]<typename C>() {
      // PyTorch's accumulate type on the CPU: float32 and narrower types are computed in double.
      using Wide = std::conditional_t<std::is_same_v<C, float>, double, C>;
      const Wide first = ScalarAs<Wide>(start), difference = ScalarAs<Wide>(step);
      std::vector<Wide> values(static_cast<size_t>(result.numel()));
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = WrapAdd(first, WrapMul(difference, Exact<Wide>(static_cast<int64_t>(i))));
      }
      Store(result, values);
    });
  });
}
