// Judges calls by the CPU reference while the host runs, and computes calls by it.
#ifndef BASELINES_TAP_COMPARISON_H_
#define BASELINES_TAP_COMPARISON_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "baselines/compare/contract.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::tap {

// The CPU reference, opened at the first use. Thread-safe: one call at a time.
class Reference {
 public:
  // `path`: libdiopi_cpu.so. `library`: the vendor's library.
  Reference(std::string path, std::string library, baselines::DeclaredContracts contracts)
      : path_(std::move(path)), library_(std::move(library)), contracts_(std::move(contracts)) {}

  // What the reference computes, every output by key. Errors as of InProcessLibrary::Call, or of opening it.
  absl::StatusOr<TensorMap> Compute(const v1::Case& c, const TensorMap& inputs);

  // The verdict on what the library computed from these inputs: PASS, FAIL, or HARNESS_ERROR. An error when
  // the reference cannot compute the case.
  absl::StatusOr<v1::Verdict> Judge(const v1::Case& c, const TensorMap& inputs, const TensorMap& outputs);
  // The same for a large call, of which only some elements are compared (cases/slices/slices.h).
  // Unimplemented for a function that cannot be judged so.
  absl::StatusOr<v1::Verdict> JudgeOnSlices(const v1::Case& c, const TensorMap& inputs,
                                            const TensorMap& outputs);

 private:
  absl::Status Open();

  const std::string path_;
  const std::string library_;
  const baselines::DeclaredContracts contracts_;
  std::mutex mutex_;
  bool opened_ = false;
  absl::Status error_;
  std::unique_ptr<loader::InProcessLibrary> reference_;
};

// One line about a judged call: our verdict and, beside it, what torch.allclose says with the public rule's
// tolerances. "FAIL  out: gates P; max z 1.2e+04 ... | allclose False, max_diff 0.31".
std::string VerdictLine(const v1::Verdict& verdict);

// What became of all compared calls. Thread-safe.
class ComparisonTable {
 public:
  // `how`: what is special about the comparison, as "by distribution"; empty: nothing.
  void Add(const std::string& function, const v1::Verdict& verdict, const std::string& facts,
           const std::string& how);
  // A call that is not compared, and why.
  void Skip(const std::string& function, const std::string& why);

  // A table by function: calls, failures, worst z, allclose, greatest difference; the first failure; which
  // calls were compared otherwise than element by element, and why others were not. Empty when nothing was
  // compared.
  std::string Text() const;

 private:
  struct Row {
    int64_t calls = 0;
    int64_t failures = 0;
    double worst_z = 0;
    double max_diff = 0;
    bool allclose = true;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Row> rows_;
  std::map<std::string, int64_t> otherwise_;
  std::map<std::string, int64_t> skipped_;
  std::string first_failure_;
};

}  // namespace diopi::tap

#endif  // BASELINES_TAP_COMPARISON_H_
