#include "client/proof/causes.h"

#include <gtest/gtest.h>

#include "cases/findings/finding.h"

namespace diopi::proof {
namespace {

using F = v1::Finding;

Injected Bug(const std::string& name, const std::string& text,
             const std::vector<std::string>& contracts = {}) {
  return {name, 1, {"diopiAdd"}, contracts, text};
}

TEST(JudgeCause, ComparesWhatACauseSpeaksOfWithWhatWasInjected) {
  const F alpha_1 = Found(F::TAKEN_AS).Name("alpha").Expected("1");
  const F p_half = Found(F::TAKEN_AS).Name("p").Expected("0.5");
  const Injected alpha = Bug("add_alpha_ignored", "add takes alpha as 1");
  EXPECT_EQ(JudgeCause(alpha, Found(F::CONSISTENT_WITH).Part(alpha_1)), Stated::kRight);
  EXPECT_EQ(JudgeCause(alpha, Found(F::CONSISTENT_WITH).Part(p_half)), Stated::kWrong);
  EXPECT_EQ(JudgeCause(alpha, Found(F::CONSISTENT_WITH).Part(p_half).Part(alpha_1)), Stated::kRight);
  EXPECT_EQ(JudgeCause(alpha, Found(F::OPERAND_UNCHANGED)), Stated::kWrong);
  EXPECT_EQ(JudgeCause(alpha, {}), Stated::kNothing);
  const Injected tail = Bug("abs_tail", "the last elements are left out");
  EXPECT_EQ(JudgeCause(tail, Found(F::TAIL_WRONG).Limit("4")), Stated::kRight);
  EXPECT_EQ(JudgeCause(tail, Found(F::ROUNDED_WRONG).Word("rounded_up")), Stated::kWrong);
  const Injected zeros = Bug("round_positive_zero", "round gives +0 for -0");
  EXPECT_EQ(JudgeCause(zeros, Found(F::ZERO_SIGN_LOST)), Stated::kRight);
  const Injected eps = Bug("bn_eps_outside_root", "eps is added to the deviation, not to the variance");
  EXPECT_EQ(JudgeCause(eps, Found(F::DECLARE).Word("native16").Part(Found(F::INTERMEDIATE_16_BIT))),
            Stated::kWrong);
  const Injected winograd = Bug("conv2d_winograd4", "Winograd F(4x4,3x3)", {"fastconv"});
  EXPECT_EQ(JudgeCause(winograd, Found(F::DECLARE).Word("fastconv").Part(Found(F::WINOGRAD))),
            Stated::kRight);
  EXPECT_EQ(JudgeCause(winograd, Found(F::DECLARE).Word("tf32").Part(Found(F::TF32_PRODUCTS))),
            Stated::kWrong);
}

TEST(CauseTally, CountsWhatFailed) {
  CauseTally tally({Bug("add_alpha_ignored", "add takes alpha as 1"),
                    Bug("conv2d_winograd4", "Winograd F(4x4,3x3)", {"fastconv"})});
  v1::Verdict verdict;
  verdict.set_outcome(v1::OUTCOME_PASS);
  tally.Add(0, verdict);
  verdict.set_outcome(v1::OUTCOME_FAIL);
  tally.Add(0, verdict);
  *verdict.mutable_cause() = Found(F::CONSISTENT_WITH).Part(Found(F::TAKEN_AS).Name("alpha").Expected("1"));
  tally.Add(0, verdict);
  tally.Add(1, verdict);
  EXPECT_EQ(tally.Count(Stated::kRight), 1);
  EXPECT_EQ(tally.Count(Stated::kWrong), 1);
  EXPECT_EQ(tally.Count(Stated::kNothing), 1);
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
