// Bugs injected in functions on complex numbers.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Bytes;
using diopi::bugs::BytesPerElement;
using diopi::bugs::ElementAt;
using diopi::bugs::NumElements;

BUG(complex_parts_exchanged, 0, "diopiComplex", "", "the real part is stored as the imaginary one");
BUG(complex_product, 0, "diopiComplex", "", "real + i * imag is computed, whose product spreads infinities");
BUG(conj_nothing_negated, 0, "diopiConj", "", "the input is copied");
BUG(polar_parts_exchanged, 0, "diopiPolar", "", "the sine is stored as the real part");
BUG(polar_one_step_reduction, 0, "diopiPolar", "", "the angle is reduced by one rounding of a turn");
BUG(polar_magnitude, 0, "diopiPolar", "", "a negative absolute value is taken without its sign");
BUG(imag_real_taken, 0, "diopiImag", "", "the real part is taken");
BUG(complex_sgn_of_parts, 0, "diopiSgn", "", "each part's own sign is taken");
BUG(complex_sgn_zero_divided, 0, "diopiSgn", "", "0 is divided by its absolute value");
BUG(real_without_pairs, 0, "diopiReal", "", "memory is read number by number instead of pair by pair");

// out[i] = what lies at from(i), as many bytes as an element of out has.
template <typename From>
void CopyElements(diopiTensorHandle_t out, From&& from) {
  const auto bytes = static_cast<size_t>(BytesPerElement(out));
  for (int64_t i = 0; i < NumElements(out); ++i) std::memcpy(ElementAt(out, i), from(i), bytes);
}

}  // namespace

DIOPI_OVERRIDE(diopiComplex, a) {
  if (complex_parts_exchanged) std::swap(a.real, a.imag);
  if (complex_product && diopi::bugs::ShapeOf(a.real) == diopi::bugs::ShapeOf(a.imag)) {
    const std::vector<double> imag = diopi::bugs::Load<double>(diopi::bugs::Tensor(a.imag));
    a.real = diopi::bugs::Replaced(a.ctx, a.real,
                                   [&](double x, int64_t i) { return x + 0 * imag[static_cast<size_t>(i)]; });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiConj, a) {
  Good(a);
  if (conj_nothing_negated) CopyElements(a.out, [&](int64_t i) { return ElementAt(a.input, i); });
}

DIOPI_OVERRIDE(diopiImag, a) {
  Good(a);
  if (imag_real_taken) CopyElements(a.out, [&](int64_t i) { return ElementAt(a.input, i); });
}

DIOPI_OVERRIDE(diopiPolar, a) {
  using diopi::bugs::Replaced;
  if (polar_one_step_reduction) {
    const diopiDtype_t dtype = diopi::bugs::DtypeOf(a.angle);
    const double turn = diopi::bugs::RoundedTo(dtype, 6.283185307179586);
    a.angle = Replaced(a.ctx, a.angle, [turn](double x, int64_t) { return std::fmod(x, turn); });
  }
  if (polar_magnitude) a.abs = Replaced(a.ctx, a.abs, [](double x, int64_t) { return std::fabs(x); });
  Good(a);
  if (!polar_parts_exchanged) return;
  const int64_t bytes = BytesPerElement(a.out) / 2;
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    unsigned char* const real = ElementAt(a.out, i);
    std::swap_ranges(real, real + bytes, real + bytes);
  }
}

DIOPI_OVERRIDE(diopiReal, a) {
  Good(a);
  const int64_t bytes = BytesPerElement(a.out);
  if (real_without_pairs) CopyElements(a.out, [&](int64_t i) { return Bytes(a.input) + i * bytes; });
}

// The parts of complex numbers are float or double.
template <typename T>
static void CorruptSigns(diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  for (int64_t i = 0; i < NumElements(out); ++i) {
    T x[2], y[2];
    std::memcpy(x, ElementAt(input, i), sizeof(x));
    std::memcpy(y, ElementAt(out, i), sizeof(y));
    for (const int part : {0, 1}) {
      if (complex_sgn_of_parts) y[part] = static_cast<T>((x[part] > 0) - (x[part] < 0));
      if (complex_sgn_zero_divided && x[0] == 0 && x[1] == 0) y[part] = std::nan("");
    }
    std::memcpy(ElementAt(out, i), y, sizeof(y));
  }
}

DIOPI_OVERRIDE(diopiSgn, a) {
  Good(a);
  if (!complex_sgn_of_parts && !complex_sgn_zero_divided) return;
  const diopiDtype_t dtype = diopi::bugs::DtypeOf(a.input);
  if (dtype == diopi_dtype_complex64) CorruptSigns<float>(a.out, a.input);
  if (dtype == diopi_dtype_complex128) CorruptSigns<double>(a.out, a.input);
}
