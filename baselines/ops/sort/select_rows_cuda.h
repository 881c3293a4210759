// The first elements of every sorted row, without sorting the rest: four bits of the keys at a time, rows are
// counted until the last key that is taken is known. Then only what is taken is sorted.
#ifndef BASELINES_OPS_SORT_SELECT_ROWS_CUDA_H_
#define BASELINES_OPS_SORT_SELECT_ROWS_CUDA_H_

#include "baselines/ops/support/cuda/reduce.h"
#include "baselines/ops/support/cuda/scratch.h"
#include "baselines/ops/support/cuda/sort.h"

namespace diopi::ops::cuda {

inline constexpr int kDigitBits = 4, kDigits = 1 << kDigitBits;

struct DigitCounts {
  uint32_t of[kDigits] = {};
};

// Counts, among the keys that begin with prefix[row], those with each next digit, and appends the digit of
// the wanted[row]-th one; wanted[row] is then its number among the keys with the longer prefix.
template <typename C>
struct AppendDigit {
  using State = DigitCounts;
  SortKeys<C> keys;
  int64_t length;
  int shift;
  uint64_t* prefix;
  int64_t* wanted;
  DIOPI_HD State Empty() const { return {}; }
  DIOPI_HD State Load(int64_t row, int64_t j) const {
    State state;
    const uint64_t key = keys[row * length + j];
    if ((key >> shift >> kDigitBits) == prefix[row]) state.of[(key >> shift) % kDigits] = 1;
    return state;
  }
  DIOPI_HD State Combine(State a, const State& b) const {
    for (int d = 0; d < kDigits; ++d) a.of[d] += b.of[d];
    return a;
  }
  DIOPI_HD void Finish(int64_t row, const State& counts) const {
    int64_t rest = wanted[row];
    int digit = 0;
    for (; digit < kDigits - 1 && rest > counts.of[digit]; ++digit) rest -= counts.of[digit];
    prefix[row] = prefix[row] << kDigitBits | static_cast<uint64_t>(digit);
    wanted[row] = rest;
  }
};

struct WantAll {
  uint64_t* prefix;
  int64_t* wanted;
  int64_t count;
  DIOPI_HD void operator()(int64_t row) const {
    prefix[row] = 0;
    wanted[row] = count;
  }
};

template <typename C>
struct EqualToLast {
  SortKeys<C> keys;
  const uint64_t* last;
  int64_t length;
  int64_t* equal;
  DIOPI_HD void operator()(int64_t i) const { equal[i] = keys[i] == last[i / length] ? 1 : 0; }
};

// What is taken: all before the last key, and of those equal to it the first wanted[row]. `equals`: running
// sums.
template <typename C>
struct FlagTaken {
  SortKeys<C> keys;
  const uint64_t* last;
  const int64_t* wanted;
  const int64_t* equals;
  int64_t length;
  uint8_t* flags;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / length, before = row == 0 ? 0 : equals[row * length - 1];
    const uint64_t key = keys[i];
    flags[i] = key < last[row] || (key == last[row] && equals[i] - before <= wanted[row]);
  }
};

template <typename C>
struct GatherTaken {
  In<C> x;
  const int64_t* from;
  C* to;
  DIOPI_HD void operator()(int64_t i) const { to[i] = x[from[i]]; }
};

struct PlaceOfTaken {
  const int64_t* taken;
  const int64_t* sorted;
  int64_t* order;
  int64_t length, count;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / count;
    order[i] = taken[row * count + sorted[i]] - row * length;
  }
};

// order[row * count + k], for k below `count`, is what SortRows finds; 0 < count <= length.
template <typename C>
void SelectRows(const Queue& queue, const In<C>& x, int64_t rows, int64_t length, int64_t count,
                bool descending, int64_t* order) {
  const int64_t n = rows * length, selected = rows * count;
  if (n <= 0) return;
  Check(length < int64_t{1} << 32, "selecting from rows of ", length, " elements is not implemented");
  const SortKeys<C> keys{x, descending};
  constexpr int kKeyBits = 8 * sizeof(typename SortKeys<C>::Key);
  auto* const last = queue.Buffer<uint64_t>(rows);
  auto* const wanted = queue.Buffer<int64_t>(rows);
  ForEach(queue, rows, WantAll{last, wanted, count});
  for (int shift = kKeyBits - kDigitBits; shift >= 0; shift -= kDigitBits) {
    ReduceRows(queue, rows, length, AppendDigit<C>{keys, length, shift, last, wanted});
  }
  auto* const equals = queue.Buffer<int64_t>(n);
  auto* const flags = queue.Buffer<uint8_t>(n);
  auto* const taken = queue.Buffer<int64_t>(selected);
  ForEach(queue, n, EqualToLast<C>{keys, last, length, equals});
  ScanInts(queue, equals, equals, n);
  ForEach(queue, n, FlagTaken<C>{keys, last, wanted, equals, length, flags});
  Select(queue, flags, n, taken);
  auto* const values = queue.Buffer<C>(selected);
  auto* const sorted = queue.Buffer<int64_t>(selected);
  ForEach(queue, selected, GatherTaken<C>{x, taken, values});
  SortRows<C>(queue, ScratchIn<C>(values, {selected}), rows, count, descending, sorted);
  ForEach(queue, selected, PlaceOfTaken{taken, sorted, order, length, count});
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SORT_SELECT_ROWS_CUDA_H_
