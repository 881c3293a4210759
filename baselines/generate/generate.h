// Runs a reference library over cases and makes baselines: inputs from the generator, saved tensors from the
// reference's own forward, outputs with their noise from the oracle.
#ifndef BASELINES_GENERATE_GENERATE_H_
#define BASELINES_GENERATE_GENERATE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "baselines/store/store.h"
#include "cases/core/catalog.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {

struct GenerateOptions {
  std::string data_folder;
  std::string reference = "cpu";
  std::string library_path;  // libdiopi_cpu.so
  bool force = false;        // also cases that are up to date
  int jobs = 1;              // operators made at a time, each in a process of its own; 1: in this process
  // Called after each operator: its name, cases written (0: was up to date), cases in all.
  std::function<void(const std::string&, int64_t, int64_t)> progress;
};

struct GenerateSummary {
  int64_t operators_written = 0;
  int64_t operators_up_to_date = 0;
  int64_t cases_written = 0;
  // Cases that the reference could not compute: "CASE: reason". They are left out of the store.
  std::vector<std::string> failures;
};

// Calls its argument with the cases of one or several operators at a time; may be called several times, in
// several processes, and must give the same operators in the same order.
using VisitCases = absl::FunctionRef<absl::Status(const std::vector<v1::Case>&)>;
using CaseSource = std::function<absl::Status(VisitCases)>;

// Makes the missing ones of these cases. One operator's cases are written as one file, atomically; an
// operator whose file already holds all of its cases with their hashes, made by the same build of the
// library, is skipped, so an interrupted run resumes. When a file of that build is rewritten, its valid and
// its other cases are carried over. What was made before an error is kept.
absl::StatusOr<GenerateSummary> Generate(const CaseSource& source, const GenerateOptions& options);
absl::StatusOr<GenerateSummary> Generate(const std::vector<v1::Case>& cases, const GenerateOptions& options);

// Converts the element types in a case's specs and tensors to those that a device gets.
using HandOver = std::function<void(v1::Case* c, TensorMap* tensors)>;

// Only the inputs of one case: generated tensors, and saved tensors from the reference's forward (their
// shapes and dtypes in the baseline's case). `hand_over` is applied to generated tensors, of the case and of
// its producers, so that saved tensors are computed from the tensors that the device gets.
absl::StatusOr<Baseline> GenerateInputs(loader::InProcessLibrary& reference, const v1::Case& c,
                                        const HandOver& hand_over = nullptr);

// One case, for tests and `show`.
absl::StatusOr<Baseline> GenerateCase(loader::InProcessLibrary& reference, const v1::Case& c);

// What the store has of a case: the same without a large case's inputs, which are made where they are needed,
// and with packed references where slices judge it (packed_references.h).
absl::StatusOr<Baseline> GenerateStored(loader::InProcessLibrary& reference, const v1::Case& c);

// The references of a case with `inputs`, which need not be those that its fills describe. `left`: other
// inputs, of a case that only needs to be called in its own types (InProcessLibrary::Call).
absl::StatusOr<TensorMap> GenerateReferences(loader::InProcessLibrary& reference, const v1::Case& c,
                                             TensorMap inputs, const BlockInputs* left = nullptr);

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_GENERATE_H_
