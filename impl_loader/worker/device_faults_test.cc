// Faults of a library whose memory and streams the host cannot see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>

#include "cases/findings/finding_text.h"
#include "impl_loader/caller/case_runner.h"
#include "impl_loader/worker/test_options.h"

namespace diopi::loader {
namespace {

using Kind = CallOutcome::Kind;
using testing::HasSubstr;

struct DeviceFault {
  std::string name;  // DIOPI_TEST_FAULT
  bool found;        // in memory
  v1::Finding::Code kind = v1::Finding::MEMORY_GROWS;
  std::string key = "";
  int64_t index = 0;
  int64_t count = 0;
  std::string differs = "";  // in the text, when the case is nondeterministic
};

void PrintTo(const DeviceFault& fault, std::ostream* os) {
  *os << fault.name;
}

WorkerOptions DeviceOptions(const std::string& fault) {
  WorkerOptions options = OptionsFor("async_device");
  options.environment = {"DIOPI_TEST_FAULT=" + fault};
  return options;
}

// Every second element of its storage.
v1::Case StridedAddCase() {
  v1::Case c = AddCase({6});
  v1::TensorSpec* out = c.mutable_args(0)->mutable_tensor();
  out->set_strides(0, 2);
  out->set_storage_elements(12);
  return c;
}

class DeviceFaultTest : public testing::TestWithParam<DeviceFault> {};

TEST_P(DeviceFaultTest, IsFoundAndNothingElse) {
  const DeviceFault& fault = GetParam();
  auto worker = Worker::Start(DeviceOptions(fault.name));
  ASSERT_TRUE(worker.ok()) << worker.status();
  const v1::Case c = fault.name == "ignores_strides" ? StridedAddCase() : AddCase({6});
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE((*worker)->Submit(c, AddInputs({6}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text() << outcome.backtrace;
    const v1::WorkerReply& reply = outcome.reply;
    EXPECT_EQ(reply.status(), v1::WorkerReply::RETURNED) << reply.text();
    EXPECT_EQ(reply.error_code(), 0) << reply.text();
    EXPECT_EQ(!reply.differs().empty(), !fault.differs.empty()) << FindingsText(reply.differs());
    EXPECT_THAT(FindingsText(reply.differs()), HasSubstr(fault.differs));
    ASSERT_EQ(reply.findings_size() > 0, fault.found) << reply.ShortDebugString();
    if (!fault.found) continue;
    EXPECT_EQ(reply.findings(0).code(), fault.kind) << FindingText(reply.findings(0));
    EXPECT_EQ(reply.findings(0).name(), fault.key);
    EXPECT_EQ(reply.findings(0).index(), fault.index);
    EXPECT_EQ(reply.findings(0).count(), fault.count);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DeviceFaultTest,
    testing::Values(DeviceFault{"none", false},
                    DeviceFault{"past_end", true, v1::Finding::WRITTEN_PAST_END, "out", 0, 4},
                    DeviceFault{"before_start", true, v1::Finding::WRITTEN_BEFORE_START, "out", 4, 4},
                    DeviceFault{"ignores_strides", true, v1::Finding::STRIDES_IGNORED, "out", 1, 3},
                    DeviceFault{"unwritten", true, v1::Finding::NOT_WRITTEN, "out", 5, 1},
                    DeviceFault{"changed_input", true, v1::Finding::INPUT_CHANGED, "other", 1, 1},
                    DeviceFault{"required_past_end", true, v1::Finding::WRITTEN_PAST_END, "required.0", 0, 4},
                    DeviceFault{"own_stream_late", true, v1::Finding::NOT_WRITTEN, "out", 0, 6},
                    DeviceFault{
                        "own_stream", false, v1::Finding::MEMORY_GROWS, "", 0, 0,
                        "6 of 6 elements of out differ between two equal calls, the first at 0; in the "
                        "later call, the inputs were delayed on the given stream"},
                    // Memory that the call requires is filled on another stream: waiting for the call's would
                    // end the delay.
                    DeviceFault{"own_stream_required", false, v1::Finding::MEMORY_GROWS, "", 0, 0,
                                "6 of 6 elements of out differ between two equal calls"},
                    DeviceFault{"leftover_state", false, v1::Finding::MEMORY_GROWS, "", 0, 0,
                                "1 of 6 elements of out differs between two equal calls, the first at 0"}),
    [](const testing::TestParamInfo<DeviceFault>& param) { return param.param.name; });

TEST(DeviceFaults, TheResultsOfAnHonestDeviceAreTheOnesOfTheFirstCall) {
  auto worker = Worker::Start(DeviceOptions("none"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{6}, {0}, {}, {300'000}, {5}}) {
    ASSERT_TRUE((*worker)->Submit(AddCase(shape, 2), AddInputs(shape), 5).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text() << outcome.backtrace;
    EXPECT_TRUE(outcome.reply.findings().empty()) << outcome.reply.ShortDebugString();
    EXPECT_TRUE(outcome.reply.differs().empty()) << FindingsText(outcome.reply.differs());
    EXPECT_TRUE(Floats(outcome.outputs.at("out")) == AddResult(shape, 2));
  }
}

// What earlier cases left on the device does not count against a case: it runs again in a fresh process.
TEST(DeviceFaults, ADeviceWithoutMemoryReplacesTheWorker) {
  auto worker = Worker::Start(DeviceOptions("little_memory"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  const auto run = [&](int64_t elements) {
    EXPECT_TRUE((*worker)->Submit(AddCase({elements}), AddInputs({elements}), 2).ok());
    return (*worker)->Wait();
  };
  EXPECT_EQ(run(2 << 20).reply.error_code(), 0);
  const int first = (*worker)->pid();
  const CallOutcome second = run(4 << 20);  // more than is left
  ASSERT_EQ(second.kind, Kind::kReplied) << second.Text();
  EXPECT_EQ(second.reply.status(), v1::WorkerReply::RETURNED) << second.reply.ShortDebugString();
  EXPECT_FALSE(second.reply.out_of_memory());
  EXPECT_NE((*worker)->pid(), first);
  const CallOutcome third = run(16 << 20);  // more than the device has
  EXPECT_TRUE(third.reply.out_of_memory()) << third.reply.ShortDebugString();
  EXPECT_EQ((*worker)->pid(), -1);
  EXPECT_EQ(run(6).reply.error_code(), 0);
}

v1::Case AddInPlaceCase(int64_t elements) {
  v1::Case c = AddCase({elements});
  c.set_function("diopiAddInp");
  c.mutable_args()->DeleteSubrange(0, 1);
  c.mutable_args(0)->set_role(v1::ROLE_INOUT);
  return c;
}

// The calls that look for a leak leave an operand on the host as it was before them.
TEST(DeviceFaults, LargeResultsInPlaceOutlastTheSearchForALeak) {
#if defined(__SANITIZE_ADDRESS__) || defined(DIOPI_THREAD_SANITIZER)
  GTEST_SKIP() << "the sanitizer's malloc keeps what was freed";
#endif
  auto worker = Worker::Start(DeviceOptions("leaks"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddInPlaceCase(300'000), AddInputs({300'000}), 3).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text() << outcome.backtrace;
  ASSERT_EQ(outcome.reply.findings_size(), 1) << outcome.reply.ShortDebugString();
  EXPECT_EQ(outcome.reply.findings(0).code(), v1::Finding::MEMORY_GROWS);
  EXPECT_EQ(Floats(outcome.outputs.at("input")), AddResult({300'000}));
}

TEST(DeviceFaults, InOutTensorsAreHeldBackAndRestoredToo) {
  const v1::Case c = AddInPlaceCase(4);
  for (const std::string fault : {"none", "own_stream"}) {
    auto worker = Worker::Start(DeviceOptions(fault));
    ASSERT_TRUE(worker.ok()) << worker.status();
    ASSERT_TRUE((*worker)->Submit(c, AddInputs({4}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text() << outcome.backtrace;
    EXPECT_EQ(!outcome.reply.differs().empty(), fault == "own_stream");
    EXPECT_TRUE(outcome.reply.findings().empty()) << outcome.reply.ShortDebugString();
    EXPECT_EQ(Floats(outcome.outputs.at("input")), AddResult({4}));
  }
}

TEST(DeviceFaults, TheHostCannotReachTheMemoryOfThisDevice) {
  auto worker = Worker::Start(DeviceOptions("touches_device_memory"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({4}), AddInputs({4}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  EXPECT_EQ(outcome.kind, Kind::kCrashed);
  EXPECT_EQ(outcome.signal_name, "SIGSEGV");
}

// Without the delay no fault shows: the library's own stream is always quick enough.
TEST(DeviceFaults, ItIsTheDelayThatShowsAStreamRace) {
  ASSERT_EQ(setenv("DIOPI_TEST_FAULT", "own_stream", 1), 0);
  auto vendor = VendorLibrary::Open(VendorPath("async_device"), "");
  ASSERT_TRUE(vendor.ok()) << vendor.status();
  const TensorMap inputs = AddInputs({6});
  std::vector<InputView> views;
  for (const auto& [key, tensor] : inputs) {
    views.push_back({key, tensor.dtype, tensor.shape, tensor.data.data(), tensor.data.size()});
  }
  for (const bool hold : {false, true, false}) {
    CaseRunner runner(vendor->get());
    RunOptions options;
    options.hold_inputs = hold;
    const RunResult run = runner.Run(AddCase({6}), views, options);
    EXPECT_EQ(run.reply.error_code(), 0);
    EXPECT_TRUE(run.reply.findings().empty()) << run.reply.ShortDebugString();
    EXPECT_EQ(!run.reply.differs().empty(), hold) << FindingsText(run.reply.differs());
  }
  unsetenv("DIOPI_TEST_FAULT");
}

}  // namespace
}  // namespace diopi::loader
