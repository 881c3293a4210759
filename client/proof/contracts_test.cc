// Under each declared contract, arithmetic that it allows is not accused, and other bugs are still caught.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "build_paths.h"
#include "client/proof/causes.h"
#include "client/proof/planted_library.h"
#include "client/proof/tally.h"
#include "client/proof/trial.h"
#include "client/setup/paths.h"

namespace diopi::proof {
namespace {

const std::string kLibraries = absl::StrCat(DIOPI_BINARY_DIR, "/lib/");

struct Source {
  std::string library;
  std::string switch_variable;
  std::vector<std::string> functions;
};

const std::vector<Source>& Sources() {
  static const auto* const kSources =
      new std::vector<Source>{{"vendors/libdiopi_variants.so",
                               "DIOPI_VARIANT",
                               {"bmm", "conv2d", "context_attention", "token_softmax_reducev"}},
                              {"libdiopi_native16.so",
                               "DIOPI_NATIVE16",
                               {"norm", "mean", "softmax", "layer_norm", "bmm", "tanh", "div"}}};
  return *kSources;
}

TrialOptions OptionsOf(const Source& source) {
  TrialOptions options;
  options.library = kLibraries + source.library;
  options.switch_variable = source.switch_variable;
  options.reference_library = kLibraries + "libdiopi_cpu.so";
  const std::vector<Planted> all = ReadPlanted(options.library).value();
  for (const Planted& each : all) {
    if (!each.contracts.empty()) options.planted.push_back(each);
  }
  for (const std::string& function : source.functions) options.selection.add_functions(function);
  options.selection.set_suite("smoke");
  options.every = 3;
  return options;
}

TEST(Contracts, DoNotHideBugsAndAccuseNobody) {
  std::map<std::string, int> bugs;
  for (const Source& source : Sources()) {
    const TrialOptions options = OptionsOf(source);
    Tally tally(options.planted);
    ASSERT_TRUE(RunTrials(options, [&](const Trial& trial) { tally.Add(trial); }).ok());
    for (size_t i = 0; i < options.planted.size(); ++i) {
      const Planted& planted = options.planted[i];
      const Record& record = tally.records()[i];
      EXPECT_GT(record.verdicts, 0) << planted.name;
      if (planted.catalogue > 0) {
        EXPECT_GT(record.caught, 0) << planted.name << " is hidden by " << planted.contracts.front();
        bugs[planted.contracts.front()] += record.caught > 0 ? 1 : 0;
      } else {
        EXPECT_EQ(record.caught, 0) << planted.name << ": "
                                    << (record.alarms.empty() ? "" : record.alarms.front());
      }
    }
  }
  // No injected bug names p_cast; oracle_test tests it.
  for (const char* contract : {"tf32", "tc32", "fastconv", "native16"})
    EXPECT_GE(bugs[contract], 3) << contract;
}

// Without the contract, failures name this contract and never another.
TEST(Contracts, AreNamedWhereTheyAreNotDeclared) {
  for (const Source& source : Sources()) {
    TrialOptions options = OptionsOf(source);
    std::erase_if(options.planted, [](const Planted& planted) { return planted.catalogue > 0; });
    options.every = 2;
    options.declare = false;
    options.explain = true;
    CauseTally tally(options.planted);
    ASSERT_TRUE(
        RunTrials(options, [&](const Trial& trial) { tally.Add(trial.planted, trial.verdict); }).ok());
    EXPECT_GE(tally.Precision(), 0.97) << tally.Table();
    // With real 16-bit arithmetic, 47 of 100 failures name it; the others have too few elements to be
    // certain.
    EXPECT_GT(2.5 * tally.Count(Told::kRight), tally.Count(Told::kRight) + tally.Count(Told::kNothing))
        << tally.ContractTable();
  }
}

}  // namespace
}  // namespace diopi::proof
