// (case, references, what the device returned) -> verdict. Pure: no I/O, no clock, no state.
#ifndef BASELINES_COMPARE_COMPARE_H_
#define BASELINES_COMPARE_COMPARE_H_

#include "baselines/compare/contract.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

struct CompareOptions {
  DeclaredContracts contracts;  // what the device declares; none by default
  bool explain = true;          // look for what the wrong elements have in common, and for the cause
};

// Judges every output of the case that has a judge. INDEX_OF, RANDOM and what is found of a failure need
// `inputs`. The verdict's outcome is PASS or FAIL (HARNESS_ERROR when a reference is missing);
// findings, cause, the texts that are made of these, outputs, contracts, dtype, function and case fields are
// filled.
//
// `references` hold, per output KEY: KEY (r as float64, or the case's own dtype for exact kinds), KEY.sigma
// and KEY.low for r, KEY.n (float32, f(1)) and KEY.exact (uint8 1: no order of summation rounds) of
// accumulations, and in the case's own dtype KEY.native16, what a real 16-bit evaluation gives (for the
// contract native16), and KEY.device, what the device reference returned.
v1::Verdict CompareCase(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                        const TensorMap& actual, const CompareOptions& options = {});

// Whether declaring `one` as well would widen a tolerance of the case.
bool Concerns(const Contracts& one, const Contracts& declared, const v1::Case& c);

// Adds to a verdict that CompareCase failed with the same arguments: each contract that is not declared and
// under which, by itself, the case would pass with errors of the size that such an arithmetic makes.
void AddWouldPassUnder(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                       const TensorMap& actual, const CompareOptions& options, v1::Verdict* verdict);

// Adds these contracts, where there are any, to the findings.
void ReportWouldPassUnder(v1::Verdict* verdict);

// Names the likely cause, with the contract to declare where it is one.
void SetCause(const v1::Finding& cause, double confidence, v1::Verdict* verdict);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_COMPARE_H_
