#include "cases/base/textproto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diopi/v1/operator.pb.h"

namespace diopi {
namespace {

constexpr char kText[] =
    "operator: \"add\"\n"
    "grid {\n"
    "  point { label: \"a\" }\n"
    "  point {\n"
    "    label: \"b\"\n"
    "  }\n"
    "}\n";

TEST(TextprotoTest, PlacesAreThoseOfTheDeepestKnownPart) {
  v1::OperatorFile file;
  const auto lines = ParseTextproto(kText, "add.textproto", &file);
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_EQ(file.grid(0).point(1).label(), "b");
  EXPECT_EQ(lines->At({{"grid", 0}, {"point", 1}, {"label"}}), "add.textproto:5: ");
  EXPECT_EQ(lines->At({{"grid", 0}, {"point", 1}, {"reveals"}}), "add.textproto:4: ");
  EXPECT_EQ(lines->PlaceOf({{"grid", 0}, {"point", 0}}).column, 3);
  EXPECT_EQ(lines->At({}), "add.textproto: ");
  EXPECT_EQ(lines->At({{"no_such_field"}}), "add.textproto: ");
  EXPECT_EQ(SourceLines("x").At({{"grid", 0}}), "x: ");
}

TEST(TextprotoTest, EverySyntaxErrorHasItsPlaceAndIsExplained) {
  v1::OperatorFile file;
  const auto shout = [](const std::string& message) { return message + "!"; };
  const absl::Status status = ParseTextproto("operator: 1\ngrid { pont {} }\n", "f", &file, shout).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::StartsWith("f:1:11: "));
  EXPECT_THAT(std::string(status.message()), testing::EndsWith("!"));
  EXPECT_THAT(std::string(ParseTextproto("grid { pont {} }", "f", &file).status().message()),
              testing::HasSubstr("f:1:13: Message type \"diopi.v1.Grid\" has no field named \"pont\"."));
}

}  // namespace
}  // namespace diopi
