// Whether an accumulation of given data is exact in every order of summation, or its terms repeat.
#ifndef BASELINES_GENERATE_EXACT_DATA_H_
#define BASELINES_GENERATE_EXACT_DATA_H_

#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// The case's numbers are integers: every element of every floating input, and every scalar attribute. No
// string attribute either, as a mode may bring weights of its own (bilinear).
bool HasIntegerData(const v1::Case& c, const TensorMap& inputs);

// The case with every scalar attribute positive: with f(|x|) it bounds each partial sum, whatever the signs.
v1::Case WithMagnitudes(const v1::Case& c);

// One output of the oracle over integer data; all float64 but r, which may be noise80.
struct LinearRuns {
  const HostTensor& r;          // f(x)
  const HostTensor& squares;    // f(x^2)
  const HostTensor& ones;       // f(1)
  const HostTensor& magnitude;  // f(|x|), of WithMagnitudes
  const HostTensor& probe;      // f of other integers
};

// True when every partial sum, in any order, is an integer below 2^24 (2^53 for a float64 output), so that no
// order rounds: all of r, f(x^2), f(1) and f(probe) are integers and f(|x|) is below the limit. An operator
// that averages has f(1) = 1 (mean) or fractions in one of them (windows, interpolation); f(1) > 1 somewhere
// shows that it sums at all. Data that are not finite are never exact.
bool IsExact(const LinearRuns& runs, Dtype output);

// Sums of up to n terms are so long, or some input has so few different elements, that the terms' roundings
// need not be independent.
bool MayDrift(const v1::Case& c, const TensorMap& inputs, double n);

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_EXACT_DATA_H_
