// Other correct ways to reduce.
#include "baselines/planted/planted.h"

namespace {

PLANT(sum_as_is, 0, "diopiSum", "", "the reference's own sum");

}  // namespace

DIOPI_OVERRIDE(diopiSum);
extern "C" diopiError_t diopiSum(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiSize_t dim) {
  return good_diopiSum(ctx, out, input, dim);
}
