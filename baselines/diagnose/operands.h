// Products of float32 operands that the device rounds or splits first. Unlike an ignored argument, this
// changes no argument: the reference multiplies the rounded operands in float64, which is what such a device
// gives except for the noise of its sum. Private to this folder.
#ifndef BASELINES_DIAGNOSE_OPERANDS_H_
#define BASELINES_DIAGNOSE_OPERANDS_H_

#include <string>
#include <vector>

#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/finding.pb.h"

namespace diopi::baselines {

// The sum of the function's results on `plus` minus its results on `minus`: exact for functions that are
// linear in each operand.
struct RoundedOperands {
  v1::Finding found;  // "float32 operands rounded to TF32"
  TensorMap plus;
  TensorMap minus;       // empty: nothing to subtract
  std::string contract;  // the one that allows it; empty: none
};

// Empty where no judged output is a sum of float32 products.
std::vector<RoundedOperands> NarrowOperands(const v1::Case& c, const TensorMap& inputs);

}  // namespace diopi::baselines

#endif  // BASELINES_DIAGNOSE_OPERANDS_H_
