// Random outputs of any length, judged where they lie: a pass over all of them, a block at a time.
//
// Each check has a false alarm rate of at most 1e-7 at every length (tails.h); a check of every block divides
// it among the blocks. Steps between an output's numbers (2^-24 of a uniform range, 2^-8 of a bfloat16) are
// allowed for as in random.h: what lies within a number's step from a bound speaks for the library.
//
// Over all numbers: mean, variance, the tails of a normal distribution, correlations with the numbers 1, 2,
// 4, ... 4096 ahead, chi-square over 64 cells, the Kolmogorov-Smirnov distance. Of each block of 65,536: mean
// and variance. Runs of equal numbers. Stretches that occur twice, wherever they lie: with a probability
// above 1 - 1e-7 where they are 16 times as long as the output has MiB elements (and at least 80). The
// blocks at both ends and two between them pass all checks of random.h.
#ifndef BASELINES_COMPARE_RANDOM_STREAM_H_
#define BASELINES_COMPARE_RANDOM_STREAM_H_

#include <cstdint>
#include <optional>

#include "cases/base/tensor_view.h"
#include "diopi/v1/finding.pb.h"

namespace diopi::baselines {

// Of at least kShortestStream numbers.
// Each returns what the first check that failed found. `actual` may change meanwhile. KS
// is the Kolmogorov-Smirnov distance times sqrt(N), as far as cells show it.
std::optional<v1::Finding> CheckUniformStream(const TensorView& actual, double from, double to);
std::optional<v1::Finding> CheckNormalStream(const TensorView& actual, double mean, double std, double* ks);
// Bytes 0 and 1, each 1 with probability `keep`.
std::optional<v1::Finding> CheckKeptStream(const TensorView& mask, double keep);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_RANDOM_STREAM_H_
