// Bugs injected in sort and topk.
#include <limits>

#include "baselines/bugs/support.h"
#include "baselines/ops/support/sort_lines.h"

namespace {

using diopi::bugs::Load;
using diopi::bugs::Store;
using diopi::bugs::Tensor;
using diopi::ops::Axis;
using diopi::ops::Less;

BUG(sort_not_stable, 36, "diopiSort", "", "a bitonic network, which does not keep the order of equals");
BUG(sort_descending_by_reversal, 0, "diopiSort", "",
    "descending is ascending read backwards: equals in reverse order");
BUG(sort_nan_least_descending, 0, "diopiSort", "", "descending puts NaN last, as if it were the least");
BUG(sort_integers_as_float, 0, "diopiSort", "", "int32 and int64 are compared as float32");
BUG(sort_radix_orders_zeros, 0, "diopiSort", "", "a radix sort of the bits puts -0 before 0");
BUG(sort_backward_gathers, 0, "diopiSortBackward", "",
    "the gradient is gathered by the indices instead of scattered");
BUG(topk_largest_ignored, 0, "diopiTopk", "", "always the largest");
BUG(topk_sorted_ignored, 0, "diopiTopk", "", "the k elements come in the order of the input");
BUG(topk_ignores_tail, 0, "diopiTopk", "", "elements after the last whole block of 32 are ignored");
BUG(topk_least_by_negation, 0, "diopiTopk", "", "the least are the largest after negation in the type");
BUG(topk_nan_never_taken, 0, "diopiTopk", "", "NaN compares false, so that it is never among the largest");
BUG(topk_integers_as_float, 0, "diopiTopk", "", "int32 and int64 are compared as float32");
BUG(topk_int32_indices, 0, "diopiTopk", "", "positions are written as int32 into the int64 tensor");

// Comparators: whether a stands before b in ascending order.
template <typename C>
bool LessAsFloat(const C& a, const C& b) {
  return static_cast<float>(a) < static_cast<float>(b);
}

template <typename C>
bool LessByBits(const C& a, const C& b) {
  if constexpr (std::is_floating_point_v<C>) {
    if (a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
  }
  return Less(a, b);
}

using Order = std::vector<int64_t>;

// Ascending positions by exchanges at distances of powers of two; beyond the end everything is greater.
template <typename Before>
void Bitonic(Order& order, Before&& before) {
  size_t size = 1;
  while (size < order.size()) size *= 2;
  constexpr int64_t kPadding = std::numeric_limits<int64_t>::max();
  const size_t length = order.size();
  order.resize(size, kPadding);
  const auto after = [&](int64_t a, int64_t b) { return b != kPadding && (a == kPadding || before(b, a)); };
  for (size_t block = 2; block <= size; block *= 2) {
    for (size_t distance = block / 2; distance > 0; distance /= 2) {
      for (size_t i = 0; i < size; ++i) {
        const size_t j = i ^ distance;
        if (j < i) continue;
        const bool up = (i & block) == 0;
        if (up ? after(order[i], order[j]) : after(order[j], order[i])) std::swap(order[i], order[j]);
      }
    }
  }
  order.resize(length);
}

// The order of a line: element i is value(i).
template <typename Value>
Order InjectedOrder(int64_t length, bool descending, Value&& value) {
  Order order(static_cast<size_t>(length));
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto is_nan = [](const auto& x) { return x != x; };
  const auto less = [&](const auto& a, const auto& b) {
    if (sort_integers_as_float) return LessAsFloat(a, b);
    if (sort_radix_orders_zeros) return LessByBits(a, b);
    if (sort_nan_least_descending && descending) return (is_nan(a) && !is_nan(b)) || a < b;
    return Less(a, b);
  };
  const auto before = [&](int64_t i, int64_t j) {
    return descending ? less(value(j), value(i)) : less(value(i), value(j));
  };
  if (sort_not_stable) {
    Bitonic(order, before);
  } else if (sort_descending_by_reversal && descending) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return before(j, i); });
    std::reverse(order.begin(), order.end());
  } else {
    std::stable_sort(order.begin(), order.end(), before);
  }
  return order;
}

// The positions of the k that a injected topk takes from a line.
template <typename Value>
Order InjectedTop(int64_t length, int64_t k, bool largest, Value&& value) {
  const int64_t seen = topk_ignores_tail && length >= 32 && length / 32 * 32 >= k ? length / 32 * 32 : length;
  Order order(static_cast<size_t>(seen));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    const auto a = value(i), b = value(j);
    if (topk_nan_never_taken && (a != a || b != b)) return a == a;
    if (topk_integers_as_float) return largest ? LessAsFloat(b, a) : LessAsFloat(a, b);
    return largest ? Less(b, a) : Less(a, b);
  });
  order.resize(static_cast<size_t>(k));
  if (topk_sorted_ignored) std::sort(order.begin(), order.end());
  return order;
}

// What the type itself makes of -x.
template <typename C>
C NegatedIn(diopiDtype_t dtype, const C& x) {
  if constexpr (diopi::ops::kIsInteger<C>) {
    const int64_t bits = diopi::ops::ElementSize(dtype) * 8;
    const bool is_signed = dtype == diopi_dtype_int8 || dtype == diopi_dtype_int16 ||
                           dtype == diopi_dtype_int32 || dtype == diopi_dtype_int64;
    const int64_t negated = diopi::ops::WrapNeg(x);
    if (bits == 64) return negated;
    const int64_t modulus = int64_t{1} << bits, rest = negated & (modulus - 1);
    return is_signed && rest >= modulus / 2 ? rest - modulus : rest;
  } else {
    return -x;
  }
}

// values and indices from `order(value, length)` of each line, which gives `count` positions.
template <typename F>
void TakeLines(const Tensor& values, const Tensor& indices, const Tensor& input, int64_t dim, int64_t count,
               F&& order) {
  const Axis axis = diopi::ops::SplitAxis(input.shape(), diopi::ops::WrapDim(dim, input.rank()));
  diopi::ops::DispatchAny(input.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    std::vector<C> taken(static_cast<size_t>(values.numel()));
    std::vector<int64_t> positions(taken.size());
    for (int64_t line = 0; line < (taken.empty() ? 0 : axis.outer * axis.inner); ++line) {
      const int64_t outer = line / axis.inner, inner = line % axis.inner;
      const auto value = [&](int64_t i) {
        return x[static_cast<size_t>((outer * axis.size + i) * axis.inner + inner)];
      };
      const Order chosen = order(value, axis.size);
      for (int64_t i = 0; i < count; ++i) {
        const size_t at = static_cast<size_t>((outer * count + i) * axis.inner + inner);
        positions[at] = chosen[static_cast<size_t>(i)];
        taken[at] = value(positions[at]);
      }
    }
    Store(values, taken);
    Store(indices, positions);
  });
}

bool IsWideInteger(diopiDtype_t dtype) {
  return dtype == diopi_dtype_int32 || dtype == diopi_dtype_int64;
}

// Two positions of 4 bytes where one of 8 belongs, from the start of the tensor on.
void WriteAsInt32(diopiTensorHandle_t indices) {
  const std::vector<int64_t> positions = Load<int64_t>(Tensor(indices));
  std::vector<int64_t> packed(positions.size(), 0);
  for (size_t i = 0; i < positions.size(); ++i) {
    packed[i / 2] |= positions[i] << (i % 2 == 0 ? 0 : 32);
  }
  Store(Tensor(indices), packed);
}

}  // namespace

DIOPI_OVERRIDE(diopiSort, a) {
  const bool own = sort_not_stable || sort_descending_by_reversal || sort_nan_least_descending ||
                   sort_radix_orders_zeros ||
                   (sort_integers_as_float && IsWideInteger(diopi::bugs::DtypeOf(a.input)));
  if (!own) return Good(a);
  const Tensor x(a.input);
  const Axis axis = diopi::ops::SplitAxis(x.shape(), diopi::ops::WrapDim(a.dim, x.rank()));
  TakeLines(a.values, a.indices, x, a.dim, axis.size,
            [&](auto&& value, int64_t length) { return InjectedOrder(length, a.descending, value); });
}

DIOPI_OVERRIDE(diopiSortBackward, a) {
  if (!sort_backward_gathers) return Good(a);
  diopi::bugs::OrFail(diopiGather(a.ctx, a.grad_input, a.grad_output, a.dim, a.indices));
}

DIOPI_OVERRIDE(diopiTopk, a) {
  if (topk_largest_ignored) a.largest = true;
  const bool own = topk_sorted_ignored || topk_ignores_tail || topk_nan_never_taken ||
                   (topk_least_by_negation && !a.largest) ||
                   (topk_integers_as_float && IsWideInteger(diopi::bugs::DtypeOf(a.input)));
  if (!own) {
    Good(a);
    if (!topk_int32_indices) return;
    {
      WriteAsInt32(a.indices);
      return;
    }
  }
  const Tensor x(a.input);
  TakeLines(a.values, a.indices, x, a.dim, a.k, [&](auto&& value, int64_t length) {
    if (!topk_least_by_negation) return InjectedTop(length, a.k, a.largest, value);
    return InjectedTop(length, a.k, true, [&](int64_t i) { return NegatedIn(x.dtype(), value(i)); });
  });
}
