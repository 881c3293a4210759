#include "baselines/tap/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cases/base/temporary_folder.h"

namespace diopi::tap {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

v1::Case AddCase(int order) {
  v1::Case c;
  c.set_id(absl::StrCat("add.float32.call", order));
  c.set_hash("0123456789abcdef0123456789abcdef");
  c.set_operator_("add");
  c.set_function("diopiAdd");
  c.set_dtype(v1::Dtype::float32);
  c.set_generator_version(1);
  return c;
}

HostTensor Floats(int64_t count) {
  return {v1::Dtype::float32, {count}, std::string(static_cast<size_t>(count) * 4, 'x')};
}

class CaptureTest : public ::testing::Test {
 protected:
  std::string Folder() { return folder_ / "capture"; }
  TemporaryFolder folder_ = TemporaryFolder::Make().value();
};

TEST_F(CaptureTest, WhatIsWrittenIsReadBackInOrder) {
  CaptureFolder capture(Folder(), 1 << 20, "libvendor.so");
  for (const int order : {2, 10, 1}) {
    const CallFacts facts{order, 7, nullptr, 3, 1500, 250, 0};
    const absl::Status status =
        capture.Add(AddCase(order), {{"input", Floats(order)}}, {{"out", Floats(5)}}, facts);
    ASSERT_TRUE(status.ok()) << status;
  }
  const auto files = CaptureFiles(Folder());
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_THAT(*files, SizeIs(3));
  int at = 0;
  for (const int order : {1, 2, 10}) {
    const auto call = ReadCapturedCall((*files)[static_cast<size_t>(at++)]);
    ASSERT_TRUE(call.ok()) << call.status();
    EXPECT_EQ(call->c.id(), AddCase(order).id());
    EXPECT_EQ(call->inputs.at("input").shape, std::vector<int64_t>{order});
    EXPECT_EQ(call->outputs.at("out").data, Floats(5).data);
    EXPECT_EQ(call->library, "libvendor.so");
    EXPECT_THAT(call->facts, HasSubstr("step 3, thread 7"));
    EXPECT_THAT(call->facts, HasSubstr("at 1.500 ms, took 0.250 ms, returned 0"));
  }
}

TEST_F(CaptureTest, EndsAtTheLimit) {
  CaptureFolder capture(Folder(), 100, "libvendor.so");
  EXPECT_TRUE(capture.Add(AddCase(1), {{"input", Floats(20)}}, {}, {1}).ok());
  const absl::Status full = capture.Add(AddCase(2), {{"input", Floats(20)}}, {}, {2});
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(full.message(), HasSubstr("the limit of 100 bytes is reached"));
  EXPECT_TRUE(capture.full());
  EXPECT_TRUE(capture.Add(AddCase(3), {}, {}, {3}).ok()) << "said once";
  EXPECT_EQ(capture.files(), 1);
}

// The files around small tensors count, too.
TEST_F(CaptureTest, TheLimitIsThatOfTheFiles) {
  CaptureFolder capture(Folder(), 100'000, "libvendor.so");
  for (int order = 1; order < 100 && !capture.full(); ++order) {
    capture.Add(AddCase(order), {{"input", Floats(1)}}, {}, {order}).IgnoreError();
  }
  EXPECT_TRUE(capture.full()) << "4 bytes each would fit";
  EXPECT_GT(capture.files(), 1);
}

TEST_F(CaptureTest, AFolderThatCannotBeMadeEndsIt) {
  CaptureFolder capture("/proc/no/capture", 1 << 20, "libvendor.so");
  EXPECT_FALSE(capture.Add(AddCase(1), {}, {}, {1}).ok());
  EXPECT_TRUE(capture.full());
}

TEST_F(CaptureTest, EveryCutIsNoticed) {
  CaptureFolder capture(Folder(), 1 << 20, "libvendor.so");
  ASSERT_TRUE(capture.Add(AddCase(1), {{"input", Floats(9)}}, {{"out", Floats(9)}}, {1}).ok());
  const std::string path = CaptureFiles(Folder()).value()[0];
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path));
  for (const int64_t kept : {size - 1, size / 2, int64_t{100}, int64_t{0}}) {
    std::filesystem::resize_file(path, static_cast<uintmax_t>(kept));
    const auto call = ReadCapturedCall(path);
    EXPECT_TRUE(absl::IsDataLoss(call.status())) << kept << ": " << call.status();
    EXPECT_THAT(call.status().message(), HasSubstr(path));
  }
}

TEST_F(CaptureTest, NothingThereIsAnError) {
  EXPECT_TRUE(absl::IsNotFound(CaptureFiles(Folder()).status()));
  std::filesystem::create_directory(Folder());
  EXPECT_TRUE(absl::IsNotFound(CaptureFiles(Folder()).status()));
}

}  // namespace
}  // namespace diopi::tap
