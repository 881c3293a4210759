// One function per way of judging a tensor. Each gives the statistics of that output, `ok` and, when not ok,
// the gates that failed and the finding in words.
#ifndef BASELINES_COMPARE_JUDGES_H_
#define BASELINES_COMPARE_JUDGES_H_

#include <string>

#include "baselines/compare/judging.h"
#include "cases/core/tensor.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

// Everything a judge may look at.
struct Evidence {
  const v1::Case& c;
  const TensorMap& inputs;
  const TensorMap& references;
  const TensorMap& actual;
};

// The tensor of that key, or null.
const HostTensor* Find(const TensorMap& tensors, const std::string& key);

// An element in words: integers and bools exactly, floating numbers with enough digits to tell them apart.
std::string ElementText(const HostTensor& tensor, int64_t index);

// Marks an output as failed by `gate` ("P", "X", "S").
void FailOutput(const std::string& gate, const std::string& detail, v1::OutputStats* stats);

// Fails `stats` and returns false unless the tensor has that dtype and shape.
bool CheckForm(const HostTensor& actual, Dtype dtype, const std::vector<int64_t>& shape,
               v1::OutputStats* stats);

// Counts of a tensor that no rule needs: elements, NaN, Inf, zeros.
void CountElements(const HostTensor& actual, v1::OutputStats* stats);

// Gate X: bit for bit; NaN equals NaN whatever its payload, -0 differs from +0, bool bytes are 0 or 1.
void JudgeExact(const HostTensor& actual, const HostTensor& expected, v1::OutputStats* stats);

// Gate P against r, sigma and low (see LeaseMessage).
void JudgePointwise(const Evidence& evidence, const JudgedOutput& output, const HostTensor& actual,
                    v1::OutputStats* stats);

// Integers that pick the reference's values out of an input along a dimension.
void JudgeIndexOf(const Evidence& evidence, const JudgedOutput& output, const HostTensor& actual,
                  v1::OutputStats* stats);

// Rows (dimension 0) as a set: both sides sorted by their bytes, then gate X.
void JudgeUnordered(const HostTensor& actual, const HostTensor& expected, v1::OutputStats* stats);

// By distribution; every check has a false-alarm rate of at most 1e-7 (verdict section 3).
void JudgeRandom(const Evidence& evidence, const JudgedOutput& output, const HostTensor& actual,
                 v1::OutputStats* stats);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_JUDGES_H_
