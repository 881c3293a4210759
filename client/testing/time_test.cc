// diopi-cli time and call: call a library in their own process, with libraries that stand in for a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Finished Cli(std::vector<std::string> words) {
  words.insert(words.begin(), BinPath("diopi-cli"));
  // Here the library runs inside the program, and is unloaded without freeing its own memory.
  return RunProgram(words, {"ASAN_OPTIONS=detect_leaks=0"});
}

TEST(Time, ALineACaseAndItsInputs) {
  const TestFolder folder;
  const std::string output = folder / "times.jsonl";
  const Finished run = Cli({"time", "--impl", VendorPath("libdiopi_cuda_emulated"), "--fname", "softmax",
                            "sort", "--dtype", "float32", "float16", "--largest", "1", "--samples", "3",
                            "--calls", "2", "--inputs", folder / "inputs", "--output", output});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("8 cases, 0 without a time"));  // softmax and sort, forward and backward
  const std::string text = ReadFile(output);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9);
  EXPECT_THAT(text, HasSubstr("\"version\""));
  EXPECT_THAT(text, HasSubstr("\"function\":\"diopiSoftmaxBackward\""));
  EXPECT_THAT(text, HasSubstr("\"clock\": \"host\", \"calls\": 2, \"late\": 0, \"microseconds\": ["));
  // Softmax's largest case has a dimension beyond 65,535.
  EXPECT_THAT(
      text,
      ContainsRegex("\"input\": \\{\"dtype\": \"float16\", \"shape\": \\[[1, ]*65599[1, ]*\\], \"file\": "));
  size_t files = 0, bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "inputs")) {
    ++files;
    bytes = std::max<size_t>(bytes, entry.file_size());
  }
  EXPECT_GT(files, 8U);
  EXPECT_GE(bytes, size_t{65537} * sizeof(uint16_t));
}

TEST(Time, WhatCannotBeTimedSaysWhy) {
  const Finished none =
      Cli({"time", "--impl", VendorPath("vendor_noimplement"), "--case", "add.float32.n17"});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.err, HasSubstr("1 cases, 1 without a time"));
  EXPECT_THAT(none.out, HasSubstr("\"error\": \"diopiAdd"));
  EXPECT_THAT(none.out, Not(HasSubstr("microseconds")));
  EXPECT_EQ(Cli({"time", "--impl", "/no/such.so", "--fname", "add"}).code, 2);
  EXPECT_EQ(Cli({"time", "--impl", VendorPath("vendor_good"), "--fname", "nothing"}).code, 2);
  EXPECT_EQ(Cli({"time", "--impl", VendorPath("vendor_good"), "--case", "add.float32.n17", "--output",
                 "/no/folder/times"})
                .code,
            4);
}

TEST(Call, EveryCaseIsNamedBeforeItsCall) {
  const Finished run = Cli({"call", "--impl", VendorPath("libdiopi_cuda_emulated"), "--fname", "softmax"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("case softmax.float32.row_7\ncase "));
  EXPECT_THAT(run.out, HasSubstr(" 0 not implemented, 0 failed"));
  const Finished bad = Cli({"call", "--impl", VendorPath("vendor_error"), "--case", "add.float32.n17"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, HasSubstr("case add.float32.n17\nfailed add.float32.n17: diopiAdd"));
  const Finished none =
      Cli({"call", "--impl", VendorPath("vendor_noimplement"), "--case", "add.float32.n17"});
  EXPECT_EQ(none.code, 0);
  EXPECT_THAT(none.out, HasSubstr("0 cases called, 1 not implemented, 0 failed"));
}

// As under a tool that breaks the device: what calls it goes on in another process, a case further each time.
TEST(Call, ALostDeviceStopsIt) {
  ASSERT_EQ(setenv("DIOPI_TEST_FAULT", "loses_device", 1), 0);
  const std::vector<std::string> call = {"call",   "--impl",           VendorPath("vendor_async_device"),
                                         "--case", "add.float32.n127", "add.float32.n129"};
  const Finished run = Cli(call);
  std::vector<std::string> on = call;
  on.insert(on.end(), {"--from", "add.float32.n129"});
  const Finished next = Cli(on);
  unsetenv("DIOPI_TEST_FAULT");
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out, HasSubstr("failed add.float32.n127: synchronising the stream failed"));
  EXPECT_THAT(run.out, HasSubstr("stopped before add.float32.n129\n"));
  EXPECT_THAT(next.out, HasSubstr("failed add.float32.n129: synchronising the stream failed"));
  EXPECT_THAT(next.out, HasSubstr("0 cases called, 0 not implemented, 1 failed"));
}

}  // namespace
}  // namespace diopi::testing
