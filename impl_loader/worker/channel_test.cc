#include "impl_loader/worker/channel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "diopi/v1/worker.pb.h"

namespace diopi::loader {
namespace {

class ChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_), 0);
    a_ = Channel(Descriptor(ends_[0]));
    b_ = Channel(Descriptor(ends_[1]));
  }
  int ends_[2] = {-1, -1};
  Channel a_, b_;
};

TEST_F(ChannelTest, MessagesArriveWholeAndInOrder) {
  v1::WorkerHello hello;
  for (const char* name : {"one", "", "three"}) {
    hello.set_vendor_name(name);
    ASSERT_TRUE(a_.Send(hello).ok());
  }
  bool complete = false;
  v1::WorkerHello got;
  ASSERT_TRUE(b_.Receive(&got).ok());
  EXPECT_EQ(got.vendor_name(), "one");
  ASSERT_TRUE(b_.Poll(&got, &complete).ok());
  EXPECT_TRUE(complete);
  EXPECT_EQ(got.vendor_name(), "");
  ASSERT_TRUE(b_.Receive(&got).ok());
  EXPECT_EQ(got.vendor_name(), "three");
  ASSERT_TRUE(b_.Poll(&got, &complete).ok());
  EXPECT_FALSE(complete);
}

TEST_F(ChannelTest, PartsOfAMessageAreKept) {
  v1::WorkerHello hello;
  hello.set_vendor_name("abc");
  const std::string body = hello.SerializeAsString();
  const auto length = static_cast<uint32_t>(body.size());
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += body;
  v1::WorkerHello got;
  bool complete = false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_FALSE(complete);
    ASSERT_EQ(send(ends_[0], &bytes[i], 1, 0), 1);
    ASSERT_TRUE(b_.Poll(&got, &complete).ok());
  }
  EXPECT_TRUE(complete);
  EXPECT_EQ(got.vendor_name(), "abc");
}

TEST_F(ChannelTest, RefusesMessagesBeyondItsLimit) {
  v1::WorkerHello hello;
  hello.set_vendor_name(std::string(1000, 'a'));
  ASSERT_TRUE(a_.Send(hello).ok());
  v1::WorkerHello got;
  b_.TakeAtMost(100);
  const absl::Status taken = b_.Receive(&got);
  EXPECT_EQ(taken.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(taken.message(), "a message of 1003 bytes on the channel, where 100 are the most that we expect");
}

TEST_F(ChannelTest, ADescriptorArrivesWithItsMessageWhereItIsWanted) {
  v1::WorkerHello hello;
  const Descriptor file(memfd_create("passed", MFD_CLOEXEC));
  ASSERT_EQ(write(file.get(), "abc", 3), 3);
  for (const bool wanted : {false, true}) {
    ASSERT_TRUE(a_.Send(hello, file.get()).ok());
    ASSERT_TRUE(a_.Send(hello).ok());
    Descriptor passed;
    v1::WorkerHello got;
    ASSERT_TRUE(b_.Receive(&got, wanted ? &passed : nullptr).ok());
    ASSERT_TRUE(b_.Receive(&got, nullptr).ok());
    EXPECT_EQ(passed.valid(), wanted);
    char byte = 0;
    EXPECT_EQ(pread(passed.get(), &byte, 1, 1), wanted ? 1 : -1);
  }
}

TEST_F(ChannelTest, NonsenseAndTheOtherSidesEndAreReported) {
  v1::WorkerHello got;
  const std::string nonsense = "ls -l /\n";
  ASSERT_EQ(send(ends_[0], nonsense.data(), nonsense.size(), 0), static_cast<ssize_t>(nonsense.size()));
  EXPECT_EQ(b_.Receive(&got).code(), absl::StatusCode::kDataLoss);
  b_ = Channel();
  EXPECT_EQ(a_.Send(got).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(a_.Receive(&got).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace diopi::loader
