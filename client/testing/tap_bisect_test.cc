// diopi-cli bisect: which functions of a faulty library spoil a training run, asked of the host and of a
// capture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/testing/tap_testing.h"

namespace diopi::testing {
namespace {

using ::testing::HasSubstr;

struct Hunt {
  std::string library;
  std::string switched_on;
  std::string model;
  std::string most_loss;
  std::string found;
};

class BisectTest : public TapTest, public ::testing::WithParamInterface<Hunt> {};

TEST_P(BisectTest, NamesWhatHasToFallBack) {
  const Hunt& hunt = GetParam();
  const Finished run = Cli({"bisect", "--impl", VendorPath(hunt.library), "--", BuildPath("tools/tap_host"),
                            Tap(), hunt.model, "40", hunt.most_loss},
                           // The library leaks, which under AddressSanitizer would be a failure of its own.
                           {"DIOPI_MUTANT=" + hunt.switched_on, "ASAN_OPTIONS=detect_leaks=0"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("OP_FALLBACK_LIST=" + hunt.found + "\n"));
}

INSTANTIATE_TEST_SUITE_P(Hunts, BisectTest,
                         ::testing::Values(Hunt{"libdiopi_faulty", "", "convolution", "0.1", "diopiRelu"},
                                           Hunt{"libdiopi_faulty", "", "transformer", "0.7",
                                                "diopiBmm,diopiGelu"},
                                           Hunt{"libdiopi_mutants", "adamw_no_bias_correction", "transformer",
                                                "0.7", "diopiAdamW"}));

// The same question of a run that is over: its calls were captured, and are made again without the host.
class BisectCaptureTest : public TapTest, public ::testing::WithParamInterface<Bug> {};

TEST_P(BisectCaptureTest, NamesWhatHasToFallBack) {
  const Bug& bug = GetParam();
  const std::string library = VendorPath(bug.library);
  const std::string mutant = "DIOPI_MUTANT=" + bug.switched_on;
  Host(library, bug.model, 2, {"OP_CAPTURE_LIST=.*", "DIOPI_TAP_EVERY_CALL=1", mutant});
  const Finished run = Cli({"bisect", "--impl", library, "--capture", Capture()}, {mutant});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("OP_FALLBACK_LIST=" + bug.function + "\n")) << run.err;
  // A right library that sums in other orders.
  const Finished mended =
      Cli({"bisect", "--impl", VendorPath("libdiopi_cuda_emulated"), "--capture", Capture()});
  EXPECT_EQ(mended.code, 1) << mended.err;
  EXPECT_THAT(mended.out, HasSubstr("there is nothing to find"));
}

INSTANTIATE_TEST_SUITE_P(Bugs, BisectCaptureTest,
                         ::testing::Values(Bug{"libdiopi_faulty", "", "convolution", "diopiRelu"},
                                           Bug{"libdiopi_mutants", "conv_backward_weight_of_last_image",
                                               "convolution", "diopiConvolution2dBackward"},
                                           Bug{"libdiopi_mutants", "softmax_backward_without_sum",
                                               "transformer", "diopiSoftmaxBackward"},
                                           Bug{"libdiopi_mutants", "adamw_no_bias_correction", "transformer",
                                               "diopiAdamW"}),
                         [](const auto& test) { return test.param.function; });

TEST_F(TapTest, BisectSaysWhenThereIsNothingToFind) {
  const std::string host = BuildPath("tools/tap_host");
  const Finished good = Cli({"bisect", "--impl", good_, "--", host, Tap(), "transformer", "2"});
  EXPECT_EQ(good.code, 1);
  EXPECT_THAT(good.out, HasSubstr("there is nothing to find"));
  const Finished elsewhere = Cli({"bisect", "--impl", good_, "--", host, Tap(), "transformer", "2", "0"});
  EXPECT_EQ(elsewhere.code, 1);
  EXPECT_THAT(elsewhere.out, HasSubstr("look for the cause elsewhere"));
  const Finished without = Cli({"bisect", "--impl", good_, "--", "/bin/false"});
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("called no function through libdiopi_tap.so"));
}

}  // namespace
}  // namespace diopi::testing
