// Runs a reference library over cases and makes baselines: inputs from the generator, saved tensors from the
// reference's own forward, outputs with their noise from the oracle.
#ifndef BASELINES_GENERATE_GENERATE_H_
#define BASELINES_GENERATE_GENERATE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "baselines/store/store.h"
#include "cases/core/catalog.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {

struct GenerateOptions {
  std::string data_folder;
  std::string reference = "cpu";
  std::string library_path;  // libdiopi_cpu.so
  bool force = false;        // also what is already there and up to date
  // Called after each operator: its name, cases written (0: was up to date), cases in all.
  std::function<void(const std::string&, int64_t, int64_t)> progress;
};

struct GenerateSummary {
  int64_t operators_written = 0;
  int64_t operators_up_to_date = 0;
  int64_t cases_written = 0;
  // Cases the reference could not compute: "CASE: reason". They are left out of the store.
  std::vector<std::string> failures;
};

// One operator's cases are written as one file, atomically; an operator whose file already holds all of
// `cases` with their hashes, made by the same build of the library, is skipped, so an interrupted run
// resumes. What such a file holds beside, or already, is carried over when it is written anew.
class Generator {
 public:
  // Loads the reference's library.
  static absl::StatusOr<Generator> Open(const GenerateOptions& options);
  // Makes what is missing of these cases. What belongs to one operator belongs into one call.
  absl::Status Make(const std::vector<v1::Case>& cases);
  const GenerateSummary& summary() const { return summary_; }

 private:
  Generator(GenerateOptions options, std::unique_ptr<loader::InProcessLibrary> library,
            Provenance provenance);

  GenerateOptions options_;
  std::unique_ptr<loader::InProcessLibrary> library_;
  Provenance provenance_;
  GenerateSummary summary_;
};

absl::StatusOr<GenerateSummary> Generate(const std::vector<v1::Case>& cases, const GenerateOptions& options);

// How a device gets a case in other element types: changes them in the specs of a case and in its tensors.
using HandOver = std::function<void(v1::Case* c, TensorMap* tensors)>;

// The inputs of one case alone, no outputs: generated, and saved tensors as the reference's forward gives
// them (their shapes and dtypes in the baseline's case). `hand_over` is applied to what is generated, for the
// case and for its producers, so that saved tensors are those of the tensors that the device gets.
absl::StatusOr<Baseline> GenerateInputs(loader::InProcessLibrary& reference, const v1::Case& c,
                                        const HandOver& hand_over = nullptr);

// One case, for tests and `show`.
absl::StatusOr<Baseline> GenerateCase(loader::InProcessLibrary& reference, const v1::Case& c);

// The references of a case whose inputs are `inputs`, which need not be those that its fills describe.
absl::StatusOr<TensorMap> GenerateReferences(loader::InProcessLibrary& reference, const v1::Case& c,
                                             const TensorMap& inputs);

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_GENERATE_H_
