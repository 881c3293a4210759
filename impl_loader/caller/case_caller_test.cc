#include "impl_loader/caller/case_caller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "impl_loader/caller/test_cases.h"
#include "impl_loader/library/library.h"

namespace diopi::loader {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;

TimeOptions Quick() {
  TimeOptions options;
  options.samples = 4;
  options.max_calls = 5;
  options.warmup = 1;
  return options;
}

TEST(CaseCaller, CallsAndTellsErrorsApart) {
  const std::pair<std::string, absl::StatusCode> rows[] = {
      {"good", absl::StatusCode::kOk},
      {"noimplement", absl::StatusCode::kUnimplemented},
      {"dtype", absl::StatusCode::kInvalidArgument},
      {"error", absl::StatusCode::kInternal},
      {"throws", absl::StatusCode::kInternal},
      {"past_end", absl::StatusCode::kOk}};  // only an outside tool inspects the memory
  for (const auto& [vendor, code] : rows) {
    for (const bool exact : {false, true}) {
      auto caller = CaseCaller::Open(VendorPath(vendor), exact);
      ASSERT_TRUE(caller.ok()) << caller.status();
      EXPECT_EQ((*caller)->Call(AddCase({9}), AddInputs({9}), 2).code(), code) << vendor;
      EXPECT_EQ((*caller)->Time(AddCase({9}), AddInputs({9}), Quick()).status().code(), code) << vendor;
    }
  }
  EXPECT_EQ(CaseCaller::Open("/does/not/exist.so", false).status().code(), absl::StatusCode::kNotFound);
}

TEST(CaseCaller, ADeviceWithItsOwnMemoryAndStreams) {
  for (const bool exact : {false, true}) {
    auto caller = CaseCaller::Open(VendorPath("async_device"), exact);
    ASSERT_TRUE(caller.ok()) << caller.status();
    EXPECT_EQ((*caller)->vendor_name(), "async device");
    EXPECT_TRUE((*caller)->Call(AddCase({7}), AddInputs({7}), 3).ok());
    const auto time = (*caller)->Time(AddCase({7}), AddInputs({7}), Quick());
    ASSERT_TRUE(time.ok()) << time.status();
    EXPECT_FALSE(time->device_clock);
    EXPECT_EQ(time->microseconds.size(), 4U);
    EXPECT_THAT(time->microseconds, Each(Gt(0)));
  }
}

// With exact memory only what callers have put there is copied to the device: a tool that looks for reads of
// uninitialised memory would see none of the rest.
TEST(CaseCaller, OutputsAndRequiredMemoryStayUninitialisedForATool) {
  auto library = Library::Open(VendorPath("async_device"));
  ASSERT_TRUE(library.ok()) << library.status();
  const auto uploads = reinterpret_cast<int (*)()>(library->Symbol("async_device_uploads"));
  ASSERT_NE(uploads, nullptr);
  const struct {
    const char* fault;
    bool exact;
    int uploads;
  } rows[] = {{"none", true, 2},
              {"none", false, 3},
              {"own_stream_required", true, 2},
              {"own_stream_required", false, 4}};
  for (const auto& row : rows) {
    ASSERT_EQ(setenv("DIOPI_TEST_FAULT", row.fault, 1), 0);
    auto caller = CaseCaller::Open(VendorPath("async_device"), row.exact);
    ASSERT_TRUE(caller.ok()) << caller.status();
    uploads();
    EXPECT_TRUE((*caller)->Call(AddCase({7}), AddInputs({7}), 1).ok());
    EXPECT_EQ(uploads(), row.uploads) << row.fault << ", exact " << row.exact;
  }
  unsetenv("DIOPI_TEST_FAULT");
}

TEST(CaseCaller, ALostDeviceIsUnavailable) {
  ASSERT_EQ(setenv("DIOPI_TEST_FAULT", "loses_device", 1), 0);
  auto caller = CaseCaller::Open(VendorPath("async_device"), /*exact_memory=*/true);
  ASSERT_TRUE(caller.ok()) << caller.status();
  const absl::StatusCode codes[] = {(*caller)->Call(AddCase({7}), AddInputs({7}), 1).code(),
                                    (*caller)->Call(AddCase({7}), AddInputs({7}), 1).code()};
  unsetenv("DIOPI_TEST_FAULT");
  EXPECT_THAT(codes, ElementsAre(absl::StatusCode::kInternal, absl::StatusCode::kUnavailable));
}

TEST(CaseCaller, AnErrorInTheOnlySampleIsNoTime) {
  for (const bool lost : {false, true}) {
    ASSERT_EQ(setenv("DIOPI_TEST_FAULT", lost ? "second_add_loses_device" : "second_add_fails", 1), 0);
    auto caller = CaseCaller::Open(VendorPath("async_device"), /*exact_memory=*/false);
    ASSERT_TRUE(caller.ok()) << caller.status();
    TimeOptions options = Quick();
    options.samples = 1;
    options.max_calls = 1;
    const absl::Status timed = (*caller)->Time(AddCase({7}), AddInputs({7}), options).status();
    unsetenv("DIOPI_TEST_FAULT");
    EXPECT_EQ(timed.code(), absl::StatusCode::kInternal) << lost << timed;
    EXPECT_EQ((*caller)->Call(AddCase({7}), AddInputs({7}), 1).code(),
              lost ? absl::StatusCode::kUnavailable : absl::StatusCode::kOk);
  }
}

TEST(CaseCaller, FewerSamplesWhereTheTimeIsOver) {
  auto caller = CaseCaller::Open(VendorPath("good"), false);
  ASSERT_TRUE(caller.ok()) << caller.status();
  TimeOptions options = Quick();
  options.seconds = 0;
  options.samples = 100;
  EXPECT_EQ((*caller)->Time(AddCase({7}), AddInputs({7}), options)->microseconds.size(), 3U);
}

TEST(CaseCaller, ASampleHasAsManyCallsAsTakeItsTime) {
  auto caller = CaseCaller::Open(VendorPath("good"), false);
  ASSERT_TRUE(caller.ok()) << caller.status();
  const struct {
    double sample_seconds;
    int max_calls;
    int calls;
  } rows[] = {
      {1e6, 5, 5}, {1e6, 1, 1}, {1e6, 0, 1}, {0, 50, 1}, {1e-8, 50, 1},  // every call takes longer
  };
  for (const auto& row : rows) {
    TimeOptions options = Quick();
    options.sample_seconds = row.sample_seconds;
    options.max_calls = row.max_calls;
    const auto time = (*caller)->Time(AddCase({7}), AddInputs({7}), options);
    ASSERT_TRUE(time.ok()) << time.status();
    EXPECT_EQ(time->calls, row.calls) << row.sample_seconds << " " << row.max_calls;
  }
}

TEST(CaseCaller, EnoughSamplesForANarrowIntervalAndColdOnes) {
  const auto vendor = VendorLibrary::Open(VendorPath("good"), "");
  ASSERT_TRUE(vendor.ok()) << vendor.status();
  const std::unique_ptr<CaseCaller> caller = CaseCaller::On(vendor->get(), false);
  TimeOptions options = Quick();
  options.samples = 100;
  options.fewest_samples = 6;
  options.relative_interval = 1e9;  // any interval will do
  options.cold_samples = 2;
  options.repeat_disturbed = true;
  const auto time = caller->Time(AddCase({7}), AddInputs({7}), options);
  ASSERT_TRUE(time.ok()) << time.status();
  EXPECT_EQ(time->microseconds.size(), 6U);
  EXPECT_EQ(time->cold_microseconds.size(), 2U);
  EXPECT_THAT(time->cold_microseconds, Each(Gt(0)));
  EXPECT_GT(time->first_us, 0);
  EXPECT_GT(time->submit_us, 0);
  EXPECT_LE(time->submit_us, *std::max_element(time->microseconds.begin(), time->microseconds.end()));
}

TEST(CaseCaller, ColdSamplesDisplaceTwiceTheLastCache) {
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE}) {
    const auto cache = static_cast<size_t>(std::max<int64_t>(0, sysconf(level)));
    EXPECT_TRUE(DisplacedBytes() == 0 || DisplacedBytes() >= 2 * cache) << DisplacedBytes();
  }
  auto caller = CaseCaller::Open(VendorPath("async_device"), false);
  ASSERT_TRUE(caller.ok()) << caller.status();
  TimeOptions options = Quick();
  options.cold_samples = 2;
  const auto time = (*caller)->Time(AddCase({7}), AddInputs({7}), options);
  ASSERT_TRUE(time.ok()) << time.status();
  EXPECT_EQ(time->cold_microseconds.size(), 2U);
}

TEST(CaseCaller, TheDeviceClockWhereTheDriverIsLoaded) {
  auto driver = Library::Open(VendorPath("fake_cuda"));
  ASSERT_TRUE(driver.ok()) << driver.status();
  int* const started = static_cast<int*>(driver->Symbol("fake_cuda_started"));
  int* const events = static_cast<int*>(driver->Symbol("fake_cuda_events"));
  ASSERT_TRUE(started != nullptr && events != nullptr);
  auto caller = CaseCaller::Open(VendorPath("async_device"), false);
  ASSERT_TRUE(caller.ok()) << caller.status();
  for (const int late : {0, 1}) {
    *started = late;
    const auto time = (*caller)->Time(AddCase({7}), AddInputs({7}), Quick());
    ASSERT_TRUE(time.ok()) << time.status();
    EXPECT_TRUE(time->device_clock);
    EXPECT_EQ(time->late, late * 4);
    EXPECT_THAT(time->microseconds, Each(3000.0 / time->calls));
    EXPECT_EQ(*events, 0);
  }
}

}  // namespace
}  // namespace diopi::loader
