#include "server/security/loopback.h"

#include <gtest/gtest.h>

namespace diopi::server {
namespace {

TEST(LoopbackTest, KnowsWhatStaysHere) {
  for (const char* address : {"127.0.0.1:7410", "127.8.9.1:0", "localhost:1", "LocalHost:1", "[::1]:7410",
                              "unix:/tmp/x", "unix:relative"}) {
    EXPECT_TRUE(StaysOnThisMachine(address)) << address;
  }
  for (const char* address :
       {"0.0.0.0:7410", "[::]:7410", "10.0.0.1:7410", "127.evil.example:7410", "127.0.0.1.example:1",
        "*:7410", "localhost.example:1", ":7410", "", "128.0.0.1:1", "2130706433:1", "[::ffff:10.0.0.1]:1"}) {
    EXPECT_FALSE(StaysOnThisMachine(address)) << address;
  }
}

}  // namespace
}  // namespace diopi::server
