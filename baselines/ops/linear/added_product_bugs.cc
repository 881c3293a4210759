// Bugs injected in products that are added to something: addmm, baddbmm.
#include <utility>

#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::LoadAs;
using diopi::bugs::Replaced;
using diopi::bugs::Tensor;

BUG(addmm_scalars_exchanged, 0, "diopiAddmm", "", "alpha and beta are exchanged");
BUG(addmm_beta_0_counts, 0, "diopiAddmm", "", "beta 0 multiplies the input: NaN stays NaN");
BUG(addmm_product_rounded, 0, "diopiAddmm", "",
    "the product is rounded to 16 bits before the input is added");
BUG(baddbmm_first_input, 0, "diopiBaddbmm", "", "every matrix is added to the first of the input");
BUG(baddbmm_alpha_on_input, 0, "diopiBaddbmm diopiBaddbmmInp", "", "alpha multiplies the input, too");

}  // namespace

DIOPI_OVERRIDE(diopiAddmm, a) {
  if (addmm_scalars_exchanged) std::swap(a.alpha, a.beta);
  const Tensor out(a.out);
  const bool narrow = out.dtype() == diopi_dtype_float16 || out.dtype() == diopi_dtype_bfloat16;
  // The product alone, and then the input.
  const double beta = diopi::ops::ScalarAsDouble(a.beta);
  const bool own = (addmm_product_rounded && narrow) || (addmm_beta_0_counts && beta == 0);
  if (!own) return Good(a);
  diopiScalar_t none{};
  none.stype = diopi_dtype_float64;
  none.fval = 0;
  a.beta = &none;
  const std::vector<double> input = LoadAs<double>(Tensor(a.input), out.shape());
  a.input = Replaced(a.ctx, a.input, [](double, int64_t) { return 0.0; });
  Good(a);
  Change(a.out, [&](double x, int64_t i) { return x + beta * input[static_cast<size_t>(i)]; });
}

DIOPI_OVERRIDE(diopiBaddbmm, a) {
  if (baddbmm_alpha_on_input) a.beta *= a.alpha;
  const Tensor input(a.input);
  if (baddbmm_first_input && input.rank() == 3 && input.size(0) > 1) {
    const std::vector<double> values = Load<double>(input);
    const size_t matrix = values.size() / static_cast<size_t>(input.size(0));
    a.input =
        Replaced(a.ctx, a.input, [&](double, int64_t i) { return values[static_cast<size_t>(i) % matrix]; });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiBaddbmmInp, a) {
  if (baddbmm_alpha_on_input) a.beta *= a.alpha;
  Good(a);
}
