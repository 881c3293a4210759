// What all gates share: an output's references, and the sentences that describe a failure.
#ifndef BASELINES_COMPARE_EXPECT_H_
#define BASELINES_COMPARE_EXPECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "baselines/compare/contract.h"
#include "baselines/compare/judging.h"
#include "baselines/compare/patterns.h"
#include "baselines/compare/tally.h"
#include "cases/base/tensor.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

// One output on its way through the comparator. The maps outlive it.
struct Job {
  const v1::Case& c;
  const TensorMap& inputs;
  const TensorMap& references;
  const TensorMap& all_actual;
  const JudgedOutput& output;
  const HostTensor& expected;  // references[output.key]
  const HostTensor& actual;
  Contracts contracts = {};  // as declared
  bool explain = true;       // CompareOptions
};

// Whether an element of a floating input is one for which `test` (std::isnan, std::isinf) holds.
bool AnyInput(const TensorMap& inputs, bool (*test)(double));

// The tensor of that key, or null.
const HostTensor* Find(const TensorMap& tensors, const std::string& key);

// The findings about one output, besides its figures.
struct Findings {
  std::string harness_error;  // the references are unusable
  std::string cause;          // of the failure, where it is known
  double confidence = 0;      // in the cause
  std::string arithmetic;     // of the cause: the way of computing that it assumes
  std::string declarable;     // of the cause: the contract for it
  Contracts widened;          // declared contracts that widened the tolerance
};

// Marks the output as failed by `gate`, with the reason in words. Later gates and reasons are added.
void Fail(const std::string& gate, const std::string& detail, v1::OutputStats* stats);

// "[1000]", "[0, 3]", "[]": where a flat row-major index lies.
std::string PlaceText(const std::vector<int64_t>& shape, int64_t index);

// "3 of 1003 elements differ", "1 of 1 element differs".
std::string CountText(int64_t mismatches, int64_t elements);

// "3 of 1003 elements differ, first at [1000]: got 0, expected 0.5".
std::string FirstText(const HostTensor& actual, const Tally& tally, const std::string& expected);

// Adds an entry to `stats.first`; `expected_text` is in full, from ElementText or NumberText.
void AddFirst(const HostTensor& actual, int64_t index, double expected, double tolerance,
              const std::string& expected_text, v1::OutputStats* stats);

// An element in full: integers exactly, floats with all their digits.
std::string ElementText(const HostTensor& tensor, int64_t index);

// A number of this dtype for a message: "0.5", "1e-30", "nan"; float64 with all its digits.
std::string NumberText(Dtype dtype, double value);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_EXPECT_H_
