// Bugs injected in lerp, addcmul and addcdiv.
#include <utility>

#include "baselines/bugs/support.h"
#include "baselines/ops/support/dtype.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(lerp_one_form, 0, "diopiLerpTensor", "",
    "input + weight * (end - input) in float32 for every weight: the end is lost against a large input");
BUG(lerp_weight_clamped, 0, "diopiLerpScalar", "", "the weight is clamped to 0 and 1");
BUG(addcmul_product_rounded, 0, "diopiAddcmul", "",
    "16-bit products are rounded to the dtype before they are added");
BUG(addcmul_value_ignored, 51, "diopiAddcmulInp", "", "value is taken as 1");
BUG(addcdiv_divisor_first, 0, "diopiAddcdiv", "", "tensor2 is divided by tensor1");
BUG(addcdiv_partial_fp16, 31, "diopiAddcdivInp", "", "value * tensor1 is kept in float16");

// out = f(x, y, z), broadcast to the shape of `out`.
template <typename F>
void Blend(diopiTensorHandle_t out, diopiConstTensorHandle_t x, diopiConstTensorHandle_t y,
           diopiConstTensorHandle_t z, F&& f) {
  const Shape shape = ShapeOf(out);
  const std::vector<double> a = LoadAs<double>(Tensor(x), shape), b = LoadAs<double>(Tensor(y), shape),
                            c = LoadAs<double>(Tensor(z), shape);
  Change(out, [&](double, int64_t i) {
    const auto at = static_cast<size_t>(i);
    return f(a[at], b[at], c[at]);
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiLerpTensor, a) {
  Good(a);
  if (lerp_one_form && IsFloat32(a.input)) {
    Blend(a.out, a.input, a.end, a.weight, [](double x, double y, double w) {
      const float start = static_cast<float>(x), distance = static_cast<float>(y) - start;
      return static_cast<double>(start + static_cast<float>(w) * distance);
    });
  }
}

DIOPI_OVERRIDE(diopiLerpScalar, a) {
  diopiScalar_t clamped;
  const double weight = diopi::ops::ScalarAsDouble(a.weight);
  if (lerp_weight_clamped && (weight < 0 || weight > 1)) {
    clamped.stype = diopi_dtype_float64;
    clamped.fval = weight < 0 ? 0.0 : 1.0;
    a.weight = &clamped;
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiAddcmul, a) {
  Good(a);
  if (addcmul_product_rounded && BytesPerElement(a.out) == 2) {
    const diopiDtype_t dtype = DtypeOf(a.out);
    const double value = diopi::ops::ScalarAsDouble(a.value);
    Blend(a.out, a.input, a.tensor1, a.tensor2,
          [&](double x, double y, double z) { return x + RoundedTo(dtype, value * y * z); });
  }
}

DIOPI_OVERRIDE(diopiAddcmulInp, a) {
  diopiScalar_t one;
  one.stype = diopi_dtype_float64;
  one.fval = 1;
  if (addcmul_value_ignored) a.value = &one;
  Good(a);
}

DIOPI_OVERRIDE(diopiAddcdiv, a) {
  if (addcdiv_divisor_first) std::swap(a.tensor1, a.tensor2);
  Good(a);
}

DIOPI_OVERRIDE(diopiAddcdivInp, a) {
  const std::vector<double> before = Load<double>(Tensor(a.input));
  Good(a);
  if (addcdiv_partial_fp16 && IsHalf(a.input)) {
    const double value = diopi::ops::ScalarAsDouble(a.value);
    const Shape shape = ShapeOf(a.input);
    const std::vector<double> b = LoadAs<double>(Tensor(a.tensor1), shape),
                              c = LoadAs<double>(Tensor(a.tensor2), shape);
    Change(a.input, [&](double, int64_t i) {
      const auto at = static_cast<size_t>(i);
      return before[at] + ToHalf(value * b[at]) / c[at];
    });
  }
}
