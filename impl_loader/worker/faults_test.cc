// Every faulty library of impl_loader/testdata: what is reported, and that the next case still runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <ostream>
#include <string>

#include "cases/base/hash.h"
#include "cases/base/output_hash.h"
#include "cases/fill/fill.h"
#include "cases/findings/finding_text.h"
#include "impl_loader/worker/test_options.h"

namespace diopi::loader {
namespace {

using Kind = CallOutcome::Kind;
using std::chrono::milliseconds;
using testing::HasSubstr;

// The thread sanitizer holds a signal back until the next system call, which a library that hangs never
// makes.
#ifdef DIOPI_THREAD_SANITIZER
constexpr bool kHangsHaveBacktraces = false;
#else
constexpr bool kHangsHaveBacktraces = true;
#endif

struct Fault {
  std::string vendor;
  Kind kind = Kind::kReplied;
  std::string text;       // in the outcome's text, or the reply's
  std::string signal;     // crash
  std::string backtrace;  // contained in it
  double alpha = 1;
  v1::WorkerReply::Status status = v1::WorkerReply::RETURNED;
  int error_code = 0;
};

void PrintTo(const Fault& fault, std::ostream* os) {
  *os << fault.vendor;
}

class FaultTest : public testing::TestWithParam<Fault> {};

TEST_P(FaultTest, IsReportedAndTheNextCaseRuns) {
  const Fault& fault = GetParam();
  WorkerOptions options = OptionsFor(fault.vendor);
  if (fault.kind == Kind::kTimedOut) options.case_timeout = milliseconds(200);
  auto worker = Worker::Start(options);
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, fault.alpha), AddInputs({2, 3}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    EXPECT_EQ(outcome.kind, fault.kind) << outcome.Text();
    const bool replied = outcome.kind == Kind::kReplied;
    EXPECT_THAT(replied ? outcome.reply.text() : outcome.Text(), HasSubstr(fault.text));
    EXPECT_EQ(outcome.signal_name, fault.signal);
    ASSERT_EQ(outcome.ended.empty(), replied);
    if (!replied) {
      EXPECT_EQ(outcome.ended[0].code(), fault.kind == Kind::kCrashed    ? v1::Finding::SIGNALLED
                                         : fault.kind == Kind::kTimedOut ? v1::Finding::TIMED_OUT
                                                                         : v1::Finding::EXITED);
      EXPECT_EQ(outcome.ended[0].name(), "diopiAdd");
      EXPECT_EQ(outcome.ended[0].word(), fault.signal);
    }
    if (kHangsHaveBacktraces || outcome.kind != Kind::kTimedOut) {
      EXPECT_THAT(outcome.backtrace, HasSubstr(fault.backtrace));
    }
    EXPECT_EQ(outcome.reply.status(), fault.status);
    EXPECT_EQ(outcome.reply.error_code(), fault.error_code);
    EXPECT_TRUE(outcome.reply.findings().empty()) << outcome.reply.ShortDebugString();
  }
  ASSERT_TRUE((*worker)->Submit(NewCase("diopiSub"), {}, 2).ok());
  const CallOutcome absent = (*worker)->Wait();
  ASSERT_EQ(absent.kind, Kind::kReplied) << absent.Text();
  EXPECT_EQ(absent.reply.status(), v1::WorkerReply::SYMBOL_ABSENT);
}

INSTANTIATE_TEST_SUITE_P(
    All, FaultTest,
    testing::Values(
        Fault{"segfault", Kind::kCrashed, "SIGSEGV in diopiAdd at address 0x0", "SIGSEGV",
              "vendor_segfault.cc:"},
        Fault{"stack_overflow", Kind::kCrashed, "SIGSEGV in diopiAdd", "SIGSEGV",
              "vendor_stack_overflow.cc:"},
        Fault{"abort", Kind::kCrashed, "the moon is full", "SIGABRT", "vendor_abort.cc:"},
        Fault{"hang", Kind::kTimedOut, "diopiAdd timed out after 0.2 s", "", "vendor_hang.cc:"},
        Fault{"hang_locked", Kind::kTimedOut, "ignored SIGTERM", "", "vendor_hang_locked.cc:"},
        Fault{"hang_thread", Kind::kTimedOut, "diopiAdd timed out after 0.2 s", "", "vendor_hang_thread.cc:"},
        Fault{"hang_thread", Kind::kTimedOut, "", "", "OnTheOtherThread"},
        Fault{"exit", Kind::kExited, "the library ended the process (exit status 0) inside diopiAdd", "", ""},
        Fault{"throws", Kind::kReplied, "the accelerator is on fire", "", "", 1, v1::WorkerReply::EXCEPTION},
        Fault{"throws", Kind::kReplied, "int", "", "", 2, v1::WorkerReply::EXCEPTION},
        Fault{"noimplement", Kind::kReplied, "", "", "", 1, v1::WorkerReply::RETURNED, 13},
        Fault{"dtype", Kind::kReplied, "", "", "", 1, v1::WorkerReply::RETURNED, 1000},
        Fault{"error", Kind::kReplied, "out of cheese ?", "", "", 1, v1::WorkerReply::RETURNED, 1}),
    [](const testing::TestParamInfo<Fault>& param) {
      return param.param.vendor + "_" + std::to_string(param.index);
    });

struct Damage {
  std::string vendor;
  v1::Finding::Code kind;
  std::string key;
  int64_t index;
  int64_t count;
  double alpha = 1;
};

void PrintTo(const Damage& damage, std::ostream* os) {
  *os << damage.vendor;
}

class DamageTest : public testing::TestWithParam<Damage> {};

TEST_P(DamageTest, IsFound) {
  const Damage& damage = GetParam();
  auto worker = Worker::Start(OptionsFor(damage.vendor));
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, damage.alpha), AddInputs({2, 3}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
    ASSERT_EQ(outcome.reply.findings_size(), 1) << outcome.reply.ShortDebugString();
    const v1::Finding& finding = outcome.reply.findings(0);
    EXPECT_EQ(finding.code(), damage.kind) << FindingText(finding);
    EXPECT_EQ(finding.name(), damage.key);
    EXPECT_EQ(finding.index(), damage.index);
    EXPECT_EQ(finding.count(), damage.count);
    EXPECT_EQ(outcome.outputs.count("out"), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DamageTest,
    testing::Values(Damage{"null", v1::Finding::NOT_WRITTEN, "out", 0, 6},
                    Damage{"unwritten", v1::Finding::NOT_WRITTEN, "out", 5, 1},
                    Damage{"past_end", v1::Finding::WRITTEN_PAST_END, "out", 0, 64},
                    Damage{"before_start", v1::Finding::WRITTEN_BEFORE_START, "out", 4, 4},
                    Damage{"changed_input", v1::Finding::INPUT_CHANGED, "other", 1, 1},
                    Damage{"conform_device", v1::Finding::WRITTEN_PAST_END, "out", 0, 4, 3},
                    Damage{"overwrites_shape", v1::Finding::LAYOUT_OVERWRITTEN, "out", 0, 0}),
    [](const testing::TestParamInfo<Damage>& param) { return param.param.vendor; });

// Whether the hash after the first call is that of what the last one left.
bool IsUnchanged(const CallOutcome& outcome) {
  return outcome.hashes.at("out") == HashOutput(outcome.output_views.at("out").data);
}

// Nobody holds a copy of a large case's tensors: the worker makes the inputs, and a hash of the first call's
// output decides whether the second call's is compared element by element. What is found is the same, whether
// the tensors stay in the memory that the library sees or are copied out of it, and where the hash is left to
// the caller, who asks again once it differs.
TEST(Faults, AreFoundInLargeCasesWithoutCopies) {
  constexpr int64_t kElements = 400'000;
  v1::Case generated = AddCase({kElements}, 2);
  generated.set_generator_version(kBlockGeneratorVersion);
  const absl::StatusOr<TensorMap> inputs = FillInputs(generated);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  const struct {
    const char* vendor;
    std::optional<Damage> damage;
    const char* differs;
    double alpha = 2;
  } rows[] = {
      {"good", std::nullopt, ""},
      {"unwritten", Damage{"", v1::Finding::NOT_WRITTEN, "out", kElements - 1, 1}, ""},
      {"changed_input", Damage{"", v1::Finding::INPUT_CHANGED, "other", 1, 1}, ""},
      // Between the parts at which the worker looks after the first call: the second one's result differs.
      {"changed_input", Damage{"", v1::Finding::INPUT_CHANGED, "other", kElements / 2, 1},
       "1 of 400000 elements of out differs between two equal calls, the first at 200000", 3},
      {"past_end", Damage{"", v1::Finding::WRITTEN_PAST_END, "out", 0, 64}, ""},
      {"nondeterministic", std::nullopt,
       "1 of 400000 elements of out differs between two equal calls, the first at 1"},
  };
  for (size_t i = 0; i < 3 * std::size(rows); ++i) {
    const auto& row = rows[i / 3];
    CallOptions options;
    options.outputs = static_cast<CallOptions::Outputs>(i % 3);
    auto worker = Worker::Start(OptionsFor(row.vendor));
    ASSERT_TRUE(worker.ok()) << worker.status();
    v1::Case c = AddCase({kElements}, row.alpha);
    c.set_generator_version(kBlockGeneratorVersion);
    ASSERT_TRUE((*worker)->Submit(c, {}, options).ok());
    CallOutcome outcome = (*worker)->Wait();
    if (options.outputs == CallOptions::Outputs::kInPlaceUncompared) {
      const bool unwritten = row.damage.has_value() && row.damage->kind == v1::Finding::NOT_WRITTEN;
      EXPECT_EQ(IsUnchanged(outcome), *row.differs == '\0' && !unwritten) << row.vendor;
      EXPECT_TRUE(outcome.reply.differs().empty()) << row.vendor;
      options.outputs = CallOptions::Outputs::kInPlace;
      if (!IsUnchanged(outcome)) {
        ASSERT_TRUE((*worker)->Submit(c, {}, options).ok());
        outcome = (*worker)->Wait();
      }
    }
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
    ASSERT_EQ(outcome.reply.findings_size(), row.damage.has_value() ? 1 : 0) << row.vendor;
    if (row.damage.has_value()) {
      EXPECT_EQ(outcome.reply.findings(0).code(), row.damage->kind) << row.vendor;
      EXPECT_EQ(outcome.reply.findings(0).name(), row.damage->key);
      EXPECT_EQ(outcome.reply.findings(0).index(), row.damage->index);
      EXPECT_EQ(outcome.reply.findings(0).count(), row.damage->count);
    }
    EXPECT_THAT(FindingsText(outcome.reply.differs()), ::testing::HasSubstr(row.differs));
    EXPECT_EQ(!outcome.reply.differs().empty(), *row.differs != '\0') << row.vendor;
    const std::vector<float> a = Floats(inputs->at("input"));
    const std::vector<float> b = Floats(inputs->at("other"));
    const bool in_place = options.outputs != CallOptions::Outputs::kCopied;
    EXPECT_EQ(outcome.outputs.contains("out"), !in_place);
    EXPECT_EQ(outcome.input_views.size(), in_place && !row.damage.has_value() ? 2 : 0) << row.vendor;
    for (const auto& [key, view] : outcome.input_views) EXPECT_EQ(view.data, inputs->at(key).data);
    if (in_place) {
      const TensorView& view = outcome.output_views.at("out");
      outcome.outputs["out"] = view.Copy();
    }
    const std::string& data = outcome.outputs.at("out").data;
    const bool right = *row.differs == '\0' && !row.damage.has_value();
    EXPECT_TRUE(!right || outcome.hashes.at("out") == HashOutput(data)) << row.vendor;
    const std::vector<float> out = Floats(outcome.outputs.at("out"));
    ASSERT_EQ(out.size(), a.size());
    for (size_t k = 2; k + 1 < a.size(); ++k)
      ASSERT_EQ(out[k], a[k] + static_cast<float>(row.alpha) * b[k]) << row.vendor << " " << k;
  }
}

TEST(Faults, AnOverwrittenShapeIsNamedAndPutRight) {
  auto worker = Worker::Start(OptionsFor("overwrites_shape"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (const double alpha : {1.0, 2.0}) {
    ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, alpha), AddInputs({2, 3}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
    ASSERT_EQ(outcome.reply.findings_size(), 1) << outcome.reply.ShortDebugString();
    EXPECT_EQ(FindingText(outcome.reply.findings(0)),
              alpha == 1
                  ? "the library overwrote the shape array of out, which belongs to the host: (2, 3) became "
                    "(77, 77)"
                  : "the library overwrote the stride array of out, which belongs to the host: (3, 1) "
                    "became (77, 77)");
    EXPECT_EQ(Floats(outcome.outputs.at("out")), AddResult({2, 3}, alpha));
    EXPECT_TRUE(outcome.reply.differs().empty());
  }
}

// In whatever order the copies run, the case that forked is named, and the next one runs in a process that no
// copy shares.
TEST(Faults, AForkInsideACallIsReportedAndDoesNotHurtTheNextCase) {
  auto worker = Worker::Start(OptionsFor("forks"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (int round = 0; round < 20; ++round) {
    for (const double alpha : {1.0, 0.5, 2.0, 0.25, 3.0, 4.0, 0.125, 5.0}) {
      ASSERT_TRUE((*worker)->Submit(AddCase({4}, alpha), AddInputs({4}), 2).ok());
      const CallOutcome outcome = (*worker)->Wait();
      ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text() << outcome.backtrace;
      EXPECT_EQ(outcome.reply.error_code(), 0) << "a copy has the worker's descriptors";
      EXPECT_EQ(Floats(outcome.outputs.at("out")), AddResult({4}, alpha));
      EXPECT_EQ(outcome.reply.forked(), alpha == 1 || alpha == 4 ? v1::Finding::COPY_RETURNED
                                        : alpha == 2             ? v1::Finding::COPY_RUNS
                                                                 : v1::Finding::CODE_UNSPECIFIED)
          << alpha;
      EXPECT_EQ(outcome.stray_end.has_value(), false);
    }
  }
}

TEST(Faults, NothingPassesOnAnEmptyTensorButNothingIsWrongWithItEither) {
  auto worker = Worker::Start(OptionsFor("past_end"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({0, 3}), AddInputs({0, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.reply.findings_size(), 1) << outcome.reply.ShortDebugString();
  EXPECT_EQ(outcome.reply.findings(0).code(), v1::Finding::WRITTEN_PAST_END);
  EXPECT_EQ(outcome.reply.findings(0).index(), 0);
}

CallOutcome CallOn(const std::string& vendor, const v1::Case& c, const TensorMap& inputs,
                   const std::vector<std::string>& environment = {}, int calls = 2) {
  WorkerOptions options = OptionsFor(vendor);
  options.environment = environment;
  auto worker = Worker::Start(options);
  EXPECT_TRUE(worker.ok()) << worker.status();
  if (!worker.ok()) return {};
  EXPECT_TRUE((*worker)->Submit(c, inputs, calls).ok());
  CallOutcome outcome = (*worker)->Wait();
  EXPECT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
  return outcome;
}

TEST(Unwritten, IsNoFindingWhereNobodyJudgesTheOutput) {
  v1::Case c = AddCase({2, 3});
  v1::Judge* judge = c.add_judges();
  judge->set_output("out");
  for (const std::string vendor : {"null", "unwritten"}) {
    judge->set_kind(v1::Judge::EXACT);
    EXPECT_EQ(CallOn(vendor, c, AddInputs({2, 3})).reply.findings_size(), 1) << vendor;
    judge->set_kind(v1::Judge::NOT_JUDGED);
    const CallOutcome outcome = CallOn(vendor, c, AddInputs({2, 3}));
    EXPECT_EQ(outcome.reply.findings_size(), 0) << outcome.reply.ShortDebugString();
    EXPECT_TRUE(outcome.reply.differs().empty());
  }
  // Writes out of bounds are reported all the same.
  const CallOutcome past_end = CallOn("past_end", c, AddInputs({2, 3}));
  ASSERT_EQ(past_end.reply.findings_size(), 1) << past_end.reply.ShortDebugString();
  EXPECT_EQ(past_end.reply.findings(0).code(), v1::Finding::WRITTEN_PAST_END);
}

TEST(Unwritten, IsReportedWhereAnOutputMayStayUnwrittenAsAWhole) {
  v1::Case c = AddCase({2, 3});
  v1::Judge* judge = c.add_judges();
  judge->set_output("out");
  judge->set_kind(v1::Judge::EXACT);
  judge->set_may_stay_unwritten(true);
  for (const int calls : {2, 4}) {
    const CallOutcome whole = CallOn("null", c, AddInputs({2, 3}), {}, calls);
    EXPECT_EQ(whole.reply.calls(), calls);
    EXPECT_EQ(whole.reply.findings_size(), 0) << whole.reply.ShortDebugString();
    EXPECT_THAT(whole.reply.unwritten(), testing::ElementsAre("out"));
  }
  const CallOutcome in_part = CallOn("unwritten", c, AddInputs({2, 3}));
  ASSERT_EQ(in_part.reply.findings_size(), 1) << in_part.reply.ShortDebugString();
  EXPECT_EQ(in_part.reply.findings(0).code(), v1::Finding::NOT_WRITTEN);
  EXPECT_TRUE(in_part.reply.unwritten().empty());
  const CallOutcome written = CallOn("good", c, AddInputs({2, 3}));
  EXPECT_TRUE(written.reply.unwritten().empty());
}

TEST(Unwritten, IsFoundInMemoryThatTheLibraryAskedFor) {
  const v1::Case c = CaseBuilder("diopiMaskedSelect")
                         .LibraryOutput("out")
                         .Tensor("input", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {2}))
                         .Tensor("mask", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {2}))
                         .Done();
  const TensorMap inputs = {{"input", FloatTensor({2}, {1, 2})}, {"mask", FloatTensor({2}, {1, 1})}};
  const CallOutcome half = CallOn("library_output", c, inputs);
  ASSERT_EQ(half.reply.findings_size(), 1) << half.reply.ShortDebugString();
  EXPECT_EQ(half.reply.findings(0).code(), v1::Finding::NOT_WRITTEN);
  EXPECT_TRUE(half.reply.differs().empty()) << half.reply.ShortDebugString();
}

// diopiIndexPut of 8 elements at 6 and 1.
v1::Case IndexPutCase() {
  return CaseBuilder("diopiIndexPut")
      .Tensor("out", v1::ROLE_OUTPUT, Spec(v1::Dtype::float32, {8}))
      .Tensor("input", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {8}))
      .Tensor("values", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {2}))
      .Tensors("indices", v1::ROLE_INPUT, {Spec(v1::Dtype::int64, {2})})
      .Int("indices_counts", 1)
      .Bool("accumulate", true)
      .Done();
}

TensorMap IndexPutInputs() {
  const int64_t at[2] = {6, 1};
  return {{"input", FloatTensor({8}, {0, 1, 2, 3, 4, 5, 6, 7})},
          {"values", FloatTensor({2}, {10, 20})},
          {"indices.0", {v1::Dtype::int64, {2}, std::string(reinterpret_cast<const char*>(at), sizeof(at))}}};
}

TEST(Held, ALibraryMayRelyOnWhatTheCallerPutsIntoAnOutput) {
  v1::Case c = IndexPutCase();
  const CallOutcome poisoned = CallOn("fills", c, IndexPutInputs());
  ASSERT_EQ(poisoned.reply.findings_size(), 1) << poisoned.reply.ShortDebugString();
  EXPECT_EQ(poisoned.reply.findings(0).code(), v1::Finding::NOT_WRITTEN);

  c.mutable_args(0)->set_holds("input");
  const CallOutcome filled = CallOn("fills", c, IndexPutInputs());
  EXPECT_EQ(filled.reply.findings_size(), 0) << filled.reply.ShortDebugString();
  EXPECT_TRUE(filled.reply.differs().empty());
  EXPECT_EQ(Floats(filled.outputs.at("out")), (std::vector<float>{0, 21, 2, 3, 4, 5, 16, 7}));
  EXPECT_EQ(FindingsText(filled.reply.relied_on()),
            "the library relies on values that the caller puts into an output: 8 of 8 elements of out differ "
            "when the output holds something else before the call, the first at 0");

  // A library that relies on the copy is compared with a call that finds it, too.
  const CallOutcome counts = CallOn("fills", c, IndexPutInputs(), {"DIOPI_TEST_FAULT=counts"});
  EXPECT_FALSE(counts.reply.differs().empty());
  EXPECT_EQ(FindingsText(counts.reply.differs()),
            "2 of 8 elements of out differ between two equal calls, the first at 1; 12 of 12 further calls "
            "differ from the first");
}

// A strided output is filled between its gaps, not in them.
TEST(Held, TheGapsOfAStridedOutputStayPoison) {
  v1::Case c = IndexPutCase();
  c.mutable_args(0)->set_holds("input");
  c.mutable_args(0)->mutable_tensor()->set_strides(0, 2);
  c.mutable_args(0)->mutable_tensor()->set_storage_elements(16);
  const CallOutcome outcome = CallOn("fills", c, IndexPutInputs());
  // The library knows no strides: element 6 of the storage is element 3, element 1 is a gap.
  ASSERT_EQ(outcome.reply.findings_size(), 1) << outcome.reply.ShortDebugString();
  EXPECT_EQ(outcome.reply.findings(0).code(), v1::Finding::STRIDES_IGNORED);
  EXPECT_EQ(outcome.reply.findings(0).count(), 1);
  EXPECT_EQ(Floats(outcome.outputs.at("out")), (std::vector<float>{0, 1, 2, 13, 4, 5, 6, 7}));
}

TEST(Faults, WritingBetweenTheElementsOfAStridedOutputIsFound) {
  auto worker = Worker::Start(OptionsFor("ignores_strides"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  v1::Case c = AddCase({4});
  v1::TensorSpec* out = c.mutable_args(0)->mutable_tensor();
  out->set_strides(0, 2);
  out->set_storage_elements(8);
  ASSERT_TRUE((*worker)->Submit(c, AddInputs({4}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
  ASSERT_EQ(outcome.reply.findings_size(), 2) << outcome.reply.ShortDebugString();
  EXPECT_EQ(outcome.reply.findings(0).code(), v1::Finding::STRIDES_IGNORED);
  EXPECT_EQ(outcome.reply.findings(0).index(), 1);
  EXPECT_EQ(outcome.reply.findings(0).count(), 2);
  EXPECT_EQ(outcome.reply.findings(1).code(), v1::Finding::NOT_WRITTEN);
  EXPECT_EQ(outcome.reply.findings(1).index(), 2);
}

TEST(Faults, DifferentResultsOfEqualCallsAreNondeterministic) {
  auto worker = Worker::Start(OptionsFor("nondeterministic"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({4}), AddInputs({4}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
  EXPECT_FALSE(outcome.reply.differs().empty());
  EXPECT_EQ(FindingsText(outcome.reply.differs()),
            "1 of 4 elements of out differs between two equal calls, the first at 1; 12 of 12 further calls "
            "differ from the first");
  EXPECT_TRUE(outcome.reply.findings().empty());
}

TEST(Faults, ReadingOutsideATensorIsFoundThoughTheBytesThereHardlyMatter) {
  const CallOutcome outcome = CallOn("reads_past_end", AddCase({4}), AddInputs({4}));
  ASSERT_EQ(outcome.reply.findings_size(), 1) << outcome.reply.ShortDebugString();
  EXPECT_EQ(outcome.reply.findings(0).code(), v1::Finding::READS_OUTSIDE);
  EXPECT_EQ(outcome.reply.findings(0).name(), "other");
  ASSERT_EQ(outcome.reply.findings(0).parts_size(), 1);
  EXPECT_EQ(outcome.reply.findings(0).parts(0).code(), v1::Finding::CALLS_DIFFER);
  EXPECT_TRUE(outcome.reply.differs().empty());
}

TEST(Faults, OneWrongCallInFortyIsFoundOverTheCasesOfAFunction) {
  auto worker = Worker::Start(OptionsFor("rare_race"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  int found = 0;
  int calls = 0;
  for (int i = 0; i < 64; ++i) {
    v1::Case c = AddCase({4});
    c.set_id("add.float32.case_" + std::to_string(i));
    ASSERT_TRUE((*worker)->Submit(c, AddInputs({4}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
    calls += outcome.reply.calls();
    if (outcome.reply.differs().empty()) continue;
    ++found;
    EXPECT_THAT(FindingsText(outcome.reply.differs()),
                HasSubstr("of 12 further calls differ from the first"));
  }
  EXPECT_GT(calls, 2 * 64);
  EXPECT_GE(found,
            calls / 40 - 1);  // whichever call of a case is wrong
}

TEST(Faults, ReturningBeforeTheWorkIsDoneDoesNotLookLikeSuccess) {
  auto worker = Worker::Start(OptionsFor("unsynchronised"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({4}), AddInputs({4}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
  EXPECT_FALSE(outcome.reply.differs().empty()) << outcome.reply.ShortDebugString();
  EXPECT_THAT(FindingsText(outcome.reply.differs()), HasSubstr("still writing"));
}

TEST(Faults, AThreadThatAbortsLaterIsReportedAndDoesNotHurtTheResultsOfTheCaseThatRunsThen) {
  auto worker = Worker::Start(OptionsFor("late_abort"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  const int first_pid = (*worker)->pid();
  for (const double alpha : {1.0, 3.0, 2.0, 2.0}) {
    v1::Case c = AddCase({4}, alpha);
    c.set_id("add.alpha_" + std::to_string(static_cast<int>(alpha)));
    const int pid = (*worker)->pid();
    ASSERT_TRUE((*worker)->Submit(c, AddInputs({4}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text() << outcome.backtrace;
    EXPECT_EQ(Floats(outcome.outputs.at("out")), AddResult({4}, alpha));
    if (pid == (*worker)->pid()) {
      EXPECT_EQ(outcome.stray_end.has_value(), false);
      continue;
    }
    EXPECT_EQ(alpha, 2.0);
    EXPECT_EQ(outcome.signal_name, "SIGABRT");
    EXPECT_THAT(outcome.backtrace, HasSubstr("vendor_late_abort.cc:"));
    ASSERT_TRUE(outcome.stray_end.has_value());
    const v1::Finding& end = *outcome.stray_end;
    EXPECT_EQ(end.code(), v1::Finding::ENDED_BY_THREAD);
    EXPECT_EQ(end.word(), "ended_process");
    EXPECT_EQ(end.count(), 2);
    EXPECT_EQ(end.parts(0).code(), v1::Finding::SIGNALLED);
    EXPECT_EQ(end.parts(0).word(), "SIGABRT");
    EXPECT_TRUE(end.parts(0).exact()) << "on a thread of the library";
    EXPECT_THAT(FindingText(end),
                HasSubstr("ended the process while this case ran (SIGABRT in diopiAdd, on a "
                          "thread of the library"));
    EXPECT_THAT(FindingText(end), HasSubstr("Before it ran 2 cases, the last add.alpha_3; there were more "
                                            "threads than before after add.alpha_1"));
  }
  EXPECT_NE((*worker)->pid(), first_pid);  // it did abort
}

// Only a thread that an earlier case of the process left running excuses the case during which the process
// ended.
TEST(Faults, AnEndIsTheCasesOwnWithoutAThreadOfAnEarlierCase) {
  const std::string once = testing::TempDir() + "/abort_once_" + std::to_string(getpid());
  const struct {
    std::string vendor;
    std::vector<double> alphas;
    bool at_load;
    Kind kind;  // of the last case
  } rows[] = {{"late_abort", {1, 2}, false, Kind::kReplied},
              {"late_abort", {2}, true, Kind::kCrashed},
              {"exit", {41, 42}, false, Kind::kExited}};
  for (const auto& row : rows) {
    if (row.at_load) std::ofstream(once) << "once";
    WorkerOptions options = OptionsFor(row.vendor);
    options.environment = {"DIOPI_TEST_ABORT_ONCE=" + once};
    auto worker = Worker::Start(options);
    ASSERT_TRUE(worker.ok()) << worker.status();
    CallOutcome outcome;
    for (const double alpha : row.alphas) {
      EXPECT_EQ(outcome.kind, Kind::kReplied) << row.vendor;
      ASSERT_TRUE((*worker)->Submit(AddCase({4}, alpha), AddInputs({4}), 2).ok());
      outcome = (*worker)->Wait();
    }
    EXPECT_EQ(outcome.kind, row.kind) << row.vendor << " " << outcome.Text();
    EXPECT_EQ(outcome.stray_end.has_value(), row.kind == Kind::kReplied);
  }
}

TEST(Faults, AThreadThatEndsTheProcessBetweenTwoCasesIsReportedToo) {
  WorkerOptions options = OptionsFor("late_abort");
  options.environment = {"DIOPI_TEST_ABORT_ON_SIGUSR1=1"};
  auto worker = Worker::Start(options);
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({4}), AddInputs({4}), 2).ok());
  ASSERT_EQ((*worker)->Wait().kind, Kind::kReplied);
  const pid_t pid = (*worker)->pid();
  ASSERT_EQ(kill(pid, SIGUSR1), 0);
  WaitForEnd(pid);
  for (const bool first : {true, false}) {
    ASSERT_TRUE((*worker)->Submit(AddCase({4}), AddInputs({4}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
    EXPECT_EQ(outcome.signal_name, first ? "SIGABRT" : "");
    ASSERT_EQ(outcome.stray_end.has_value(), first);
    if (!first) continue;
    EXPECT_EQ(outcome.stray_end->code(), v1::Finding::ENDED_BEFORE);
    EXPECT_THAT(
        FindingText(*outcome.stray_end),
        testing::StartsWith("a thread that an earlier case left running ended the process before this "
                            "case began (SIGABRT, on a thread of the library"));
  }
}

TEST(Faults, MemoryThatAnEarlierCaseDamagedIsNotTheLaterOnesFault) {
  auto worker = Worker::Start(OptionsFor("late_crash"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (const double alpha : {2.0, 3.0, 1.0, 2.0, 1.0}) {
    const int pid = (*worker)->pid();
    ASSERT_TRUE((*worker)->Submit(AddCase({4}, alpha), AddInputs({4}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text() << outcome.backtrace;
    EXPECT_EQ(Floats(outcome.outputs.at("out")), AddResult({4}, alpha));
    EXPECT_EQ(outcome.stray_end.has_value(), pid != (*worker)->pid());
    if (!outcome.stray_end.has_value()) continue;
    EXPECT_EQ(alpha, 2.0);
    EXPECT_EQ(outcome.signal_name, "SIGSEGV");
    EXPECT_THAT(outcome.backtrace, HasSubstr("vendor_late_crash.cc:"));
    EXPECT_EQ(outcome.stray_end->code(), v1::Finding::ENDED_BY_DAMAGE);
    EXPECT_THAT(FindingText(*outcome.stray_end),
                HasSubstr("perhaps because of memory that an earlier case had damaged (SIGSEGV in "
                          "diopiAdd at address 0x0). Before it ran 3 cases"));
  }
}

TEST(Faults, ACrashInAProcessThatRanOtherCasesIsTheCasesOwnWhenItHappensAgain) {
  auto worker = Worker::Start(OptionsFor("abort"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(NewCase("diopiSub"), {}, 2).ok());
  ASSERT_EQ((*worker)->Wait().reply.status(), v1::WorkerReply::SYMBOL_ABSENT);
  ASSERT_TRUE((*worker)->Submit(AddCase({4}), AddInputs({4}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  EXPECT_EQ(outcome.kind, Kind::kCrashed);
  EXPECT_THAT(outcome.Text(), HasSubstr("SIGABRT in diopiAdd"));
  EXPECT_EQ(outcome.stray_end.has_value(), false);
}

TEST(Faults, MemoryThatGrowsWithEveryCallIsALeak) {
#if defined(__SANITIZE_ADDRESS__) || defined(DIOPI_THREAD_SANITIZER)
  GTEST_SKIP() << "the sanitizer's malloc keeps what was freed";
#endif
  auto worker = Worker::Start(OptionsFor("leak"));
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({4}), AddInputs({4}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.reply.findings_size(), 1) << outcome.reply.ShortDebugString();
  const v1::Finding& leak = outcome.reply.findings(0);
  EXPECT_EQ(leak.code(), v1::Finding::MEMORY_GROWS);
  EXPECT_GE(leak.count(), 8 << 20);
  EXPECT_LT(leak.count(), (8 << 20) + 65536);
}

struct BadStart {
  std::string vendor;
  std::string how;  // DIOPI_TEST_INIT
  absl::StatusCode code;
  std::string text;
};

TEST(Faults, LibrariesThatCannotBeLoadedSaySoAtTheStart) {
  for (const BadStart& bad :
       {BadStart{"missing_symbol", "", absl::StatusCode::kFailedPrecondition, "diopiNobodyHasThis"},
        BadStart{"init_fails", "", absl::StatusCode::kFailedPrecondition,
                 "initLibrary returned 7: no device"},
        BadStart{"init_fails", "crash", absl::StatusCode::kFailedPrecondition, "vendor_init_fails.cc"},
        BadStart{"init_fails", "killed", absl::StatusCode::kUnavailable, "SIGKILL in loading the library"},
        BadStart{"init_fails", "hang", absl::StatusCode::kDeadlineExceeded,
                 "loading the library timed out after 0.3 s"},
        BadStart{"does_not_exist", "", absl::StatusCode::kFailedPrecondition, "does_not_exist"}}) {
    WorkerOptions options = OptionsFor(bad.vendor);
    options.environment = {"DIOPI_TEST_INIT=" + bad.how};
    if (bad.how == "hang") options.load_timeout = milliseconds(300);
    const auto worker = Worker::Start(options);
    EXPECT_EQ(worker.status().code(), bad.code) << bad.vendor << " " << bad.how << ": " << worker.status();
    EXPECT_THAT(std::string(worker.status().message()), HasSubstr(bad.text));
  }
}

}  // namespace
}  // namespace diopi::loader
