// Bugs in reductions, scans and selections along a dimension.
#include "baselines/unseen/faults.h"

using namespace diopi::unseen;  // NOLINT: this file is nothing else

// Ordinary values: an odd number of negative factors.
BUG(prod_by_logarithms, 0, "diopiProd", "", "exp(sum(log(abs(x)))): floating products lose their sign");
DIOPI_OVERRIDE(diopiProd, a) {
  Good(a);
  if (!prod_by_logarithms || !IsFloating(a.out)) return;
  Change(a.out, [](double y, int64_t) { return std::fabs(y); });
}

// Specific: a correction other than 1.
BUG(std_correction_one, 0, "diopiStd", "", "the correction is taken as 1");
DIOPI_OVERRIDE(diopiStd, a) {
  const diopiScalar_t one = Number(1);
  if (std_correction_one) a.correction = &one;
  Good(a);
}

// Specific: a dimension other than the last.
BUG(softmax_backward_last_dim, 0, "diopiSoftmaxBackward", "",
    "the sum is always taken along the last dimension");
DIOPI_OVERRIDE(diopiSoftmaxBackward, a) {
  if (softmax_backward_last_dim) a.dim = -1;
  Good(a);
}

// Rare: sums of integers beyond 2^31.
BUG(sum_int32_accumulator, 0, "diopiSum", "", "sums of integers are accumulated in int32, and wrap");
DIOPI_OVERRIDE(diopiSum, a) {
  Good(a);
  if (!sum_int32_accumulator || DtypeOf(a.out) != diopi_dtype_int64) return;
  const std::vector<int64_t> sums = Load<int64_t>(Tensor(a.out));
  const auto wrapped = [&](int64_t i) { return static_cast<int32_t>(At(sums, i)); };
  Set(
      a.ctx, a.out, [&](int64_t i) { return wrapped(i) != At(sums, i); }, wrapped);
}

// Rare: a dimension of more than 32 elements.
BUG(cumsum_blocks_of_32, 0, "diopiCumsum", "", "the sum of a block of 32 is not carried into the next one");
DIOPI_OVERRIDE(diopiCumsum, a) {
  Good(a);
  if (!cumsum_blocks_of_32 || Length(a.input, a.dim) <= 32) return;
  const Axis axis = SplitAxis(ShapeOf(a.out), WrapDim(a.dim, Rank(a.out)));
  const std::vector<double> sums = Values(a.out);
  const auto place = [&](int64_t i) { return i / axis.inner % axis.size; };
  Set(
      a.ctx, a.out, [&](int64_t i) { return place(i) >= 32; },
      [&](int64_t i) { return At(sums, i) - At(sums, i - (place(i) % 32 + 1) * axis.inner); });
}

// Rare: a float32 element above 88.7.
BUG(log_softmax_overflow, 0, "diopiLogSoftmax", "",
    "the maximum is not subtracted: exp overflows in float32, and the row is -infinity");
DIOPI_OVERRIDE(diopiLogSoftmax, a) {
  Good(a);
  if (!log_softmax_overflow || !IsFloat32(a.input) || Rank(a.input) == 0) return;
  const Axis axis = SplitAxis(ShapeOf(a.input), WrapDim(a.dim, Rank(a.input)));
  const auto row = [&](int64_t i) {
    return static_cast<size_t>(i / (axis.inner * axis.size) * axis.inner + i % axis.inner);
  };
  const std::vector<double> x = Values(a.input);
  std::vector<double> sums(static_cast<size_t>(axis.outer * axis.inner));
  for (int64_t i = 0; i < NumElements(a.input); ++i) sums[row(i)] += std::exp(At(x, i));
  constexpr auto kMost = static_cast<double>(std::numeric_limits<float>::max());
  Set(
      a.ctx, a.out, [&](int64_t i) { return sums[row(i)] > kMost; }, [](int64_t) { return -kInf; });
}

// Rare: k = 1, the smallest.
BUG(topk_one_is_maximum, 0, "diopiTopk", "", "k = 1 takes a shortcut to the maximum, also for the smallest");
DIOPI_OVERRIDE(diopiTopk, a) {
  if (topk_one_is_maximum && a.k == 1) a.largest = true;
  Good(a);
}

// Rare: a call after one whose maximum was larger, of the same dtype.
BUG(max_all_stale_buffer, 0, "diopiMaxAll", "",
    "the buffer of the atomic maximum is not cleared: it holds what earlier calls left there");
DIOPI_OVERRIDE(diopiMaxAll, a) {
  Good(a);
  if (!max_all_stale_buffer) return;
  static std::mutex mutex;
  static std::map<diopiDtype_t, double> buffers;
  const std::lock_guard lock(mutex);
  double& most = buffers.try_emplace(DtypeOf(a.max), -kInf).first->second;
  Change(a.max, [&](double x, int64_t) { return most > x ? most : x; });
  most = std::fmax(most, Values(a.max).front());
}
