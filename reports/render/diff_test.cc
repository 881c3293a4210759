#include "reports/render/diff.h"

#include <gtest/gtest.h>

namespace diopi::reports {
namespace {

using v1::RunComparison;
using Times = RunComparison::Times;

TEST(ComparableText, NamesEveryPartThatDiffers) {
  RunComparison comparison;
  EXPECT_EQ(ComparableText(comparison), "the same variant, reference and agent");
  comparison.add_identity(RunComparison::PART_LIBRARY);
  EXPECT_EQ(ComparableText(comparison), "differ in library (SHA-256)");
  comparison.add_identity(RunComparison::PART_CASES);
  comparison.add_identity(RunComparison::PART_CONTRACTS);
  comparison.add_judged(RunComparison::PART_REFERENCES);
  comparison.add_judged(RunComparison::PART_AGENT_VERSION);
  EXPECT_EQ(
      ComparableText(comparison),
      "differ in library (SHA-256), cases (suite hash), contracts; judged with other references and agent "
      "version");
}

TEST(TimesText, SaysOverHowManyRunsOrWhyNot) {
  const struct {
    Times::Kind kind;
    const char* text;
  } rows[] = {
      {Times::KIND_COMPARED, "compared over 1 runs of A's library and 4 of B's"},
      {Times::KIND_SAME_LIBRARY, "not compared: both runs are of the same library on the same machine"},
      {Times::KIND_TOO_FEW_RUNS,
       "not compared: one run's times are too noisy. A comparison needs 3 finished runs of each library on "
       "one "
       "machine; there are 1 of A's and 4 of B's"},
  };
  for (const auto& row : rows) {
    Times times;
    times.set_kind(row.kind);
    times.set_runs_a(1);
    times.set_runs_b(4);
    times.set_needed(3);
    EXPECT_EQ(TimesText(times), row.text);
  }
}

}  // namespace
}  // namespace diopi::reports
