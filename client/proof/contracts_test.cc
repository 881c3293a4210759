// Under each declared contract, arithmetic that it allows is not accused, and other bugs are still caught.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "build_paths.h"
#include "client/proof/causes.h"
#include "client/proof/injected_library.h"
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
  const std::vector<Injected> all = ReadInjected(options.library).value();
  for (const Injected& each : all) {
    if (!each.contracts.empty()) options.injected.push_back(each);
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
    Tally tally(options.injected);
    ASSERT_TRUE(RunTrials(options, [&](const Trial& trial) { tally.Add(trial); }).ok());
    for (size_t i = 0; i < options.injected.size(); ++i) {
      const Injected& injected = options.injected[i];
      const Record& record = tally.records()[i];
      EXPECT_GT(record.verdicts, 0) << injected.name;
      if (injected.catalogue > 0) {
        EXPECT_GT(record.caught, 0) << injected.name << " is hidden by " << injected.contracts.front();
        bugs[injected.contracts.front()] += record.caught > 0 ? 1 : 0;
      } else {
        EXPECT_EQ(record.caught, 0) << injected.name << ": "
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
    std::erase_if(options.injected, [](const Injected& injected) { return injected.catalogue > 0; });
    options.every = 2;
    options.declare = false;
    options.explain = true;
    CauseTally tally(options.injected);
    ASSERT_TRUE(
        RunTrials(options, [&](const Trial& trial) { tally.Add(trial.injected, trial.verdict); }).ok());
    EXPECT_GE(tally.Precision(), 0.97) << tally.Table();
    // With real 16-bit arithmetic, 47 of 100 failures name it; the others have too few elements to be
    // certain.
    EXPECT_GT(2.5 * tally.Count(Stated::kRight), tally.Count(Stated::kRight) + tally.Count(Stated::kNothing))
        << tally.ContractTable();
  }
}

struct Caused {
  const char* injected;
  v1::Finding::Code cause;  // or an explanation that the cause has
  bool right = true;        // false: never
};
constexpr Caused kCaused[] = {
    {"add_int32_through_fp32", v1::Finding::THROUGH_FLOAT32},
    {"argmax_int_through_fp32", v1::Finding::THROUGH_FLOAT32},
    {"argmax_int_through_fp32", v1::Finding::NEVER_COMPUTED, false},
    {"add_alpha_ignored", v1::Finding::TAKEN_AS},
    {"add_alpha_ignored", v1::Finding::SIGN_WRONG, false},
    {"bn_running_var_biased", v1::Finding::VARIANCE_DIVISOR},
    {"bn_eps_outside_root", v1::Finding::VARIANCE_DIVISOR, false},
    {"ln_unbiased_variance_fp16", v1::Finding::VARIANCE_DIVISOR},
    {"sync_stats_unbiased", v1::Finding::VARIANCE_DIVISOR},
    {"sync_gather_running_var_biased", v1::Finding::VARIANCE_DIVISOR},
    {"mmcv_bn_var_unbiased", v1::Finding::VARIANCE_DIVISOR},
    {"adaptive_max_pool_starts_at_zero", v1::Finding::NEVER_COMPUTED, false},
    {"conv_transpose_fp16_zeros", v1::Finding::NEVER_COMPUTED},
    {"adaptive_max_pool_index_of_last_tie", v1::Finding::TIE_BROKEN},
    {"abs_tail_stale", v1::Finding::NAN_NOT_PROPAGATED, false},
    {"amax_ignores_nan", v1::Finding::NAN_NOT_PROPAGATED},
    {"adamw_decay_coupled", v1::Finding::TAKEN_AS},
};

bool Has(const v1::Finding& cause, v1::Finding::Code code) {
  return cause.code() == code || std::any_of(cause.parts().begin(), cause.parts().end(),
                                             [code](const v1::Finding& part) { return part.code() == code; });
}

// Each injected bug shows the cause that it is, and bugs that look like another do not show that one.
TEST(Causes, AreThoseOfTheInjectedBugs) {
  TrialOptions options;
  options.library = kLibraries + "vendors/libdiopi_mutants.so";
  options.switch_variable = "DIOPI_MUTANT";
  options.reference_library = kLibraries + "libdiopi_cpu.so";
  options.selection.set_suite("core");
  options.explain = true;
  std::map<std::string, std::vector<v1::Finding>> causes;
  const std::vector<Injected> all = ReadInjected(options.library).value();
  for (const Injected& each : all) {
    if (std::any_of(std::begin(kCaused), std::end(kCaused),
                    [&each](const Caused& row) { return each.name == row.injected; }))
      options.injected.push_back(each);
  }
  options.every = 5;
  ASSERT_TRUE(RunTrials(options, [&](const Trial& trial) {
                if (trial.verdict.outcome() == v1::OUTCOME_FAIL)
                  causes[options.injected[trial.injected].name].push_back(trial.verdict.cause());
              }).ok());
  for (const Caused& row : kCaused) {
    const std::vector<v1::Finding>& found = causes[row.injected];
    EXPECT_FALSE(found.empty()) << row.injected;
    const auto count = std::count_if(found.begin(), found.end(),
                                     [&](const v1::Finding& cause) { return Has(cause, row.cause); });
    EXPECT_EQ(count > 0, row.right) << row.injected << ": " << count << " of " << found.size() << " "
                                    << v1::Finding::Code_Name(row.cause);
  }
}

}  // namespace
}  // namespace diopi::proof
