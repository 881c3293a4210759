// Contracts widen tolerances, but an error of one percent in half of the elements still shows in every
// function that a contract concerns.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "baselines/compare/compare.h"
#include "baselines/compare/contract.h"
#include "baselines/compare/judging.h"
#include "baselines/diagnose/native16.h"
#include "baselines/generate/generate.h"
#include "build_paths.h"
#include "cases/core/catalog.h"
#include "client/setup/paths.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::proof {
namespace {

using baselines::Baseline;
using baselines::Contracts;

constexpr int kCases = 12;  // of each function and contract
constexpr double kTooLarge = 1.01;

TensorMap HalfTooLarge(TensorMap outputs) {
  for (auto& [key, tensor] : outputs) {
    if (!IsFloating(tensor.dtype)) continue;
    for (int64_t i = 0; i < NumElements(tensor.shape); i += 2) {
      StoreDouble(tensor.dtype, tensor.data.data(), i,
                  kTooLarge * ElementAsDouble(tensor.dtype, tensor.data.data(), i));
    }
  }
  return outputs;
}

struct Count {
  int cases = 0, caught = 0;
};

TEST(Contracts, ShowAnErrorOfOnePercentInEveryFunction) {
  const std::string library = absl::StrCat(DIOPI_BINARY_DIR, "/lib/libdiopi_cpu.so");
  const auto reference = loader::InProcessLibrary::Open(library).value();
  baselines::Native16 native16(agent::Native16LibraryBeside(library));
  const auto catalog = cases::Catalog::LoadBuiltin().value();
  v1::Selection selection;
  selection.set_suite("smoke");
  std::map<std::string, std::map<std::string, Count>> counts;
  const std::vector<v1::Case> selected = catalog->Select(selection).value();
  for (const v1::Case& c : selected) {
    std::vector<Contracts> concerned;
    for (const Contracts& one : baselines::SingleContracts()) {
      if (baselines::Concerns(one, {}, c) &&
          counts[baselines::ContractNames(one).front()][c.function()].cases < kCases)
        concerned.push_back(one);
    }
    if (concerned.empty()) continue;
    const Baseline baseline = baselines::GenerateCase(*reference, c).value();
    const TensorMap right = reference->Call(baseline.c, baseline.inputs, v1::Dtype::unsupported).value();
    const TensorMap wrong = HalfTooLarge(right);
    const bool same = std::all_of(wrong.begin(), wrong.end(), [&](const auto& output) {
      return output.second.data == right.at(output.first).data;
    });
    if (same) continue;
    for (const Contracts& one : concerned) {
      const TensorMap references = one.native16
                                       ? native16.AddTo(baseline.c, baseline.inputs, baseline.references)
                                       : baseline.references;
      const auto outcome = [&](const TensorMap& outputs) {
        return baselines::CompareCase(baseline.c, baseline.inputs, references, outputs, {.contracts = one})
            .outcome();
      };
      Count& count = counts[baselines::ContractNames(one).front()][c.function()];
      ++count.cases;
      count.caught += outcome(wrong) == v1::OUTCOME_PASS ? 0 : 1;
      EXPECT_EQ(outcome(right), v1::OUTCOME_PASS) << c.id();
    }
  }
  for (const auto& [contract, functions] : counts) {
    EXPECT_GE(functions.size(), 3u) << contract;
    for (const auto& [function, count] : functions)
      EXPECT_TRUE(count.caught > 0 || count.cases == 0) << contract << " hides it in " << function;
  }
}

}  // namespace
}  // namespace diopi::proof
