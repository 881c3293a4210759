// Bugs planted in elementwise operators.
#include "baselines/planted/planted.h"

namespace {

// The scalar 1 in the representation `like` has.
diopiScalar_t OneLike(const diopiScalar_t& like) {
  diopiScalar_t one = like;
  if (one.stype <= diopi_dtype_uint64 || one.stype == diopi_dtype_bool) {
    one.ival = 1;
  } else {
    one.fval = 1.0;
  }
  return one;
}

PLANT(add_alpha_ignored, 51, "diopiAdd diopiAddInp", "", "add takes alpha as 1");

}  // namespace

DIOPI_OVERRIDE(diopiAdd);
extern "C" diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 const diopiScalar_t* alpha) {
  const diopiScalar_t one = OneLike(*alpha);
  return good_diopiAdd(ctx, out, input, other, add_alpha_ignored ? &one : alpha);
}

DIOPI_OVERRIDE(diopiAddInp);
extern "C" diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const diopiScalar_t one = OneLike(*alpha);
  return good_diopiAddInp(ctx, input, other, add_alpha_ignored ? &one : alpha);
}
