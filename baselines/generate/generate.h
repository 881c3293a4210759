// Runs a reference library over cases and makes baselines: inputs from the generator, saved tensors from the
// reference's own forward, outputs with their noise from the oracle.
#ifndef BASELINES_GENERATE_GENERATE_H_
#define BASELINES_GENERATE_GENERATE_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "baselines/store/store.h"
#include "cases/base/process_pool.h"
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

// One operator's cases are written as one file, atomically; an operator whose file already holds all of
// `cases` with their hashes, made by the same build of the library, is skipped, so an interrupted run
// resumes. When a file of that build is rewritten, its valid and its other cases are carried over.
class Generator {
 public:
  // Loads the reference's library.
  static absl::StatusOr<Generator> Open(const GenerateOptions& options);
  // Makes the missing ones of these cases. With several jobs, operators may still be under way when it
  // returns. A second call for an operator waits for the first, and carries its cases over.
  absl::Status Make(const std::vector<v1::Case>& cases);
  // Waits for what is under way. What was made before an error is kept.
  absl::StatusOr<GenerateSummary> Finish();

 private:
  struct Group;  // the cases of one operator

  Generator(GenerateOptions options, std::unique_ptr<loader::InProcessLibrary> library,
            Provenance provenance);
  static std::vector<Group> GroupByOperator(const std::vector<v1::Case>& cases);
  absl::StatusOr<GenerateSummary> MakeGroup(const Group& group) const;
  void Add(const GenerateSummary& made, const std::string& name, int64_t cases);

  GenerateOptions options_;
  std::unique_ptr<ProcessPool> processes_;
  std::set<std::string> started_;  // operators
  std::unique_ptr<loader::InProcessLibrary> library_;
  Provenance provenance_;
  GenerateSummary summary_;
};

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

// The references of a case with `inputs`, which need not be those that its fills describe.
absl::StatusOr<TensorMap> GenerateReferences(loader::InProcessLibrary& reference, const v1::Case& c,
                                             const TensorMap& inputs);

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_GENERATE_H_
