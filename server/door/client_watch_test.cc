#include "server/door/client_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/door/attack_testing.h"

namespace diopi::server {
namespace {

constexpr uint8_t kEndStream = 1;
const std::string kOpening = std::string(kHttp2Preface) + FrameBytes(4, 0, 0) + FrameBytes(4, 1, 0);

std::string Repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

struct WatchRow {
  std::string name;
  std::string bytes;  // after the opening
  int points;         // for a stranger, beyond those of the opening
  std::string kind = "";
  std::string violation = "";
};

std::vector<WatchRow> WatchRows() {
  const std::string call = CallHeaders(1, "/a/B");
  return {
      {"nothing", "", 0, "SETTINGS"},
      {"a call", call + FrameBytes(0, kEndStream, 1, std::string(5, 'm')), 10, "SETTINGS"},
      {"an upload in large frames", Repeat(FrameBytes(0, 0, 1, std::string(16384, 'x')), 3), 0, "SETTINGS"},
      {"a message in small frames", Repeat(FrameBytes(0, 0, 1, "x"), 30), 30, "SETTINGS"},
      {"its end", FrameBytes(0, kEndStream, 1), 0, "SETTINGS"},
      {"empty data", FrameBytes(0, 0, 1), 10, "SETTINGS"},
      {"a reset", FrameBytes(3, 0, 1, "1234"), 20, "RST_STREAM"},
      {"priority", FrameBytes(2, 0, 1, "12345"), 10, "SETTINGS"},
      {"room", FrameBytes(8, 0, 0, "1234"), 1, "SETTINGS"},
      {"a frame of the future", FrameBytes(0xfa, 0xff, 0x7fffffff, "12"), 10, "SETTINGS"},
      {"a long header block", CallHeaders(1, "/a/B", false) + FrameBytes(9, 4, 1, std::string(30000, 'x')),
       20, "SETTINGS"},
      {"too long a header block",
       CallHeaders(1, "/a/B", false) + Repeat(FrameBytes(9, 0, 1, std::string(16384, 'x')), 4), 50,
       "SETTINGS", "a header block of more than 64 KiB"},
      {"a header block without end", CallHeaders(1, "/a/B", false) + Repeat(FrameBytes(9, 0, 1), 63), 640,
       "SETTINGS", "a header block of more than 64 KiB"},
  };
}

Nuisance ReadAll(std::string_view bytes, size_t piece) {
  ClientWatch watch;
  Nuisance sum;
  for (; !bytes.empty() && sum.violation.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const Nuisance one = watch.Read(bytes.substr(0, piece), false);
    sum.points += one.points;
    sum.violation = one.violation;
    if (one.dearest > sum.dearest) {
      sum.dearest = one.dearest;
      sum.kind = one.kind;
    }
  }
  return sum;
}

TEST(ClientWatchTest, PricesFramesHoweverTheyAreSplit) {
  const int opening = ReadAll(kOpening, kOpening.size()).points;
  for (const WatchRow& row : WatchRows()) {
    const std::string bytes = kOpening + row.bytes;
    for (const size_t piece :
         {size_t{1}, size_t{2}, size_t{8}, size_t{9}, size_t{10}, size_t{1000}, bytes.size()}) {
      const Nuisance nuisance = ReadAll(bytes, piece);
      EXPECT_EQ(nuisance.points - opening, row.points) << row.name << ", pieces of " << piece;
      EXPECT_EQ(nuisance.kind, row.kind) << row.name << ", pieces of " << piece;
      EXPECT_EQ(nuisance.violation, row.violation) << row.name << ", pieces of " << piece;
    }
  }
}

TEST(ClientWatchTest, WantsThePreface) {
  for (const std::string& bytes : {std::string("GET / HTTP/1.1\r\n"), std::string("\x16\x03\x01"),
                                   std::string(1, '\0'), std::string(kHttp2Preface.substr(0, 23)) + "x"}) {
    EXPECT_EQ(ReadAll(bytes, bytes.size()).violation, "not HTTP/2");
    EXPECT_EQ(ReadAll(bytes, 1).violation, "not HTTP/2");
  }
  ClientWatch watch;
  EXPECT_TRUE(watch.Read(kHttp2Preface.substr(0, 23), false).violation.empty());
  EXPECT_FALSE(watch.opened());
  watch.Read(kHttp2Preface.substr(23), false);
  EXPECT_TRUE(watch.opened());
}

TEST(ClientWatchTest, CallsOfAdmittedClientsPayForTheirControlFrames) {
  ClientWatch watch;
  watch.Read(kOpening, true);
  const std::string call =
      CallHeaders(1, "/a/B") + FrameBytes(0, kEndStream, 1, "12345") + Repeat(FrameBytes(8, 0, 0, "1234"), 2);
  const Nuisance nuisance = watch.Read(call, true);
  EXPECT_LT(nuisance.points, 0);
  EXPECT_TRUE(nuisance.useful);
  // But resets do not pay.
  EXPECT_GT(watch.Read(CallHeaders(3, "/a/B") + FrameBytes(3, 0, 3, "1234"), true).points, 0);
}

TEST(ClientWatchTest, LimitsStreamsBeforeTheClientKnowsTheLimit) {
  const std::string call = CallHeaders(1, "/a/B");
  ClientWatch watch;
  watch.Read(std::string(kHttp2Preface) + FrameBytes(4, 0, 0), false);
  EXPECT_EQ(watch.Read(Repeat(call, kStreamsAtOnce), true).violation, "");
  EXPECT_EQ(watch.Read(call, true).violation, "streams before SETTINGS were confirmed");
  ClientWatch confirmed;
  confirmed.Read(kOpening, false);
  EXPECT_EQ(confirmed.Read(Repeat(call, kStreamsAtOnce + 1), true).violation, "");
}

TEST(ClientWatchTest, KnowsAnUnfinishedHeaderBlock) {
  ClientWatch watch;
  watch.Read(kOpening + CallHeaders(1, "/a/B", false), false);
  EXPECT_TRUE(watch.in_header_block());
  watch.Read(FrameBytes(9, 4, 1), false);
  EXPECT_FALSE(watch.in_header_block());
}

}  // namespace
}  // namespace diopi::server
