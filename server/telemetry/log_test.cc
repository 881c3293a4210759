#include "server/telemetry/log.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cases/base/text_testing.h"

namespace diopi::server {
namespace {

TEST(LogTest, QuotesWhatMustBeQuoted) {
  struct Row {
    std::string value;
    std::string logfmt;
    std::string json;
  };
  const std::vector<Row> rows = {
      {"plain-1.0/x", "plain-1.0/x", R"("plain-1.0/x")"},
      {"", R"("")", R"("")"},
      {"two words", R"("two words")", R"("two words")"},
      {"a=b", R"("a=b")", R"("a=b")"},
      {"say \"hi\"", R"("say \"hi\"")", R"("say \"hi\"")"},
      {"back\\slash", R"("back\\slash")", R"("back\\slash")"},
      {"line\nlevel=error\r\t", R"("line\nlevel=error\r\t")", R"("line\nlevel=error\r\t")"},
      {std::string("nul\0\x1b[31m\x7f", 10), R"("nul\u0000\u001b[31m\u007f")",
       R"("nul\u0000\u001b[31m\u007f")"},
      {"grün", R"("grün")", R"("grün")"},
      {"\u202e|\u009b", R"("\u202e|\u009b")", R"("\u202e|\u009b")"},
      {"\xff\xc0\x80 \xed\xa0\x80",
       "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
       "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
      {"cut \xe2\x82", "\"cut \xef\xbf\xbd\xef\xbf\xbd\"", "\"cut \xef\xbf\xbd\xef\xbf\xbd\""},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(FormatLine(LogFormat::kLogfmt, "e", {{"k", row.value}}),
              absl::StrCat("event=e k=", row.logfmt));
    EXPECT_EQ(FormatLine(LogFormat::kJson, "e", {{"k", row.value}}),
              absl::StrCat("\"event\":\"e\",\"k\":", row.json));
    google::protobuf::Struct parsed;
    const auto status = google::protobuf::util::JsonStringToMessage(
        absl::StrCat("{", FormatLine(LogFormat::kJson, "e", {{"k", row.value}}), "}"), &parsed);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

// Clients choose many of the values.
TEST(LogTest, NothingHostileOrEndlessReachesALine) {
  for (const LogFormat format : {LogFormat::kLogfmt, LogFormat::kJson}) {
    const std::string line = FormatLine(format, "e", {{"k", HostileText()}});
    EXPECT_EQ(FirstForbidden(line), "");
    EXPECT_FALSE(HasForgedLine(line));
    EXPECT_NE(line.find(kLegitimateText), std::string::npos) << line;
    EXPECT_LT(FormatLine(format, "e", {{"k", std::string(400'000, 'x')}}).size(), 20'000U);
  }
}

TEST(LogTest, NumbersAreBare) {
  EXPECT_EQ(FormatLine(LogFormat::kLogfmt, "e", {{"i", -3}, {"d", 0.25}, {"u", uint64_t{1} << 63}}),
            "event=e i=-3 d=0.25 u=9223372036854775808");
  EXPECT_EQ(FormatLine(LogFormat::kJson, "e", {{"i", -3}, {"d", 0.25}}), R"("event":"e","i":-3,"d":0.25)");
  EXPECT_EQ(FormatLine(LogFormat::kJson, "e",
                       {{"n", std::nan("")}, {"m", -std::numeric_limits<double>::infinity()}}),
            R"("event":"e","n":"nan","m":"-inf")");
}

}  // namespace
}  // namespace diopi::server
