#include "client/proof/causes.h"

#include <gtest/gtest.h>

namespace diopi::proof {
namespace {

Planted Bug(const std::string& name, const std::string& text,
            const std::vector<std::string>& contracts = {}) {
  return {name, 1, {"diopiAdd"}, contracts, text};
}

TEST(JudgeCause, ComparesWhatACauseSpeaksOfWithWhatWasPlanted) {
  const Planted alpha = Bug("add_alpha_ignored", "add takes alpha as 1");
  EXPECT_EQ(JudgeCause(alpha, "consistent with alpha taken as 1"), Told::kRight);
  EXPECT_EQ(JudgeCause(alpha, "consistent with p taken as 0.5"), Told::kWrong);
  EXPECT_EQ(JudgeCause(alpha, "consistent with p taken as 0.5, or with alpha taken as 1"), Told::kRight);
  EXPECT_EQ(JudgeCause(alpha, "something that nobody knows"), Told::kWrong);
  EXPECT_EQ(JudgeCause(alpha, ""), Told::kNothing);
  const Planted eps = Bug("bn_eps_outside_root", "eps is added to the deviation, not to the variance");
  EXPECT_EQ(JudgeCause(eps,
                       "consistent with intermediate results in the 16-bit type; declare native16 if the "
                       "device computes so"),
            Told::kWrong);
  const Planted winograd = Bug("conv2d_winograd4", "Winograd F(4x4,3x3)", {"fastconv"});
  EXPECT_EQ(JudgeCause(winograd,
                       "consistent with Winograd convolution; declare fastconv if the device computes so"),
            Told::kRight);
  EXPECT_EQ(JudgeCause(winograd, "consistent with TF32 products; declare tf32 if the device computes so"),
            Told::kWrong);
}

TEST(CauseTally, CountsWhatFailed) {
  CauseTally tally({Bug("add_alpha_ignored", "add takes alpha as 1"),
                    Bug("conv2d_winograd4", "Winograd F(4x4,3x3)", {"fastconv"})});
  v1::Verdict verdict;
  verdict.set_outcome(v1::OUTCOME_PASS);
  tally.Add(0, verdict);
  verdict.set_outcome(v1::OUTCOME_FAIL);
  tally.Add(0, verdict);
  verdict.set_likely_cause("consistent with alpha taken as 1");
  tally.Add(0, verdict);
  tally.Add(1, verdict);
  EXPECT_EQ(tally.Count(Told::kRight), 1);
  EXPECT_EQ(tally.Count(Told::kWrong), 1);
  EXPECT_EQ(tally.Count(Told::kNothing), 1);
  EXPECT_EQ(tally.Precision(), 0.5);
  EXPECT_NE(tally.Table().find("     1       1  argument alpha; wrong for conv2d_winograd4 1\n"),
            std::string::npos)
      << tally.Table();
  EXPECT_NE(tally.ContractTable().find("fastconv      1 failures, advised to declare: another cause 1"),
            std::string::npos)
      << tally.ContractTable();
}

}  // namespace
}  // namespace diopi::proof
