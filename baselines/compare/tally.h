// Error statistics of a block of elements, and how blocks are merged. Blocks of kBlock elements are tallied
// on their own and merged in index order, so that every figure is the same to the last bit on any number of
// threads.
#ifndef BASELINES_COMPARE_TALLY_H_
#define BASELINES_COMPARE_TALLY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

inline constexpr int64_t kBlock = int64_t{64} * 1024;
inline constexpr size_t kMaxFirst = 16;
inline constexpr size_t kHistogramBins = 24;

struct Tally {
  int64_t elements = 0;
  int64_t finite = 0;  // neither side NaN, the reference not Inf: what the sums run over
  // The figures of an output that is judged bit for bit, which has no sums.
  int64_t in_ulps = 0;    // elements that max_ulp and the histogram are over
  int64_t distances = 0;  // and max_abs, max_rel
  int64_t mismatches = 0;
  int64_t marginal = 0;
  int64_t nan = 0;
  int64_t inf = 0;
  int64_t flushed = 0;
  int64_t zeros = 0;
  int64_t leaning = 0;
  int64_t public_mismatches = 0;
  double sum_z2 = 0;
  double sum_d2 = 0;
  double sum_ideal2 = 0;
  double sum_bias = 0;
  double sum_radial = 0;
  double max_ulp = 0;
  double max_z = 0;
  double max_abs = 0;
  double max_rel = 0;
  // Bin 0: no error; bin k: 2^(k-4) <= |d|/w < 2^(k-3), the first and the last being open-ended.
  std::array<int64_t, kHistogramBins> histogram{};
  std::vector<int64_t> first;  // indices of the first mismatches
  int64_t last = -1;           // index of the last one
  int64_t argmax = -1;         // first index of max_z; -1 where max_z is 0

  // `next` covers the elements that follow.
  void Merge(const Tally& next);
  void AddMismatch(int64_t index);
  // Fills everything except key, dtype, shape, verdict and texts. Figures over no elements are NaN, "not
  // measured".
  void ToStats(v1::OutputStats* stats) const;
};

// The histogram's bin for an error of `ulps` units in the last place.
size_t HistogramBin(double ulps);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_TALLY_H_
