// Bugs of kinds that users of accelerators reported, in functions that nobody named: the suite finds each.
#include <gtest/gtest.h>

#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

TEST(ReportedBugsTest, EachIsFoundByCore) {
  struct Row {
    const char* vendor;
    const char* bug;  // SWITCH=NAME
    const char* function;
  };
  const Row rows[] = {
      // An attribute is missing from the key by which a prepared call is found
      // (cases/core/attribute_pairs.h).
      {"vendor_stateful", "DIOPI_STATE=lr_missing_from_key", "diopiAdadelta"},
      {"vendor_stateful", "DIOPI_STATE=dampening_missing_from_key", "diopiSgd"},
      {"vendor_stateful", "DIOPI_STATE=scale_missing_from_key", "diopiScaledMaskedSoftmaxBackward"},
      {"vendor_stateful", "DIOPI_STATE=eps_missing_from_key", "diopiFusedAddRootMeanSquareNormInp"},
      {"vendor_stateful", "DIOPI_STATE=beta2_missing_from_key", "diopiAdamW"},
      // A grid ends at 65,535 (cases/core/long_dimensions.h).
      {"vendor_grid", "DIOPI_GRID=bmm_batch", "diopiBmm"},
      {"vendor_grid", "DIOPI_GRID=layer_norm_rows", "diopiLayerNorm"},
      {"vendor_grid", "DIOPI_GRID=max_pool_channels", "diopiMaxPool2d"},
      {"vendor_grid", "DIOPI_GRID=avg_pool_batch", "diopiAvgPool2d"},
      {"vendor_grid", "DIOPI_GRID=flip_rows", "diopiFlip"},
  };
  const TestFolder folder;
  for (const Row& row : rows) {
    const std::vector<std::string> command = {BinPath("diopi-agent"),
                                              "--impl",
                                              VendorPath(row.vendor),
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
    const Finished bad = RunProgram(command, {row.bug});
    EXPECT_EQ(bad.code, 1) << row.bug << bad.out << bad.err;
  }
}

}  // namespace
}  // namespace diopi::testing
