// A library that prepares calls and finds one again without one of its attributes: the cases that differ in
// an attribute alone (cases/core/attribute_pairs.h) show it, in a process that has met the other one.
#include <gtest/gtest.h>

#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

TEST(StatefulTest, AnAttributeMissingFromAKeyFails) {
  struct Row {
    const char* bug;
    const char* function;
  };
  const Row rows[] = {
      {"lr_missing_from_key", "diopiAdadelta"},
      {"dampening_missing_from_key", "diopiSgd"},
      {"scale_missing_from_key", "diopiScaledMaskedSoftmaxBackward"},
      {"eps_missing_from_key", "diopiFusedAddRootMeanSquareNormInp"},
      {"beta2_missing_from_key", "diopiAdamW"},
  };
  const TestFolder folder;
  for (const Row& row : rows) {
    const std::vector<std::string> command = {BinPath("diopi-agent"),
                                              "--impl",
                                              VendorPath("vendor_stateful"),
                                              "--data",
                                              folder.path(),
                                              "--fname",
                                              row.function,
                                              "--workers",
                                              "1",
                                              "--error-report",
                                              folder / "errors.csv"};
    const Finished good = RunProgram(command);
    EXPECT_EQ(good.code, 0) << row.function << good.out << good.err;
    const Finished run = RunProgram(command, {std::string("DIOPI_STATE=") + row.bug});
    EXPECT_EQ(run.code, 1) << row.bug << run.out << run.err;
  }
}

}  // namespace
}  // namespace diopi::testing
