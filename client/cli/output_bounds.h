// The bounds of each output element, for a program that judges by itself: the C file that `repro` writes.
#ifndef CLIENT_CLI_OUTPUT_BOUNDS_H_
#define CLIENT_CLI_OUTPUT_BOUNDS_H_

#include <string>
#include <vector>

#include "baselines/compare/contract.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cli {

struct OutputBounds {
  bool judged = false;             // false: outputs of this kind are not judged element by element
  bool repeats = false;            // equal calls must give equal outputs
  bool may_flush = false;          // a subnormal result may come out as zero
  HostTensor expected;             // float64 for floating outputs, else the output's own dtype
  std::vector<double> tolerances;  // one per element; empty: every element must match exactly
};

// The bounds of the output `key` by the pointwise rule, widened by `contracts`. Only diopi-cli judges an
// output as a whole (the RMS error, a rounding bias).
OutputBounds BoundsOf(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                      const std::string& key, const baselines::Contracts& contracts);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_OUTPUT_BOUNDS_H_
