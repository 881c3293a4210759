#include "client/cli/output_bounds.h"

#include <algorithm>

#include "baselines/compare/judging.h"
#include "baselines/compare/oracle.h"

namespace diopi::cli {
namespace {

// Sets the oracle's r and the tolerance around it, or the only result where every order of summation gives
// the same.
void AddNoise(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
              const baselines::JudgedOutput& output, const baselines::Contracts& contracts,
              OutputBounds* bounds) {
  HostTensor zeros{output.dtype, bounds->expected.shape, {}};
  const int64_t count = NumElements(zeros.shape);
  zeros.data.assign(static_cast<size_t>(count * ElementSize(output.dtype)), '\0');
  const TensorMap none;
  const baselines::Job job{c, inputs, references, none, output, bounds->expected, zeros, contracts};
  baselines::OutputOracle oracle;
  std::string why;
  bounds->judged = oracle.Load(job, contracts, &why);
  if (!bounds->judged) return;
  bounds->may_flush = oracle.rule().flushable > 0;
  for (int64_t i = 0; i < count; ++i) {
    const baselines::Sample s = oracle.At(zeros, i);
    if (oracle.exact()) {
      StoreDouble(output.dtype, zeros.data.data(), i, s.r);
    } else {
      bounds->tolerances.push_back(baselines::Judge(oracle.rule(), s.r, s.r, s.sigma, s.low).tolerance);
    }
  }
  if (oracle.exact()) bounds->expected = zeros;
}

}  // namespace

OutputBounds BoundsOf(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                      const std::string& key, const baselines::Contracts& contracts) {
  OutputBounds bounds;
  const auto reference = references.find(key);
  if (reference == references.end()) return bounds;
  bounds.expected = reference->second;
  for (const baselines::JudgedOutput& output : baselines::JudgedOutputs(c)) {
    if (output.key != key) continue;
    bounds.repeats = !output.judge->may_be_nondeterministic();
    if (output.in_parts) {
      bounds.expected = HostTensor{output.dtype, {0}, {}};
    } else if (baselines::HasNoise(output.kind)) {
      AddNoise(c, inputs, references, output, contracts, &bounds);
    } else if (output.kind == v1::Judge::EXACT && !IsComplex(output.dtype)) {
      bounds.judged = true;
      bounds.may_flush = output.judge->computed();
    }
  }
  return bounds;
}

}  // namespace diopi::cli
