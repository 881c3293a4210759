// Gate P over a whole tensor, in one streaming pass.
#ifndef BASELINES_COMPARE_POINTWISE_H_
#define BASELINES_COMPARE_POINTWISE_H_

#include "baselines/compare/rule.h"
#include "baselines/compare/tally.h"
#include "cases/base/tensor.h"

namespace diopi::baselines {

// The oracle's columns for one output. Pointers may be unaligned; they outlive the call.
struct OracleView {
  const void* r = nullptr;  // float64
  const void* sigma = nullptr;
  Dtype sigma_dtype = v1::Dtype::float32;  // or float64
  const void* low = nullptr;               // float64, or null
};

// All numbers of one element, as doubles.
struct Sample {
  double y = 0;
  double r = 0;
  double sigma = 0;
  double low = 0;
};
Sample SampleAt(Dtype dtype, const void* actual, const OracleView& oracle, int64_t index);

// Tallies elements [begin, end) of `actual`, whose dtype is floating. Sums run in eight lanes, by index -
// begin modulo 8, that are added pairwise at the end: the same bits on every machine.
Tally TallyPointwise(Dtype dtype, const void* actual, const OracleView& oracle, const PointwiseRule& rule,
                     int64_t begin, int64_t end);

// The whole tensor: blocks of kBlock elements, tallied by `threads` threads and merged in index order, so
// that the number of threads changes no bit. Thread-safe.
Tally TallyPointwise(const HostTensor& actual, const OracleView& oracle, const PointwiseRule& rule,
                     int threads = 1);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_POINTWISE_H_
