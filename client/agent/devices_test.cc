#include "client/agent/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace diopi::agent {
namespace {

TEST(DevicesTest, ListsAndRanges) {
  const std::vector<std::pair<std::string, std::vector<int>>> table = {
      {"0", {0}},
      {"0-7", {0, 1, 2, 3, 4, 5, 6, 7}},
      {"0,2,5-7", {0, 2, 5, 6, 7}},
      {"3,1", {3, 1}},
      {"2-2", {2}},
      {"127", {127}},
  };
  for (const auto& [text, devices] : table) {
    const auto parsed = ParseDevices(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status();
    EXPECT_EQ(*parsed, devices) << text;
  }
}

TEST(DevicesTest, WhatIsNoList) {
  for (const std::string text :
       {"", ",", "a", "1,", "-1", "7-0", "1-2-3", "0,0", "0-3,2", "128", "1 2", "+1", "99999999999", "0x1"}) {
    const auto parsed = ParseDevices(text);
    EXPECT_TRUE(absl::IsInvalidArgument(parsed.status())) << "'" << text << "': " << parsed.status();
  }
}

TEST(DevicesTest, Environment) {
  EXPECT_THAT(DeviceEnvironment(3, {"CUDA_VISIBLE_DEVICES"}),
              ::testing::ElementsAre("CUDA_VISIBLE_DEVICES=3", "DIOPI_DEVICE_INDEX=0"));
  EXPECT_THAT(DeviceEnvironment(3, {}), ::testing::ElementsAre("DIOPI_DEVICE_INDEX=3"));
}

}  // namespace
}  // namespace diopi::agent
