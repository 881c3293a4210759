// The checks of a library as a whole, through the real worker.
#include "impl_loader/caller/library_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "cases/core/library_checks.h"
#include "impl_loader/worker/test_options.h"

namespace diopi::loader {
namespace {

using Kind = CallOutcome::Kind;
using testing::HasSubstr;

v1::Case CheckCase(const std::string& label) {
  for (const v1::Case& c : cases::LibraryChecks()) {
    if (c.label() == label) return c;
  }
  ADD_FAILURE() << "no library check " << label;
  return {};
}

struct Row {
  std::string vendor;
  std::string fault;  // DIOPI_TEST_FAULT
  std::string label;
  v1::Outcome outcome;
  std::string text = "";  // in the reason
};

void PrintTo(const Row& row, std::ostream* os) {
  *os << row.vendor << " " << row.fault << " " << row.label;
}

class LibraryCheckTest : public testing::TestWithParam<Row> {};

TEST_P(LibraryCheckTest, SaysWhatIsWrong) {
  const Row& row = GetParam();
  WorkerOptions options = OptionsFor(row.vendor);
  options.environment = {"DIOPI_TEST_FAULT=" + row.fault};
  auto worker = Worker::Start(options);
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(CheckCase(row.label), {}, 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.text << outcome.backtrace;
  ASSERT_TRUE(outcome.reply.has_check());
  const LibraryCheck& check = outcome.reply.check();
  EXPECT_EQ(check.outcome(), row.outcome) << v1::Outcome_Name(check.outcome()) << ": " << check.reason();
  EXPECT_THAT(check.reason(), HasSubstr(row.text));
  EXPECT_EQ(check.reason().empty(), row.outcome == v1::OUTCOME_PASS);
}

constexpr char kAsync[] = "async_device";

INSTANTIATE_TEST_SUITE_P(
    All, LibraryCheckTest,
    testing::Values(
        Row{"good", "", "vendor_name", v1::OUTCOME_PASS}, Row{"good", "", "impl_version", v1::OUTCOME_PASS},
        Row{"abort", "", "vendor_name", v1::OUTCOME_SKIPPED, "does not export diopiGetVendorName"},
        Row{"odd_names", "", "vendor_name", v1::OUTCOME_FAIL, "_Z18diopiGetVendorNamev"},
        Row{"odd_names", "", "impl_version", v1::OUTCOME_FAIL, "cannot be printed: 1.0?"},
        Row{"odd_names", "null", "impl_version", v1::OUTCOME_FAIL, "a null pointer"},
        Row{"odd_names", "empty", "impl_version", v1::OUTCOME_FAIL, "an empty text"},
        Row{"odd_names", "endless", "impl_version", v1::OUTCOME_FAIL, "without an end"},
        Row{"odd_names", "throws", "impl_version", v1::OUTCOME_ERROR, "C++ exception out: no version"},
        Row{"good", "", "last_error", v1::OUTCOME_NOT_IMPLEMENTED, "diopiGetLastErrorString"},
        Row{"null", "", "last_error", v1::OUTCOME_NOT_IMPLEMENTED, "diopiCat"},
        Row{kAsync, "", "last_error", v1::OUTCOME_PASS},
        Row{kAsync, "no_error_text", "last_error", v1::OUTCOME_FAIL,
            "diopiCat of zero tensors failed with 1"},
        Row{kAsync, "cat_throws", "last_error", v1::OUTCOME_ERROR, "diopiCat let a C++ exception out"},
        Row{kAsync, "cat_of_nothing_succeeds", "last_error", v1::OUTCOME_FAIL, "is empty"},
        Row{"good", "", "stream_chain", v1::OUTCOME_NOT_IMPLEMENTED, "neither diopiMatmul nor diopiMm"},
        Row{"good", "", "stream_interleaved", v1::OUTCOME_NOT_IMPLEMENTED, "neither"},
        Row{"good", "", "stream_threads", v1::OUTCOME_NOT_IMPLEMENTED, "neither"},
        Row{kAsync, "", "stream_chain", v1::OUTCOME_PASS},
        Row{kAsync, "", "stream_interleaved", v1::OUTCOME_PASS},
        Row{kAsync, "", "stream_threads", v1::OUTCOME_PASS},
        Row{kAsync, "own_stream", "stream_chain", v1::OUTCOME_FAIL,
            "with inputs that come late on the stream: "},
        Row{kAsync, "own_stream", "stream_interleaved", v1::OUTCOME_FAIL,
            "elements of the last of 10 products"},
        Row{kAsync, "own_stream_late", "stream_chain", v1::OUTCOME_FAIL, "ten dependent products: "},
        Row{kAsync, "newest_stream", "stream_chain", v1::OUTCOME_PASS},
        Row{kAsync, "newest_stream", "stream_interleaved", v1::OUTCOME_FAIL, "stream 1 of two: "},
        Row{kAsync, "one_thread_only", "stream_chain", v1::OUTCOME_PASS},
        Row{kAsync, "one_thread_only", "stream_threads", v1::OUTCOME_FAIL, " of two, round 1: "}),
    [](const testing::TestParamInfo<Row>& param) {
      return param.param.vendor + "_" + (param.param.fault.empty() ? "as_it_is" : param.param.fault) + "_" +
             param.param.label;
    });

TEST(LibraryChecks, TheWorkerKnowsThemAllAndNoOthers) {
  auto worker = Worker::Start(OptionsFor(kAsync));
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (const v1::Case& c : cases::LibraryChecks()) {
    ASSERT_TRUE((*worker)->Submit(c, {}, 2).ok());
    EXPECT_EQ((*worker)->Wait().reply.check().outcome(), v1::OUTCOME_PASS) << c.id();
  }
  v1::Case unknown = CheckCase("vendor_name");
  unknown.set_label("star_sign");
  ASSERT_TRUE((*worker)->Submit(unknown, {}, 2).ok());
  EXPECT_EQ((*worker)->Wait().reply.check().outcome(), v1::OUTCOME_HARNESS_ERROR);
}

// The library is loaded once for cases and the checks after them; a case after a check gets a fresh process.
TEST(LibraryChecks, ShareAProcessWithEarlierCasesAlone) {
  auto worker = Worker::Start(OptionsFor("good"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  std::vector<int> pids;
  for (const char* label : {"", "", "vendor_name", "impl_version", ""}) {
    const bool check = label[0] != '\0';
    ASSERT_TRUE((*worker)
                    ->Submit(check ? CheckCase(label) : AddCase({4}), check ? TensorMap() : AddInputs({4}), 2)
                    .ok());
    EXPECT_EQ((*worker)->Wait().kind, Kind::kReplied);
    pids.push_back((*worker)->pid());
  }
  EXPECT_EQ(pids[0], pids[1]);
  EXPECT_EQ(pids[1], pids[2]);
  EXPECT_EQ(pids[2], pids[3]);
  EXPECT_NE(pids[3], pids[4]);
}

// The cases have damaged the library; its checks hold in a process of their own.
TEST(LibraryChecks, WhatFailsAfterCasesIsRepeatedInAFreshProcess) {
  WorkerOptions options = OptionsFor("odd_names");
  options.environment = {"DIOPI_TEST_FAULT=after_add"};
  auto worker = Worker::Start(options);
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (const bool damaged : {true, false}) {
    if (damaged) {
      ASSERT_TRUE((*worker)->Submit(AddCase({4}), AddInputs({4}), 2).ok());
      ASSERT_EQ((*worker)->Wait().kind, Kind::kReplied);
    }
    const int pid = (*worker)->pid();
    ASSERT_TRUE((*worker)->Submit(CheckCase("impl_version"), {}, 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    EXPECT_EQ(outcome.reply.check().outcome(), v1::OUTCOME_PASS) << outcome.reply.check().reason();
    EXPECT_EQ(outcome.stray_end, "");
    EXPECT_EQ((*worker)->pid() != pid, damaged);
  }
}

TEST(LibraryChecks, ACrashIsToldByTheNameOfTheCheck) {
  WorkerOptions options = OptionsFor(kAsync);
  options.environment = {"DIOPI_TEST_FAULT=cat_crashes"};
  auto worker = Worker::Start(options);
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(CheckCase("last_error"), {}, 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  EXPECT_EQ(outcome.kind, Kind::kCrashed);
  EXPECT_EQ(outcome.signal_name, "SIGABRT");
  EXPECT_THAT(outcome.text, HasSubstr("SIGABRT in library.last_error"));
}

}  // namespace
}  // namespace diopi::loader
