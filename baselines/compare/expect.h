// What all gates share: an output's references, and the findings that describe a failure.
#ifndef BASELINES_COMPARE_EXPECT_H_
#define BASELINES_COMPARE_EXPECT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "baselines/compare/contract.h"
#include "baselines/compare/judging.h"
#include "baselines/compare/patterns.h"
#include "baselines/compare/tally.h"
#include "cases/base/tensor_view.h"
#include "cases/findings/finding.h"
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

// What an output's evidence has from its job, whatever its gate. The job outlives it.
class JobEvidence : public Evidence {
 public:
  explicit JobEvidence(const Job& job) : job_(job) {}
  const HostTensor& actual() const override { return job_.actual; }
  bool Sampled() const override;
  bool GivenNan() const override;
  bool GivenNanPerElement() const override;
  bool GivenInfinity() const override;

 protected:
  const Job& job_;
};

// The tensor of that key, or null.
const HostTensor* Find(const TensorMap& tensors, const std::string& key);

// What is known of one output, besides its figures.
struct Findings {
  std::vector<v1::Finding> found;    // why it fails
  std::string harness_error;         // the references are unusable
  std::optional<v1::Finding> cause;  // of the failure, where it is known
  double confidence = 0;             // in the cause
  Contracts widened;                 // declared contracts that widened the tolerance
};

// Marks the output as failed by `gate`. Later gates and findings are added.
void Fail(const std::string& gate, std::vector<v1::Finding> found, v1::OutputStats* stats,
          Findings* findings);

// Fails the case, for what is found about the output `key`.
void FailCase(const std::string& key, const std::vector<v1::Finding>& found, v1::Verdict* verdict);

// Adds what the mismatches have in common, and takes the cause.
void AddRemark(Remark remark, Findings* findings);

// Adds, for an elementwise function, the operands of the first wrong element, and what the operands of all
// wrong elements have that no other element's have.
void ReportOperands(const Evidence& evidence, const Job& job, const Tally& tally, Findings* findings);

// The verdict about unusable references of the output `key`; nothing else that was found counts.
void SetHarnessError(const std::string& key, const std::string& error, v1::Verdict* verdict);

// Another dtype or shape than expected.
std::optional<v1::Finding> WrongForm(const TensorView& actual, Dtype dtype,
                                     const std::vector<int64_t>& shape);

// How many elements differ, and the first of them.
Found WrongElements(const HostTensor& actual, const Tally& tally, std::string expected);

// Adds an entry to `stats.first`; `expected_text` is in full, from ElementText or NumberText.
void AddFirst(const HostTensor& actual, int64_t index, double expected, double tolerance,
              const std::string& expected_text, v1::OutputStats* stats);

// An element in full: integers exactly, floats with all their digits.
std::string ElementText(const HostTensor& tensor, int64_t index);

// A number of this dtype for a message: "0.5", "1e-30", "nan"; float64 with all its digits.
std::string NumberText(Dtype dtype, double value);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_EXPECT_H_
