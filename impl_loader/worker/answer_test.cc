#include "impl_loader/worker/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cases/core/library_checks.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "impl_loader/caller/checks.h"
#include "impl_loader/caller/test_cases.h"
#include "impl_loader/worker/shared_layout.h"

namespace diopi::loader {
namespace {

using ::testing::HasSubstr;
using Kind = CallOutcome::Kind;
using F = v1::Finding;

constexpr size_t kMemory = 64 << 10;
constexpr uint64_t kOutputBytes = 4096;

// A call in flight: diopiAdd of six numbers, or another case.
struct Flight {
  explicit Flight(v1::Case c, size_t gap = 0) {
    *call.mutable_case_() = std::move(c);
    call.set_sequence(5);
    call.set_output_offset(shared.data_offset());
    call.set_output_bytes(kOutputBytes);
    for (const auto& [key, tensor] : AddInputs({2, 3})) {
      views.push_back({key, tensor.dtype, tensor.shape, tensor.data.data(), tensor.data.size()});
    }
    frame = SharedFrame::Lay(call.case_(), views, gap, shared.frames());
    asked = {&call, std::chrono::seconds(30), false, false, &shared, frame.get(), nullptr, false};
    if (frame == nullptr) return;
    frame->Prepare();
    // As the worker does it, and the library.
    runtime::Arena arena;
    arena.Borrow(shared.frames(), kMemory, gap);
    diopiContext context{&arena, nullptr, {}};
    auto called = CallFrame::Build(*abi::FindFunction(call.case_().function()), call.case_(), views,
                                   v1::Dtype::unsupported, &context);
    if (called.ok()) (*called)->Prepare(kPoison[1]);
    for (const BoundTensor& bound : (*called)->tensors()) {
      if (bound.key == "out") out = bound.tensor.storage.mirror;
    }
  }

  CallOutcome Take(const std::function<void(v1::WorkerReply*)>& edit) const {
    v1::WorkerReply reply;
    reply.set_sequence(5);
    reply.set_calls(2);
    edit(&reply);
    return TakeAnswer(asked, std::move(reply));
  }

  SharedMemory shared = *SharedMemory::Create(kMemory, kMemory);
  v1::WorkerCall call;
  std::vector<InputView> views;
  std::unique_ptr<SharedFrame> frame;
  std::byte* out = nullptr;
  AskedCall asked;
};

v1::Case JudgedAdd(bool may_stay_unwritten = false) {
  v1::Case c = AddCase({2, 3});
  v1::Judge* judge = c.add_judges();
  judge->set_output("out");
  judge->set_kind(v1::Judge::EXACT);
  judge->set_may_stay_unwritten(may_stay_unwritten);
  return c;
}

v1::ShmTensor* AddOutput(const std::string& key, uint64_t bytes, v1::WorkerReply* reply) {
  v1::ShmTensor* output = reply->add_outputs();
  output->set_key(key);
  output->set_dtype(v1::Dtype::float32);
  output->add_shape(static_cast<int64_t>(bytes / 4));
  output->set_nbytes(bytes);
  return output;
}

struct ForgedReply {
  const char* why;  // part of the text
  std::function<void(v1::WorkerReply*)> edit;
};

TEST(TakeAnswer, WhatNoCallOfAFunctionAnswersIsNoAnswer) {
  const std::vector<ForgedReply> rows = {
      {"a different call", [](auto* r) { r->set_sequence(4); }},
      {"library check", [](auto* r) { r->mutable_check()->set_outcome(v1::OUTCOME_PASS); }},
      {"unknown status 77", [](auto* r) { r->set_status(static_cast<v1::WorkerReply::Status>(77)); }},
      {"cannot be called (no, really)",
       [](auto* r) {
         r->set_status(v1::WorkerReply::BAD_CASE);
         r->set_text("no, really");
       }},
      {"times", [](auto* r) { r->mutable_time()->set_calls(1); }},
      {"-1 calls", [](auto* r) { r->set_calls(-1); }},
      {"nan us", [](auto* r) { r->set_call_us(std::numeric_limits<double>::quiet_NaN()); }},
      {"1e+12 us", [](auto* r) { r->set_call_us(1e12); }},
      {"calls", [](auto* r) { r->set_calls_us(-1); }},
      {"calls", [](auto* r) { r->set_calls_cpu_us(std::numeric_limits<double>::infinity()); }},
      {"more than 64 findings",
       [](auto* r) {
         for (int i = 0; i < 33; ++i) {
           *r->add_findings() = Found(F::NOT_WRITTEN).Part(Found(F::NOT_WRITTEN));
         }
       }},
      {"more than 64 findings",
       [](auto* r) {
         for (int i = 0; i < 33; ++i) *r->add_findings() = Found(F::NOT_WRITTEN);
         for (int i = 0; i < 32; ++i) *r->add_relied_on() = Found(F::RELIES_ON_OUTPUT);
       }},
      {"the code 9999", [](auto* r) { r->add_findings()->set_code(static_cast<F::Code>(9999)); }},
      {"the code 0", [](auto* r) { r->add_findings(); }},
      {"the code 601", [](auto* r) { *r->add_findings() = Found(F::WAIVED_BY); }},
      {"the code 404", [](auto* r) { *r->add_findings() = Found(F::SIGNALLED); }},
      {"the code 700", [](auto* r) { *r->add_differs() = Found(F::HARNESS); }},
      {"the code 19", [](auto* r) { *r->add_relied_on() = Found(F::OF_OUTPUT); }},
      {"the code 500", [](auto* r) { *r->add_failed() = Found(F::LIBRARY_CHECK); }},
      {"the code 601", [](auto* r) { *r->add_differs() = Found(F::CALLS_DIFFER).Part(Found(F::WAIVED_BY)); }},
      {"within findings",
       [](auto* r) {
         *r->add_findings() =
             Found(F::READS_OUTSIDE).Part(Found(F::CALLS_DIFFER).Part(Found(F::CALLS_DIFFER)));
       }},
      {"impossible count", [](auto* r) { *r->add_findings() = Found(F::NOT_WRITTEN).Count(-1); }},
      {"impossible count", [](auto* r) { *r->add_findings() = Found(F::NOT_WRITTEN).Of(-1); }},
      {"impossible count", [](auto* r) { *r->add_findings() = Found(F::NOT_WRITTEN).Index(-1); }},
      {"or place",
       [](auto* r) { *r->add_findings() = Found(F::NOT_WRITTEN).Place(std::vector<int64_t>(17)); }},
      {"the word in words", [](auto* r) { *r->add_findings() = Found(F::NOT_WRITTEN).Word("in words"); }},
      {"the word xxx", [](auto* r) { *r->add_failed() = Found(F::STEP_FAILED).Word(std::string(65, 'x')); }},
      {"a copy of the code 300", [](auto* r) { r->set_forked(F::NOT_WRITTEN); }},
      {"input as an output", [](auto* r) { AddOutput("input", 24, r); }},
      {"out as an output twice",
       [](auto* r) {
         AddOutput("out", 24, r);
         AddOutput("out", 24, r);
       }},
      {"unknown element type 99",
       [](auto* r) { AddOutput("out", 24, r)->set_dtype(static_cast<v1::Dtype::Code>(99)); }},
      {"excuses out", [](auto* r) { r->add_unwritten("out"); }},
      {"as an unwritten output", [](auto* r) { r->add_unwritten("alpha\n"); }},
  };
  const Flight flight(JudgedAdd());
  for (const ForgedReply& row : rows) {
    const CallOutcome outcome = flight.Take(row.edit);
    EXPECT_EQ(outcome.kind, Kind::kNotAnAnswer) << row.why;
    EXPECT_THAT(outcome.Text(), HasSubstr(row.why));
    EXPECT_TRUE(outcome.outputs.empty()) << row.why;
  }
}

TEST(TakeAnswer, TextsOfFindingsArePrintableAndShort) {
  const Flight flight(JudgedAdd());
  const std::string bad = "a\n\x1b[31m";
  const CallOutcome outcome = flight.Take([&](v1::WorkerReply* reply) {
    *reply->add_findings() = Found(F::LAYOUT_OVERWRITTEN).Name(bad).Got(bad).Expected(std::string(999, 'x'));
    for (int i = 0; i < 3; ++i)
      *reply->add_failed() = Found(F::STEP_FAILED).Word("copy_in").Said(bad + std::string(9'000, 'x'));
  });
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
  const F& layout = outcome.reply.findings(0);
  EXPECT_EQ(layout.name(), "a ?[31m");
  EXPECT_EQ(layout.got(), "a ?[31m");
  EXPECT_EQ(layout.expected().size(), 256u);
  size_t said = 0;
  for (const F& finding : outcome.reply.failed()) said += finding.said().size();
  EXPECT_EQ(outcome.reply.failed(0).said().substr(0, 7), "a\n?[31m");
  EXPECT_LE(said, size_t{16} << 10);
}

TEST(TakeAnswer, OutputsComeFromTheFrameWhateverTheReplySays) {
  Flight flight(JudgedAdd());
  const std::vector<float> lies = {1, 2, 3, 4, 5, 6};
  flight.shared.Write(flight.shared.data_offset(), FloatTensor({6}, lies).data);
  const std::string left(24, static_cast<char>(kPoison[1]));
  for (const bool in_frame : {false, true}) {
    const CallOutcome outcome = flight.Take([&](v1::WorkerReply* reply) {
      v1::ShmTensor* output = AddOutput("out", 24, reply);
      output->set_offset(flight.shared.data_offset());
      output->set_in_frame(in_frame);
    });
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
    EXPECT_EQ(outcome.outputs.at("out").data, left);
  }
  EXPECT_EQ(flight.Take([](auto*) {}).outputs.at("out").data, left) << "without a word of it";
  EXPECT_TRUE(flight.Take([](auto* r) { r->set_error_code(1); }).outputs.empty());
}

TEST(TakeAnswer, AnExcusedOutputHoldsThePoison) {
  Flight flight(JudgedAdd(true));
  const auto excuse = [](v1::WorkerReply* reply) { reply->add_unwritten("out"); };
  EXPECT_EQ(flight.Take(excuse).kind, Kind::kReplied);
  flight.out[23] = std::byte{0};
  const CallOutcome outcome = flight.Take(excuse);
  EXPECT_EQ(outcome.kind, Kind::kNotAnAnswer);
  EXPECT_THAT(outcome.Text(), HasSubstr("something was written there"));
}

TEST(TakeAnswer, WhatTheLibraryAllocatesIsNoLargerThanTheCaseAllows) {
  const Flight flight(CaseBuilder("diopiNonzero")
                          .LibraryOutput("out")
                          .Tensor("input", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {2, 3}))
                          .Done());
  ASSERT_NE(flight.frame, nullptr);
  const auto placed = [&](uint64_t bytes, uint64_t offset, bool in_frame) {
    return flight.Take([&](v1::WorkerReply* reply) {
      v1::ShmTensor* output = AddOutput("out", bytes, reply);
      output->set_offset(offset);
      output->set_in_frame(in_frame);
    });
  };
  const uint64_t there = flight.shared.data_offset();
  EXPECT_EQ(placed(24, there, false).outputs.at("out").data, std::string(24, '\0'));
  EXPECT_THAT(placed(uint64_t{1} << 40, there, false).Text(), HasSubstr("an output of 1099511627776 bytes"));
  EXPECT_THAT(placed(24, there - 8, false).Text(), HasSubstr("where it cannot be"));
  EXPECT_THAT(placed(24, there, true).Text(), HasSubstr("in the memory that the library sees"));
}

TEST(TakeAnswer, WritesBeyondTheCanariesShowInTheGap) {
  Flight flight(JudgedAdd(), 16 << 10);
  EXPECT_EQ(flight.Take([](auto*) {}).reply.findings_size(), 0);
  flight.out[24 + 4096] ^= std::byte{1};
  const CallOutcome outcome = flight.Take([](auto*) {});
  ASSERT_EQ(outcome.reply.findings_size(), 1);
  EXPECT_EQ(FindingText(outcome.reply.findings(0)),
            "1 byte written outside out (24 bytes), starting 4096 bytes past its end");
}

TEST(TakeAnswer, ALibraryCheckHasItsResultAndNothingElse) {
  v1::Case c = cases::LibraryChecks().front();
  const Flight flight(c);
  const auto check = [](v1::Outcome outcome) {
    return [outcome](v1::WorkerReply* reply) {
      reply->clear_calls();
      reply->mutable_check()->set_outcome(outcome);
      *reply->mutable_check()->add_findings() = Found(F::LIBRARY_CHECK).Word("w").Said("a\x1b[31m");
    };
  };
  EXPECT_EQ(flight.Take(check(v1::OUTCOME_FAIL)).reply.check().findings(0).said(), "a?[31m");
  for (const F::Code code : {F::NOT_WRITTEN, F::HARNESS, F::SKIPPED_BY}) {
    const auto other = [&](v1::WorkerReply* reply) {
      check(v1::OUTCOME_FAIL)(reply);
      reply->mutable_check()->mutable_findings(0)->set_code(code);
    };
    EXPECT_THAT(flight.Take(other).Text(), HasSubstr("where none belongs"));
  }
  for (const v1::Outcome outcome : {v1::OUTCOME_WAIVED, v1::OUTCOME_UNSPECIFIED, v1::OUTCOME_HARNESS_ERROR,
                                    v1::OUTCOME_MEMORY, static_cast<v1::Outcome>(99)}) {
    EXPECT_EQ(flight.Take(check(outcome)).kind, Kind::kNotAnAnswer) << outcome;
  }
  EXPECT_THAT(flight.Take([](auto* r) { r->clear_calls(); }).Text(), HasSubstr("no result"));
  const auto more = [&](v1::WorkerReply* reply) {
    check(v1::OUTCOME_PASS)(reply);
    AddOutput("out", 4, reply);
  };
  EXPECT_THAT(flight.Take(more).Text(), HasSubstr("more than the result"));
}

TEST(TakeAnswer, TimesAreThoseThatWereAskedFor) {
  Flight flight(JudgedAdd());
  flight.call.mutable_time()->set_most_samples(2);
  const auto times = [&](int samples, uint64_t ns) {
    return flight.Take([&](v1::WorkerReply* reply) {
      for (int i = 0; i < samples; ++i) reply->mutable_time()->add_warm_ns(ns);
    });
  };
  EXPECT_EQ(times(2, 10).reply.time().warm_ns_size(), 2);
  EXPECT_THAT(times(3, 10).Text(), HasSubstr("3 and 0 samples"));
  EXPECT_THAT(times(1, 60'000'000'000).Text(), HasSubstr("above the call's limit"));
  const CallOutcome none = flight.Take([](auto* r) { r->set_status(v1::WorkerReply::BAD_CASE); });
  EXPECT_EQ(none.kind, Kind::kReplied) << "a call that cannot be measured";
}

TEST(CheckHello, TextsAreShortAndPrintable) {
  v1::WorkerHello hello;
  hello.set_vendor_name("evil\n\x1b]0;x\x07" + std::string(1000, 'x'));
  hello.add_missing_device_functions("a\tb");
  ASSERT_TRUE(CheckHello(0, &hello).ok());
  EXPECT_EQ(hello.vendor_name().substr(0, 11), "evil ?]0;x?");
  EXPECT_EQ(hello.vendor_name().size(), 256u);
  EXPECT_EQ(hello.missing_device_functions(0), "a b");
  hello.set_device_room(1);
  EXPECT_THAT(CheckHello(0, &hello).ToString(), HasSubstr("more room"));
  hello.Clear();
  hello.set_device_memory(true);
  EXPECT_THAT(CheckHello(0, &hello).ToString(), HasSubstr("without device functions"));
  hello.set_dialect("klingon");
  EXPECT_THAT(CheckHello(0, &hello).ToString(), HasSubstr("a dialect"));
  hello.Clear();
  for (int i = 0; i < 100; ++i) hello.add_missing_device_functions("f");
  EXPECT_THAT(CheckHello(0, &hello).ToString(), HasSubstr("misses 100"));
}

}  // namespace
}  // namespace diopi::loader
