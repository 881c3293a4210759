#include "cases/core/reference_key.h"

#include <gtest/gtest.h>

namespace diopi {
namespace {

TEST(ReferenceKey, EveryPartHasANameAndComesBack) {
  for (int number = 0; number <= static_cast<int>(ReferencePart::kSpreadNan); ++number) {
    const auto part = static_cast<ReferencePart>(number);
    const std::string key = ReferenceKey("outs.0", part);
    EXPECT_EQ(key == "outs.0", part == ReferencePart::kValue) << key;
    EXPECT_EQ(ParseReferenceKey(key).output, "outs.0");
    EXPECT_EQ(ParseReferenceKey(key).part, part) << key;
  }
  EXPECT_EQ(ReferenceKey("out", ReferencePart::kTerms), "out.n");
  EXPECT_EQ(ParseReferenceKey("n").part, ReferencePart::kValue);
}

}  // namespace
}  // namespace diopi
