// The checks of a library as a whole, through the real worker.
#include "impl_loader/caller/library_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "cases/core/library_checks.h"
#include "cases/findings/finding_text.h"
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
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text() << outcome.backtrace;
  ASSERT_TRUE(outcome.reply.has_check());
  const LibraryCheck& check = outcome.reply.check();
  EXPECT_EQ(check.outcome(), row.outcome)
      << v1::Outcome_Name(check.outcome()) << ": " << check.ShortDebugString();
  EXPECT_THAT(FindingsText(check.findings()), HasSubstr(row.text));
  EXPECT_EQ(check.findings().empty(), row.outcome == v1::OUTCOME_PASS);
  for (const v1::Finding& finding : check.findings()) {
    EXPECT_TRUE(finding.code() != v1::Finding::LIBRARY_CHECK || !finding.word().empty());
  }
}

constexpr char kAsync[] = "async_device";

std::string NameOf(const testing::TestParamInfo<Row>& param) {
  return param.param.vendor + "_" + (param.param.fault.empty() ? "as_it_is" : param.param.fault) + "_" +
         param.param.label;
}

INSTANTIATE_TEST_SUITE_P(
    All, LibraryCheckTest,
    testing::Values(
        Row{"good", "", "vendor_name", v1::OUTCOME_PASS}, Row{"good", "", "impl_version", v1::OUTCOME_PASS},
        Row{"abort", "", "vendor_name", v1::OUTCOME_SKIPPED, "does not export diopiGetVendorName"},
        Row{"odd_names", "", "vendor_name", v1::OUTCOME_FAIL, "_Z18diopiGetVendorNamev"},
        Row{"odd_names", "", "impl_version", v1::OUTCOME_FAIL, "cannot be printed: 1.0?"},
        Row{"odd_names", "null", "impl_version", v1::OUTCOME_FAIL, "a null pointer"},
        Row{"odd_names", "empty", "impl_version", v1::OUTCOME_FAIL, "an empty text"},
        Row{"odd_names", "endless", "impl_version", v1::OUTCOME_FAIL, "without a terminating null"},
        Row{"odd_names", "throws", "impl_version", v1::OUTCOME_ERROR, "threw a C++ exception: no version"},
        Row{"good", "", "last_error", v1::OUTCOME_NOT_IMPLEMENTED, "diopiGetLastErrorString"},
        Row{"null", "", "last_error", v1::OUTCOME_NOT_IMPLEMENTED, "diopiCat"},
        Row{kAsync, "", "last_error", v1::OUTCOME_PASS},
        Row{kAsync, "no_error_text", "last_error", v1::OUTCOME_FAIL,
            "diopiCat of zero tensors failed with 1"},
        Row{kAsync, "cat_throws", "last_error", v1::OUTCOME_ERROR, "diopiCat threw a C++ exception"},
        Row{kAsync, "cat_of_nothing_succeeds", "last_error", v1::OUTCOME_FAIL, "is empty"},
        Row{"good", "", "stream_chain", v1::OUTCOME_NOT_IMPLEMENTED, "neither diopiMatmul nor diopiMm"},
        Row{"good", "", "stream_interleaved", v1::OUTCOME_NOT_IMPLEMENTED, "neither"},
        Row{"good", "", "stream_threads", v1::OUTCOME_NOT_IMPLEMENTED, "neither"},
        Row{kAsync, "", "stream_chain", v1::OUTCOME_PASS},
        Row{kAsync, "", "stream_interleaved", v1::OUTCOME_PASS},
        Row{kAsync, "", "stream_threads", v1::OUTCOME_PASS},
        Row{kAsync, "own_stream", "stream_chain", v1::OUTCOME_FAIL, "with delayed inputs on the stream: "},
        Row{kAsync, "own_stream", "stream_interleaved", v1::OUTCOME_FAIL,
            "elements of the last of 10 products"},
        Row{kAsync, "own_stream_late", "stream_chain", v1::OUTCOME_FAIL, "ten dependent products: "},
        Row{kAsync, "newest_stream", "stream_chain", v1::OUTCOME_PASS},
        Row{kAsync, "newest_stream", "stream_interleaved", v1::OUTCOME_FAIL, "stream 1 of two: "},
        Row{kAsync, "one_thread_only", "stream_chain", v1::OUTCOME_PASS},
        Row{kAsync, "one_thread_only", "stream_threads", v1::OUTCOME_FAIL, " of two, round 1: "}),
    NameOf);

constexpr char kGet[] = "native_format";
constexpr char kCast[] = "native_format_cast";
constexpr char kHook[] = "destruction_hook";

INSTANTIATE_TEST_SUITE_P(
    NativeFormats, LibraryCheckTest,
    testing::Values(
        Row{"good", "", kGet, v1::OUTCOME_NOT_IMPLEMENTED, "does not export diopiGetNativeMemoryFormat"},
        Row{"good", "", kCast, v1::OUTCOME_NOT_IMPLEMENTED, "does not export diopiNativeMemoryFormatCast"},
        Row{"good", "", kHook, v1::OUTCOME_NOT_IMPLEMENTED, "does not export diopiTensorDestructionHook"},
        Row{kAsync, "", kGet, v1::OUTCOME_PASS}, Row{kAsync, "", kCast, v1::OUTCOME_PASS},
        Row{kAsync, "", kHook, v1::OUTCOME_PASS},
        Row{kAsync, "no_memory", kGet, v1::OUTCOME_ERROR, "the library has no memory for small tensors"},
        Row{kAsync, "format_fails", kGet, v1::OUTCOME_ERROR,
            "a tensor of shape (): diopiGetNativeMemoryFormat"},
        Row{kAsync, "format_unwritten", kGet, v1::OUTCOME_FAIL, "returned success and wrote no format"},
        Row{kAsync, "format_unwritten", kHook, v1::OUTCOME_FAIL, "returned success and wrote no format"},
        Row{kAsync, "format_of_four_bytes", kGet, v1::OUTCOME_FAIL, "wrote 4 of the format's 8 bytes"},
        Row{kAsync, "format_wanders", kGet, v1::OUTCOME_FAIL, "said 0 and then 1"},
        Row{kAsync, "format_by_address", kGet, v1::OUTCOME_FAIL, " of another one, though neither was cast"},
        Row{kAsync, "format_changes_input", kGet, v1::OUTCOME_FAIL, "after diopiGetNativeMemoryFormat, is 7"},
        Row{kAsync, "format_changes_shape", kGet, v1::OUTCOME_FAIL, "overwrote the shape or the strides"},
        Row{kAsync, "cast_noimplement", kCast, v1::OUTCOME_NOT_IMPLEMENTED, "returned diopiNoImplement"},
        Row{kAsync, "cast_returns_nothing", kCast, v1::OUTCOME_FAIL, "returned success and no tensor"},
        Row{kAsync, "cast_returns_garbage", kCast, v1::OUTCOME_FAIL,
            "neither its input nor from diopiRequire"},
        Row{kAsync, "cast_flattens", kCast, v1::OUTCOME_FAIL, "has shape (1,), expected ()"},
        Row{kAsync, "cast_halves", kCast, v1::OUTCOME_FAIL, "is not float32"},
        Row{kAsync, "cast_loses_last", kCast, v1::OUTCOME_FAIL,
            "of the cast to format 2, cast back to 0, is"},
        Row{kAsync, "cast_changes_input", kCast, v1::OUTCOME_FAIL, "after the cast to format 2, is 7"},
        Row{kAsync, "cast_past_end", kCast, v1::OUTCOME_FAIL, "the cast to format 2 wrote "},
        Row{kAsync, "cast_not_told", kCast, v1::OUTCOME_FAIL, "the cast to format 2, of format 0, has shape"},
        Row{kAsync, "cast_told_wrong", kCast, v1::OUTCOME_FAIL, "the cast to format 2 has format 1"},
        Row{kAsync, "cast_without_way_back", kCast, v1::OUTCOME_ERROR, "diopiErrorOccurred: no way back"},
        Row{kAsync, "unknown_throws", kCast, v1::OUTCOME_PASS},
        Row{kAsync, "unknown_is_plain", kCast, v1::OUTCOME_PASS},
        Row{kAsync, "unknown_without_text", kCast, v1::OUTCOME_FAIL, "but the last-error string is empty"},
        Row{kAsync, "unknown_marks_input", kCast, v1::OUTCOME_FAIL,
            "was refused, but its input now has format"},
        Row{kAsync, "hook_fails", kHook, v1::OUTCOME_ERROR, "of a tensor that was never cast"},
        Row{kAsync, "hook_fails_on_casts", kHook, v1::OUTCOME_ERROR, "Hook of a tensor of format 1: "},
        Row{kAsync, "hook_clears_memory", kHook, v1::OUTCOME_FAIL,
            "after diopiTensorDestructionHook of a tensor"},
        Row{kAsync, "hook_clears_casts", kHook, v1::OUTCOME_FAIL, "changed the memory of that tensor"},
        Row{kAsync, "hook_marks", kHook, v1::OUTCOME_FAIL, "changed a format from 0 to 1"},
        Row{kAsync, "hook_forgets_nothing", kHook, v1::OUTCOME_FAIL,
            "where one of format 1 was destroyed has"},
        Row{kAsync, "hook_forgets_all", kHook, v1::OUTCOME_FAIL,
            "gave another tensor of that format the format"}),
    NameOf);

constexpr char kAttention[] = "attention";
constexpr char kDropout[] = "attention_dropout";

INSTANTIATE_TEST_SUITE_P(
    Attention, LibraryCheckTest,
    testing::Values(Row{kAttention, "", kDropout, v1::OUTCOME_PASS},
                    Row{kAttention, "from_the_state_left", kDropout, v1::OUTCOME_PASS},
                    Row{kAttention, "drawn_again", kDropout, v1::OUTCOME_FAIL,
                        "diopiFlashAttentionBackward drops other weights than diopiFlashAttention: "},
                    Row{kAttention, "transposed", kDropout, v1::OUTCOME_FAIL,
                        " of 16384 are dropped by one of the two only"},
                    Row{kAttention, "one_kept", kDropout, v1::OUTCOME_FAIL, ": 1 of 16384"},
                    Row{kAttention, "mask_transposed", kDropout, v1::OUTCOME_FAIL,
                        "diopiCustomizedFlashAttentionBackward"},
                    Row{kAttention, "backward_fails", kDropout, v1::OUTCOME_ERROR,
                        "diopiFlashAttentionBackward of float16 returned diopiErrorOccurred"},
                    Row{kAttention, "float32_only", kDropout, v1::OUTCOME_NOT_IMPLEMENTED,
                        "the library lacks diopiMultiHeadAttention or its backward"}),
    NameOf);

TEST(LibraryChecks, TheWorkerKnowsThemAllAndNoOthers) {
  auto worker = Worker::Start(OptionsFor(kAsync));
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (const v1::Case& c : cases::LibraryChecks()) {
    ASSERT_TRUE((*worker)->Submit(c, {}, 2).ok());
    const v1::Outcome expected =
        c.label() == "attention_dropout" ? v1::OUTCOME_NOT_IMPLEMENTED : v1::OUTCOME_PASS;
    EXPECT_EQ((*worker)->Wait().reply.check().outcome(), expected) << c.id();
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
    const TensorMap inputs = check ? TensorMap() : AddInputs({4});
    ASSERT_TRUE((*worker)->Submit(check ? CheckCase(label) : AddCase({4}), inputs, 2).ok());
    EXPECT_EQ((*worker)->Wait().kind, Kind::kReplied);
    pids.push_back((*worker)->pid());
  }
  EXPECT_EQ(pids[0], pids[1]);
  EXPECT_EQ(pids[1], pids[2]);
  EXPECT_EQ(pids[2], pids[3]);
  EXPECT_NE(pids[3], pids[4]);
}

// The cases have damaged the library; its checks pass in a process of their own.
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
    EXPECT_EQ(outcome.reply.check().outcome(), v1::OUTCOME_PASS) << outcome.reply.ShortDebugString();
    EXPECT_EQ(outcome.stray_end.has_value(), false);
    EXPECT_EQ((*worker)->pid() != pid, damaged);
  }
}

TEST(LibraryChecks, ACrashIsReportedUnderTheNameOfTheCheck) {
  const Row crashes[] = {{kAsync, "cat_crashes", "last_error", v1::OUTCOME_CRASH, "SIGABRT"},
                         {kAsync, "unknown_crashes", "native_format_cast", v1::OUTCOME_CRASH, "SIGABRT"},
                         {kAsync, "hook_frees", "destruction_hook", v1::OUTCOME_CRASH, "SIGSEGV"}};
  for (const Row& row : crashes) {
#ifdef DIOPI_THREAD_SANITIZER  // whose allocator ends the process itself
    if (row.fault == "hook_frees") continue;
#endif
    WorkerOptions options = OptionsFor(row.vendor);
    options.environment = {"DIOPI_TEST_FAULT=" + row.fault};
    auto worker = Worker::Start(options);
    ASSERT_TRUE(worker.ok()) << worker.status();
    ASSERT_TRUE((*worker)->Submit(CheckCase(row.label), {}, 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    EXPECT_EQ(outcome.kind, Kind::kCrashed) << row.fault;
    EXPECT_EQ(outcome.signal_name, row.text);
    EXPECT_THAT(outcome.Text(), HasSubstr(row.text + " in library." + row.label));
  }
}

}  // namespace
}  // namespace diopi::loader
