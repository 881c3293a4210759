// Bugs injected in min, argmin, amax, any, all and prod.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(min_ignores_nan, 28, "diopiMin diopiMinAll", "", "NaN is greater than every number");
BUG(min_starts_at_zero, 38, "diopiMin diopiMinAll", "", "the minimum of floating numbers starts at 0");
BUG(min_index_of_last_tie, 35, "diopiMin", "", "of equal elements the last is named");
BUG(argmin_last_tie, 35, "diopiArgmin", "", "of equal elements the last is named");
BUG(argmin_int_through_fp32, 0, "diopiArgmin", "", "integers are compared as float32");
BUG(amax_last_dim_only, 0, "diopiAmax", "", "of several dimensions only the last one named is reduced");
BUG(amax_ignores_nan, 28, "diopiAmax", "", "NaN is less than every number");
BUG(any_nan_is_false, 28, "diopiAny", "", "NaN is taken for false");
BUG(any_tail_dropped, 32, "diopiAny", "", "elements after whole vectors of eight are not read");
BUG(all_cuts_to_integers, 0, "diopiAll", "", "floating elements are cut to integers before the test");
BUG(all_low_byte_only, 0, "diopiAll", "", "only the low byte of an integer is tested");
BUG(prod_fp16_partials, 31, "diopiProd", "", "float16 elements are multiplied in float16");
BUG(prod_int_through_double, 0, "diopiProd", "", "integers are multiplied as float64");
BUG(prod_empty_is_zero, 0, "diopiProd", "", "the product of no elements is 0");

using diopi::ops::Rows;
using Values = std::vector<double>;

Rows RowsOf(diopiConstTensorHandle_t input, const diopiSize_t& dim) {
  const Shape shape = ShapeOf(input);
  return diopi::ops::RowsOver(
      shape, diopi::ops::WrapDims(diopi::ops::Sizes(dim), static_cast<int64_t>(shape.size())));
}
diopiSize_t OneOrAll(const int64_t* dim) {
  return diopiSize_t{dim, dim == nullptr ? 0 : 1};
}

// out[row] = f(the elements of the row).
template <typename F>
void WriteRows(diopiTensorHandle_t out, diopiConstTensorHandle_t input, const diopiSize_t& dim, F&& f) {
  const Rows rows = RowsOf(input, dim);
  const Values x = Load<double>(Tensor(input));
  Change(out, [&](double, int64_t row) {
    Values elements;
    for (const int64_t offset : rows.offset) {
      elements.push_back(x[static_cast<size_t>(rows.base[static_cast<size_t>(row)] + offset)]);
    }
    return f(elements);
  });
}

// The position of the least element, or of the greatest.
size_t Extreme(const Values& row, bool least, bool last_tie, bool drops_nan) {
  size_t best = 0;
  for (size_t i = 1; i < row.size(); ++i) {
    const double x = row[i], top = row[best];
    const bool further = least ? x < top : x > top;
    const bool chosen = drops_nan ? (std::isnan(top) && !std::isnan(x)) || further
                                  : !std::isnan(top) && (further || std::isnan(x));
    if (chosen || (last_tie && x == top)) best = i;
  }
  return best;
}

void CorruptMin(diopiTensorHandle_t min, diopiTensorHandle_t indices, diopiConstTensorHandle_t input,
                const diopiSize_t& dim) {
  if (min_ignores_nan && IsFloating(input)) {
    WriteRows(min, input, dim, [](const Values& row) { return row[Extreme(row, true, false, true)]; });
  }
  if (min_starts_at_zero && IsFloating(input)) {
    Change(min, [](double x, int64_t) { return x > 0 ? 0.0 : x; });
  }
  if (min_index_of_last_tie && indices != nullptr) {
    WriteRows(indices, input, dim,
              [](const Values& row) { return static_cast<double>(Extreme(row, true, true, false)); });
  }
}

}  // namespace

DIOPI_OVERRIDE(diopiMin, a) {
  Good(a);
  CorruptMin(a.min, a.min_indices, a.input, {&a.dim, 1});
}

DIOPI_OVERRIDE(diopiMinAll, a) {
  Good(a);
  CorruptMin(a.min, nullptr, a.input, {nullptr, 0});
}

DIOPI_OVERRIDE(diopiArgmin, a) {
  Good(a);
  if (NumElements(a.out) == 0) return;
  if (argmin_last_tie) {
    WriteRows(a.out, a.input, OneOrAll(a.dim),
              [](const Values& row) { return static_cast<double>(Extreme(row, true, true, false)); });
  }
  if (argmin_int_through_fp32 && IsInteger(a.input)) {
    WriteRows(a.out, a.input, OneOrAll(a.dim), [](Values row) {
      for (double& e : row) e = RoundedTo(diopi_dtype_float32, e);
      return static_cast<double>(Extreme(row, true, false, false));
    });
  }
}

DIOPI_OVERRIDE(diopiAmax, a) {
  Good(a);
  if (!IsFloating(a.self) || NumElements(a.out) == 0) return;
  if (amax_last_dim_only && a.dim.len > 1) {
    // The other dimensions stand at their first index.
    const Rows last = RowsOf(a.self, {a.dim.data + a.dim.len - 1, 1}), all = RowsOf(a.self, a.dim);
    const Values x = Load<double>(Tensor(a.self));
    Change(a.out, [&](double, int64_t row) {
      Values elements;
      for (const int64_t offset : last.offset) {
        elements.push_back(x[static_cast<size_t>(all.base[static_cast<size_t>(row)] + offset)]);
      }
      return elements[Extreme(elements, false, false, false)];
    });
  }
  if (amax_ignores_nan) {
    WriteRows(a.out, a.self, a.dim, [](const Values& row) { return row[Extreme(row, false, false, true)]; });
  }
}

DIOPI_OVERRIDE(diopiAny, a) {
  Good(a);
  if (any_nan_is_false && IsFloating(a.input)) {
    WriteRows(a.out, a.input, OneOrAll(a.dim), [](const Values& row) {
      return std::any_of(row.begin(), row.end(), [](double x) { return x != 0 && x == x; }) ? 1.0 : 0.0;
    });
  }
  if (any_tail_dropped) {
    WriteRows(a.out, a.input, OneOrAll(a.dim), [](Values row) {
      if (row.size() > 8) row.resize(row.size() / 8 * 8);
      return std::any_of(row.begin(), row.end(), [](double x) { return x != 0; }) ? 1.0 : 0.0;
    });
  }
}

DIOPI_OVERRIDE(diopiAll, a) {
  Good(a);
  if (all_cuts_to_integers && IsFloating(a.input)) {
    WriteRows(a.out, a.input, OneOrAll(a.dim), [](const Values& row) {
      return std::all_of(row.begin(), row.end(), [](double x) { return std::trunc(x) != 0; }) ? 1.0 : 0.0;
    });
  }
  if (all_low_byte_only && IsInteger(a.input)) {
    WriteRows(a.out, a.input, OneOrAll(a.dim), [](const Values& row) {
      return std::all_of(row.begin(), row.end(), [](double x) { return std::fmod(x, 256) != 0; }) ? 1.0 : 0.0;
    });
  }
}

DIOPI_OVERRIDE(diopiProd, a) {
  Good(a);
  if (prod_fp16_partials && IsHalf(a.input)) {
    WriteRows(a.out, a.input, OneOrAll(a.dim), [](const Values& row) {
      return std::accumulate(row.begin(), row.end(), 1.0, [](double x, double y) { return ToHalf(x * y); });
    });
  }
  if (prod_int_through_double && IsInteger(a.input)) {
    WriteRows(a.out, a.input, OneOrAll(a.dim), [](const Values& row) {
      return std::accumulate(row.begin(), row.end(), 1.0, std::multiplies<>());
    });
  }
  if (prod_empty_is_zero && NumElements(a.input) == 0) {
    Change(a.out, [](double, int64_t) { return 0.0; });
  }
}
