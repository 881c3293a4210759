#include "server/store/message_delta.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "diopi/v1/verdict.pb.h"
#include "server/store/filler_testing.h"

namespace diopi::server {
namespace {

std::string Through(const v1::Verdict& base, const v1::Verdict& verdict) {
  v1::Verdict made = base;
  EXPECT_TRUE(ApplyDelta(EncodeDelta(base, verdict), &made));
  return made.SerializeAsString();
}

v1::Verdict Full(int fillings) {
  Filler filler;
  v1::Verdict verdict;
  for (int i = 0; i < fillings; ++i) {
    verdict.Clear();
    filler.Fill(&verdict);  // each time with other values
  }
  return verdict;
}

// Verdicts that differ in each kind of field and in how many elements it has.
std::vector<v1::Verdict> Verdicts() {
  std::vector<v1::Verdict> all(1);
  all.push_back(Full(1));
  all.push_back(Full(2));
  all.push_back(Full(1));
  all.back().mutable_outputs()->RemoveLast();
  all.push_back(Full(1));
  all.back().add_outputs()->set_key("one more");
  all.push_back(Full(1));
  all.back().clear_call_us();
  all.back().set_device_index(0);
  all.push_back(Full(1));
  all.back().set_threw(false);
  all.back().set_error_code(-1);
  all.back().set_reason("00ff00ff00ff");
  all.back().set_waiver("0123456G");
  all.back().set_likely_cause("0123456");
  v1::OutputStats& output = *all.back().mutable_outputs(0);
  output.clear_ulp_histogram();
  for (const int count : {0, 0, 5, 0, -7, 0, 0, 0}) output.add_ulp_histogram(count);
  output.set_max_ulp(-0.0);
  output.set_max_z(std::numeric_limits<double>::infinity());
  output.set_rms_z(0.1);
  output.set_max_abs(5e-324);
  output.set_argmax(std::numeric_limits<int64_t>::min());
  output.set_groups(std::numeric_limits<int64_t>::max());
  return all;
}

TEST(MessageDeltaTest, FromEachToEach) {
  const std::vector<v1::Verdict> all = Verdicts();
  for (const v1::Verdict& base : all) {
    for (const v1::Verdict& verdict : all) EXPECT_EQ(Through(base, verdict), verdict.SerializeAsString());
  }
}

TEST(MessageDeltaTest, WhatIsTheSameTakesNoRoom) {
  EXPECT_EQ(EncodeDelta(Full(2), Full(2)).size(), 1U);
  v1::Verdict changed = Full(2);
  changed.set_error_code(5);
  EXPECT_EQ(EncodeDelta(Full(2), changed).size(), 3U);
  v1::Verdict left = Full(2);
  ASSERT_TRUE(ApplyDelta(EncodeDelta(left, changed, FieldBit(v1::Verdict::kErrorCodeFieldNumber)), &left));
  EXPECT_EQ(left.error_code(), Full(2).error_code());
}

TEST(MessageDeltaTest, NansAreAllTheSame) {
  v1::Verdict one = Full(1);
  v1::Verdict other = Full(1);
  one.mutable_outputs(0)->set_max_z(std::numeric_limits<double>::quiet_NaN());
  other.mutable_outputs(0)->set_max_z(std::copysign(std::numeric_limits<double>::quiet_NaN(), -1));
  EXPECT_EQ(EncodeDelta(one, other).size(), 1U);
  ASSERT_TRUE(ApplyDelta(EncodeDelta(Full(1), other), &one));
  EXPECT_TRUE(std::isnan(one.outputs(0).max_z()));
}

// Each beginning of an encoding, and each encoding with a byte changed, is refused or read; nothing worse
// happens.
TEST(MessageDeltaTest, DamagedBytesAreRefusedOrRead) {
  const std::string whole = EncodeDelta(v1::Verdict(), Verdicts().back());
  for (size_t size = 0; size < whole.size(); ++size) {
    v1::Verdict verdict;
    EXPECT_FALSE(ApplyDelta(std::string_view(whole).substr(0, size), &verdict)) << size;
  }
  v1::Verdict longer;
  EXPECT_FALSE(ApplyDelta(whole + "x", &longer));
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      v1::Verdict verdict;
      ApplyDelta(damaged, &verdict);
      EXPECT_LT(verdict.ByteSizeLong(), size_t{100} << 20);
    }
  }
}

}  // namespace
}  // namespace diopi::server
