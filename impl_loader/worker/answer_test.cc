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
#include "impl_loader/caller/checks.h"
#include "impl_loader/caller/test_cases.h"
#include "impl_loader/worker/shared_layout.h"

namespace diopi::loader {
namespace {

using ::testing::HasSubstr;
using Kind = CallOutcome::Kind;

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
      {"65 findings",
       [](auto* r) {
         for (int i = 0; i < 65; ++i) r->add_findings()->set_count(1);
       }},
      {"unknown kind 77",
       [](auto* r) { r->add_findings()->set_kind(static_cast<v1::MemoryFinding::Kind>(77)); }},
      {"counts nothing", [](auto* r) { r->add_findings(); }},
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
      {"relies on",
       [](auto* r) {
         for (int i = 0; i < 99; ++i) r->add_relied_on("out");
       }},
  };
  const Flight flight(JudgedAdd());
  for (const ForgedReply& row : rows) {
    const CallOutcome outcome = flight.Take(row.edit);
    EXPECT_EQ(outcome.kind, Kind::kNotAnAnswer) << row.why;
    EXPECT_THAT(outcome.text, HasSubstr(row.why));
    EXPECT_TRUE(outcome.outputs.empty()) << row.why;
  }
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
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.text;
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
  EXPECT_THAT(outcome.text, HasSubstr("something was written there"));
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
  EXPECT_THAT(placed(uint64_t{1} << 40, there, false).text, HasSubstr("an output of 1099511627776 bytes"));
  EXPECT_THAT(placed(24, there - 8, false).text, HasSubstr("where it cannot be"));
  EXPECT_THAT(placed(24, there, true).text, HasSubstr("in the memory that the library sees"));
}

TEST(TakeAnswer, WritesBeyondTheCanariesShowInTheGap) {
  Flight flight(JudgedAdd(), 16 << 10);
  EXPECT_EQ(flight.Take([](auto*) {}).reply.findings_size(), 0);
  flight.out[24 + 4096] ^= std::byte{1};
  const CallOutcome outcome = flight.Take([](auto*) {});
  ASSERT_EQ(outcome.reply.findings_size(), 1);
  EXPECT_EQ(outcome.reply.findings(0).text(),
            "1 bytes written outside out (24 bytes), the first 4096 bytes past its end");
}

TEST(TakeAnswer, ALibraryCheckHasItsResultAndNothingElse) {
  v1::Case c = cases::LibraryChecks().front();
  const Flight flight(c);
  const auto check = [](v1::Outcome outcome) {
    return [outcome](v1::WorkerReply* reply) {
      reply->clear_calls();
      reply->mutable_check()->set_outcome(outcome);
      reply->mutable_check()->set_reason("a\x1b[31m");
    };
  };
  EXPECT_EQ(flight.Take(check(v1::OUTCOME_FAIL)).reply.check().reason(), "a?[31m");
  for (const v1::Outcome outcome : {v1::OUTCOME_WAIVED, v1::OUTCOME_UNSPECIFIED, v1::OUTCOME_HARNESS_ERROR,
                                    v1::OUTCOME_MEMORY, static_cast<v1::Outcome>(99)}) {
    EXPECT_EQ(flight.Take(check(outcome)).kind, Kind::kNotAnAnswer) << outcome;
  }
  EXPECT_THAT(flight.Take([](auto* r) { r->clear_calls(); }).text, HasSubstr("no result"));
  const auto more = [&](v1::WorkerReply* reply) {
    check(v1::OUTCOME_PASS)(reply);
    AddOutput("out", 4, reply);
  };
  EXPECT_THAT(flight.Take(more).text, HasSubstr("more than the result"));
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
  EXPECT_THAT(times(3, 10).text, HasSubstr("3 and 0 samples"));
  EXPECT_THAT(times(1, 60'000'000'000).text, HasSubstr("above the call's limit"));
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
