// What the mismatches of one output have in common: where they lie and what the values are. Every
// finding holds for all of them, and no cause is named that chance would show as well.
#ifndef BASELINES_COMPARE_PATTERNS_H_
#define BASELINES_COMPARE_PATTERNS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "baselines/compare/tally.h"
#include "cases/base/tensor.h"
#include "diopi/v1/finding.pb.h"

namespace diopi::baselines {

// One output and what it should be; a gate describes its mismatches through it.
class Evidence {
 public:
  virtual ~Evidence() = default;
  virtual const HostTensor& actual() const = 0;
  // What was expected at a place, rounded to the output's dtype.
  virtual double Expected(int64_t index) const = 0;
  // Whether a value would pass at a place.
  virtual bool Fits(double value, int64_t index) const = 0;
  virtual bool Wrong(int64_t index) const = 0;
  // Whether the elements are a sample, so that neighbours in it say nothing.
  virtual bool Sampled() const { return false; }
  // Whether some input holds a NaN, or an infinity; and whether one with a NaN has as many elements as the
  // output, so that a NaN belongs to one element of it.
  virtual bool GivenNan() const { return false; }
  virtual bool GivenNanPerElement() const { return false; }
  virtual bool GivenInfinity() const { return false; }

  double Actual(int64_t index) const { return ElementAsDouble(actual().dtype, actual().data.data(), index); }
};

// `confidence`: the probability that the inferred cause, where there is one, is not chance: 1 minus the
// number of statements tried times the chance that a wrong output fits one of them.
struct Remark {
  std::vector<v1::Finding> observed;
  std::optional<v1::Finding> cause;
  double confidence = 1;
};

// Causes of less confidence are not named. Chosen with `diopi-proof causes`, client/proof/README.md.
inline constexpr double kLeastConfidence = 0.9;

// The last elements, the last of every row, a slice.
Remark WhereWrong(const Evidence& evidence, const Tally& tally);

// All zero, NaN, the wrong sign, another place's values. Reads the output once more, and sorts outputs of up
// to 2^20 elements to see whether they are a permutation of what was expected.
Remark WhatWrong(const Evidence& evidence, const Tally& tally);

// Both: where and what, unless one finding covers the whole output. The cause comes from the values if they
// show one.
Remark PatternOf(const Evidence& evidence, const Tally& tally);

// The largest vector width (4 to 1024, a power of two) beyond whose last full multiple exactly `tail` of
// `size` elements remain; 0 when there is none.
int64_t VectorWidth(int64_t size, int64_t tail);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_PATTERNS_H_
