#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cases/findings/finding_text.h"
#include "client/agent/performance.h"

namespace diopi::agent {
namespace {

using ::testing::Contains;
using ::testing::MatchesRegex;

// What a run of exp in float32 measures, with a verdict on each case.
std::vector<CallToMeasure> CallsOfExp(v1::Outcome outcome, int64_t max_bytes) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  v1::Selection selection;
  selection.set_suite("core");
  selection.add_functions("diopiExp");
  selection.add_dtypes(v1::Dtype::float32);
  std::map<std::string, v1::Verdict> verdicts;
  const auto selected = (*catalog)->Select(selection);
  EXPECT_TRUE(selected.ok()) << selected.status();
  for (const v1::Case& c : *selected) verdicts[c.id()].set_outcome(outcome);
  PerformanceOptions options;
  options.max_bytes = max_bytes;
  const auto calls = CallsToMeasure(**catalog, selection, verdicts, options);
  EXPECT_TRUE(calls.ok()) << calls.status();
  for (const CallToMeasure& call : *calls)
    EXPECT_TRUE(verdicts.contains(call.judged_case)) << call.judged_case;
  return *calls;
}

TEST(CallsToMeasure, TheLargestCaseAndTheTimingPointThatItStandsFor) {
  const std::vector<CallToMeasure> calls = CallsOfExp(v1::OUTCOME_PASS, int64_t{1} << 30);
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_FALSE(calls[0].is_point);
  EXPECT_EQ(calls[0].c.id(), calls[0].judged_case);
  EXPECT_TRUE(calls[1].is_point);
  EXPECT_EQ(calls[1].judged_case, calls[0].judged_case);
  std::vector<int64_t> elements;
  for (const v1::Argument& arg : calls[1].c.args()) elements.push_back(arg.tensor().storage_elements());
  EXPECT_THAT(elements, Contains(4 * 1024 * 1024));
}

TEST(CallsToMeasure, WhatDoesNotFitOrPassIsNotMeasured) {
  const std::vector<CallToMeasure> small = CallsOfExp(v1::OUTCOME_PASS, 2048);
  ASSERT_EQ(small.size(), 1U) << "the point does not fit either";
  EXPECT_THAT(FindingText(small[0].refused),
              MatchesRegex("its tensors take [0-9.]+ KiB, --performance-max-bytes allows 2 KiB"));
  EXPECT_TRUE(CallsOfExp(v1::OUTCOME_FAIL, int64_t{1} << 30).empty());
}

}  // namespace
}  // namespace diopi::agent
