// Measures a model's step for ./run bench step: makes the calls of each stage in this process, each as often
// as a step makes it.
//   step_bench LIBRARY ORACLE MODEL    a line per stage: its name, calls, seconds
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/generate/generate.h"
#include "cases/core/catalog.h"
#include "impl_loader/caller/case_caller.h"

namespace diopi {
namespace {

struct Stage {
  std::string name;                                 // of which a model's parts may each have calls
  std::vector<std::pair<v1::Case, int64_t>> calls;  // and how often a step makes them
};

absl::StatusOr<std::vector<Stage>> StagesOf(const std::string& model) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  if (!catalog.ok()) return catalog.status();
  v1::Selection selection;
  selection.set_suite(absl::StrCat(cases::kModelSuites, model));
  selection.set_max_tensor_bytes(std::numeric_limits<int64_t>::max());
  std::vector<Stage> stages;
  absl::Status status = (*catalog)->VisitModels(
      selection, [&](const cases::Model&, const cases::ModelCall& call, cases::CallCases made) {
        if (call.stage.empty()) {
          return absl::InvalidArgumentError(
              absl::StrCat(model, " was captured: how often a step makes its calls is unknown"));
        }
        auto stage = std::find_if(stages.begin(), stages.end(),
                                  [&](const Stage& known) { return known.name == call.stage; });
        if (stage == stages.end()) stage = stages.insert(stages.end(), {call.stage, {}});
        for (v1::Case& c : made.cases) stage->calls.emplace_back(std::move(c), call.times);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return stages;
}

// Seconds that `times` calls one after another take, after a first one that is not counted: the least of
// three tries, because what else runs on the machine can only add to it.
absl::StatusOr<double> SecondsOf(loader::CaseCaller& caller, loader::InProcessLibrary& oracle,
                                 const v1::Case& c, int64_t times) {
  const absl::StatusOr<baselines::Baseline> baseline = baselines::GenerateInputs(oracle, c);
  if (!baseline.ok()) return baseline.status();
  loader::TimeOptions options;
  options.warmup = 1;
  options.samples = options.fewest_samples = 3;
  options.seconds = std::numeric_limits<double>::max();
  options.max_calls = static_cast<int>(times);
  options.sample_seconds = std::numeric_limits<double>::max();  // so that a sample has all of them
  const absl::StatusOr<loader::CaseTime> time = caller.Time(baseline->c, baseline->inputs, options);
  if (!time.ok()) return time.status();
  if (time->calls != times) {
    return absl::InternalError(absl::StrCat(time->calls, " calls were measured instead of ", times));
  }
  return *std::min_element(time->microseconds.begin(), time->microseconds.end()) * 1e-6 *
         static_cast<double>(times);
}

int Run(const std::string& library, const std::string& oracle_library, const std::string& model) {
  const auto fail = [](const absl::Status& status) {
    std::cerr << "step_bench: " << status.message() << "\n";
    return 3;
  };
  const absl::StatusOr<std::vector<Stage>> stages = StagesOf(model);
  if (!stages.ok()) return fail(stages.status());
  const auto oracle = loader::InProcessLibrary::Open(oracle_library);
  if (!oracle.ok()) return fail(oracle.status());
  const auto caller = loader::CaseCaller::Open(library, /*exact_memory=*/false);
  if (!caller.ok()) return fail(caller.status());
  for (const Stage& stage : *stages) {
    double sum = 0;
    int64_t calls = 0;
    for (const auto& [c, times] : stage.calls) {
      const absl::StatusOr<double> seconds = SecondsOf(**caller, **oracle, c, times);
      if (!seconds.ok())
        return fail(
            absl::Status(seconds.status().code(), absl::StrCat(c.id(), ": ", seconds.status().message())));
      sum += *seconds;
      calls += times;
    }
    std::cout << absl::StrFormat("%s %d %.6f\n", stage.name, calls, sum) << std::flush;
  }
  return 0;
}

}  // namespace
}  // namespace diopi

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: step_bench LIBRARY ORACLE MODEL\n";
    return 2;
  }
  return diopi::Run(argv[1], argv[2], argv[3]);
}
