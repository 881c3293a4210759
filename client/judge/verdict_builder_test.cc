#include "client/judge/verdict_builder.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "cases/base/hash.h"
#include "reports/render/measurements.h"

namespace diopi::agent {
namespace {

using Kind = loader::CallOutcome::Kind;

v1::Case AddCase() {
  v1::Case c;
  c.set_id("add.inplace_scalar.float32.small");
  c.set_hash("abc");
  c.set_operator_("add");
  c.set_variant("inplace_scalar");
  c.set_function("diopiAddInpScalar");
  c.set_dtype(v1::Dtype::float32);
  auto* input = c.add_args();
  input->set_name("input");
  input->set_role(v1::ROLE_INOUT);
  input->mutable_tensor()->set_dtype(v1::Dtype::float32);
  input->mutable_tensor()->add_shape(2);
  input->mutable_tensor()->add_shape(3);
  auto* list = c.add_args();
  list->set_name("tensors");
  list->set_role(v1::ROLE_INPUT);
  for (int i = 0; i < 2; ++i) list->mutable_tensors()->add_tensors()->set_dtype(v1::Dtype::bool_);
  list->mutable_tensors()->add_null(true);
  list->mutable_tensors()->add_null(false);
  auto* out = c.add_args();
  out->set_name("out");
  out->set_role(v1::ROLE_OUTPUT);
  out->mutable_tensor()->set_dtype(v1::Dtype::float32);
  c.add_judges()->set_output("input");
  return c;
}

loader::CallOutcome Ended(Kind kind, const std::string& text) {
  loader::CallOutcome outcome;
  outcome.kind = kind;
  outcome.text = text;
  outcome.signal_name = kind == Kind::kCrashed ? "SIGSEGV" : "";
  outcome.backtrace = kind == Kind::kCrashed ? "#0 diopiAddInpScalar" : "";
  outcome.exit_status = kind == Kind::kExited ? 7 : 0;
  return outcome;
}

loader::CallOutcome Replied(v1::WorkerReply::Status status, int code, const std::string& text) {
  loader::CallOutcome outcome;
  outcome.reply.set_status(status);
  outcome.reply.set_error_code(code);
  outcome.reply.set_text(text);
  outcome.reply.set_calls(2);
  outcome.reply.set_call_us(3.5);
  return outcome;
}

loader::CallOutcome WithFinding(v1::MemoryFinding::Kind kind, const std::string& text) {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  v1::MemoryFinding* finding = outcome.reply.add_findings();
  finding->set_kind(kind);
  finding->set_key("out");
  finding->set_count(64);
  finding->set_text(text);
  return outcome;
}

loader::CallOutcome Forked() {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  outcome.reply.set_forked("the process was forked");
  return outcome;
}

loader::CallOutcome Differing() {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  outcome.reply.set_nondeterministic(true);
  outcome.reply.set_nondeterministic_text("out differs at 3");
  return outcome;
}

loader::CallOutcome AfterStrayEnd(loader::CallOutcome outcome) {
  outcome.stray_end = "a thread left by add.first ended the process";
  outcome.signal_name = "SIGABRT";
  outcome.backtrace = "#0 abort";
  return outcome;
}

loader::CallOutcome OfCheck(v1::Outcome outcome, const std::string& reason) {
  loader::CallOutcome result;
  result.reply.mutable_check()->set_outcome(outcome);
  result.reply.mutable_check()->set_reason(reason);
  return result;
}

struct Row {
  const char* name;
  loader::CallOutcome outcome;
  v1::Outcome judged;  // the numbers' outcome; UNSPECIFIED: they must not be judged
  v1::Outcome expected;
  const char* reason;  // part of it
  bool may_differ = false;
  const char* op = "add";
};

std::vector<Row> Rows() {
  const auto returned = v1::WorkerReply::RETURNED;
  const auto none = v1::OUTCOME_UNSPECIFIED;
  return {
      {"right", Replied(returned, 0, ""), v1::OUTCOME_PASS, v1::OUTCOME_PASS, ""},
      {"wrong", Replied(returned, 0, ""), v1::OUTCOME_FAIL, v1::OUTCOME_FAIL, "numbers"},
      {"no reference", Replied(returned, 0, ""), v1::OUTCOME_HARNESS_ERROR, v1::OUTCOME_HARNESS_ERROR,
       "numbers"},
      {"segfault", Ended(Kind::kCrashed, ""), none, v1::OUTCOME_CRASH, "SIGSEGV in diopiAddInpScalar"},
      {"_exit", Ended(Kind::kExited, ""), none, v1::OUTCOME_CRASH, "exit status 7 in diopiAddInpScalar"},
      {"hang", Ended(Kind::kTimedOut, "killed after 2 s"), none, v1::OUTCOME_TIMEOUT, "killed after 2 s"},
      {"lost", Ended(Kind::kLost, "no worker"), none, v1::OUTCOME_HARNESS_ERROR, "no worker"},
      {"no answer", Ended(Kind::kNotAnAnswer, "it is not a message"), none, v1::OUTCOME_CRASH,
       "the worker's answer was not one: it is not a message"},
      {"absent", Replied(v1::WorkerReply::SYMBOL_ABSENT, 0, ""), none, v1::OUTCOME_NOT_IMPLEMENTED,
       "does not export diopiAddInpScalar"},
      {"NoImplement", Replied(returned, 13, ""), none, v1::OUTCOME_NOT_IMPLEMENTED, "diopiNoImplement"},
      {"fallback", Replied(returned, 14, ""), none, v1::OUTCOME_NOT_IMPLEMENTED, "diopiForceFallbackToCPU"},
      {"dtype", Replied(returned, 1000, ""), none, v1::OUTCOME_UNSUPPORTED_DTYPE, "diopiDtypeNotSupported"},
      {"error", Replied(returned, 1, "bad stride"), none, v1::OUTCOME_ERROR,
       "diopiErrorOccurred: bad stride"},
      {"unknown code", Replied(returned, 77, ""), none, v1::OUTCOME_ERROR, "the unknown error 77"},
      {"exception", Replied(v1::WorkerReply::EXCEPTION, 0, "std::runtime_error: no half"), none,
       v1::OUTCOME_ERROR, "std::runtime_error: no half"},
      {"sync", Replied(v1::WorkerReply::SYNC_FAILED, 0, "code 700"), none, v1::OUTCOME_ERROR, "code 700"},
      {"bad case", Replied(v1::WorkerReply::BAD_CASE, 0, "no arg"), none, v1::OUTCOME_HARNESS_ERROR,
       "no arg"},
      {"out of bounds", WithFinding(v1::MemoryFinding::OUT_OF_BOUNDS, ""), none, v1::OUTCOME_MEMORY,
       "wrote 64 bytes outside out"},
      {"unwritten", WithFinding(v1::MemoryFinding::UNWRITTEN, "out[5] unwritten"), none, v1::OUTCOME_MEMORY,
       "out[5] unwritten"},
      {"leak", WithFinding(v1::MemoryFinding::LEAK, ""), none, v1::OUTCOME_MEMORY, "leaks 64 bytes"},
      {"layout", WithFinding(v1::MemoryFinding::CHANGED_LAYOUT, ""), none, v1::OUTCOME_MEMORY,
       "overwrote the shape array of out"},
      {"forked", Forked(), none, v1::OUTCOME_CRASH, "inside diopiAddInpScalar the process was forked"},
      {"differs", Differing(), v1::OUTCOME_PASS, v1::OUTCOME_NONDETERMINISTIC, "out differs at 3"},
      {"differs and wrong", Differing(), v1::OUTCOME_FAIL, v1::OUTCOME_NONDETERMINISTIC, "numbers"},
      {"may differ", Differing(), v1::OUTCOME_PASS, v1::OUTCOME_PASS, "out differs at 3", true},
      {"may differ, wrong", Differing(), v1::OUTCOME_FAIL, v1::OUTCOME_FAIL, "numbers", true},
      {"right, after a stray end", AfterStrayEnd(Replied(returned, 0, "")), v1::OUTCOME_PASS,
       v1::OUTCOME_CRASH,
       "a thread left by add.first ended the process; by itself, in a fresh process: pass"},
      {"wrong, after a stray end", AfterStrayEnd(Replied(returned, 0, "")), v1::OUTCOME_FAIL,
       v1::OUTCOME_FAIL, "numbers; besides, a thread left by add.first ended the process"},
      {"library check", OfCheck(v1::OUTCOME_FAIL, "no name"), none, v1::OUTCOME_FAIL, "no name", false,
       "library"},
      {"library check, not judged", OfCheck(v1::OUTCOME_SKIPPED, "no version"), none, v1::OUTCOME_SKIPPED,
       "no version", false, "library"},
      {"a check for a function", OfCheck(v1::OUTCOME_PASS, ""), v1::OUTCOME_FAIL, v1::OUTCOME_FAIL,
       "numbers"},
  };
}

TEST(BuildVerdict, EveryOutcome) {
  for (const Row& row : Rows()) {
    v1::Case c = AddCase();
    c.set_operator_(row.op);
    c.mutable_judges(0)->set_may_be_nondeterministic(row.may_differ);
    bool asked = false;
    const v1::Verdict verdict = BuildVerdict(c, row.outcome, [&](const TensorMap&) {
      asked = true;
      v1::Verdict judged;
      judged.set_outcome(row.judged);
      judged.set_reason(row.judged == v1::OUTCOME_PASS ? "" : "numbers");
      judged.add_outputs()->set_key("input");
      judged.add_contracts("tf32");
      judged.add_readings("spread_nan");
      judged.set_likely_cause("alpha taken as 1");
      return judged;
    });
    EXPECT_EQ(verdict.outcome(), row.expected) << row.name;
    EXPECT_NE(verdict.reason().find(row.reason), std::string::npos) << row.name << ": " << verdict.reason();
    EXPECT_EQ(asked, row.judged != v1::OUTCOME_UNSPECIFIED) << row.name;
    EXPECT_EQ(verdict.outputs_size(), asked ? 1 : 0) << row.name;
    EXPECT_EQ(verdict.contracts_size(), asked ? 1 : 0) << row.name;
    EXPECT_EQ(verdict.readings_size(), asked ? 1 : 0) << row.name;
    EXPECT_EQ(verdict.likely_cause(), asked ? "alpha taken as 1" : "") << row.name;
    EXPECT_EQ(verdict.case_id(), c.id());
    EXPECT_EQ(verdict.case_hash(), "abc");
    EXPECT_EQ(verdict.function(), "diopiAddInpScalar");
    EXPECT_EQ(verdict.operator_(), row.op);
    if (row.expected != v1::OUTCOME_PASS) {
      EXPECT_FALSE(verdict.reason().empty()) << row.name;
    }
  }
}

// A dropout of four elements, as the worker saw it.
v1::Verdict RandomVerdict(const std::function<void(v1::Case*)>& edit, bool unmoved, bool differs) {
  v1::Case c;
  c.set_function("diopiDropout");
  c.add_judges()->set_kind(v1::Judge::RANDOM);
  const auto add = [&c](const char* name) {
    c.add_args()->set_name(name);
    return c.mutable_args(c.args_size() - 1);
  };
  add("p")->set_f(0.5);
  add("train")->set_b(true);
  add("generator")->mutable_generator()->set_seed(7);
  edit(&c);
  loader::CallOutcome outcome = differs ? Differing() : Replied(v1::WorkerReply::RETURNED, 0, "");
  outcome.reply.set_generator_unmoved(unmoved);
  outcome.outputs["out"] = HostTensor{v1::Dtype::float32, {4}, std::string(16, '\0')};
  return BuildVerdict(c, outcome, [](const TensorMap&) {
    v1::Verdict judged;
    judged.set_outcome(v1::OUTCOME_PASS);
    return judged;
  });
}

// A large output stays in memory that the library can write: what is judged must be what the call left there.
TEST(BuildVerdict, AnOutputThatChangesAfterTheCallIsNotDeterministic) {
  const std::string left = "what the library left";
  const struct {
    uint64_t hash;
    const char* handed;  // the library's bytes, of which an adaptor gives others to the judge; null: the same
    bool unchanged;
  } rows[] = {
      {0x12, nullptr, true},
      {0x34, nullptr, false},
      {Xxh64(left), left.c_str(), true},
      {Xxh64(left), "something else", false},
  };
  for (const auto& row : rows) {
    loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
    outcome.hashes["input"] = row.hash;
    if (row.handed != nullptr) outcome.outputs["input"] = HostTensor{v1::Dtype::uint8, {}, row.handed};
    const v1::Verdict verdict = BuildVerdict(AddCase(), outcome,
                                             [](const TensorMap&) {
                                               v1::Verdict judged;
                                               judged.set_outcome(v1::OUTCOME_PASS);
                                               v1::OutputStats* stats = judged.add_outputs();
                                               stats->set_key("input");
                                               stats->set_digest(Hex64(0x12));
                                               return judged;
                                             },
                                             {});
    EXPECT_EQ(verdict.outcome(), row.unchanged ? v1::OUTCOME_PASS : v1::OUTCOME_NONDETERMINISTIC);
    EXPECT_EQ(verdict.reason().empty(), row.unchanged) << verdict.reason();
  }
}

TEST(BuildVerdict, RandomFunctionsAdvanceTheGenerator) {
  const auto as_is = [](v1::Case*) {};
  EXPECT_EQ(RandomVerdict(as_is, false, false).outcome(), v1::OUTCOME_PASS);
  const v1::Verdict unmoved = RandomVerdict(as_is, true, false);
  EXPECT_EQ(unmoved.outcome(), v1::OUTCOME_FAIL);
  EXPECT_NE(unmoved.reason().find("draw the same numbers"), std::string::npos);
  // Nothing is left to chance, so the call need not draw.
  EXPECT_EQ(RandomVerdict([](v1::Case* c) { c->mutable_args(0)->set_f(0); }, true, false).outcome(),
            v1::OUTCOME_PASS);
  EXPECT_EQ(RandomVerdict([](v1::Case* c) { c->mutable_args(1)->set_b(false); }, true, false).outcome(),
            v1::OUTCOME_PASS);
  // Attention's generator is the caller's to advance.
  EXPECT_EQ(RandomVerdict([](v1::Case* c) { c->mutable_args(2)->set_name("gen"); }, true, false).outcome(),
            v1::OUTCOME_PASS);
}

HostTensor TwoNumbers(Dtype dtype, double first, double second) {
  HostTensor tensor{dtype, {2}, std::string(static_cast<size_t>(2 * ElementSize(dtype)), '\0')};
  StoreDouble(dtype, tensor.data.data(), 0, first);
  StoreDouble(dtype, tensor.data.data(), 1, second);
  return tensor;
}

// Two sequences with two tokens to choose from; the generators are not advanced.
v1::Outcome OutcomeOfTokens(const HostTensor& k, const HostTensor& finished) {
  constexpr Dtype kInt = v1::Dtype::int32, kFloat = v1::Dtype::float32;
  v1::Case c;
  c.set_function("diopiTopKSampling");
  c.add_judges()->set_kind(v1::Judge::RANDOM);
  c.mutable_judges(0)->set_distribution(v1::Judge::TOKENS);
  for (const auto& [name, value] : {std::pair{"batch_size", 2}, {"vocab_size_padded", 2}, {"step", 0}}) {
    v1::Argument* arg = c.add_args();
    arg->set_name(name);
    arg->set_i(value);
  }
  HostTensor logits = TwoNumbers(kFloat, 0, 1);
  logits.data += logits.data;
  logits.shape = {2, 2};
  const TensorMap inputs = {{"logits", logits},
                            {"output_ids", TwoNumbers(kInt, 0, 0)},
                            {"end_ids", TwoNumbers(kInt, 0, 0)},
                            {"runtime_top_p", TwoNumbers(kFloat, 1, 1)},
                            {"runtime_top_k", k},
                            {"finished", finished}};
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  outcome.reply.set_generator_unmoved(true);
  const auto pass = [](const TensorMap&) {
    v1::Verdict judged;
    judged.set_outcome(v1::OUTCOME_PASS);
    return judged;
  };
  return BuildVerdict(c, outcome, pass, inputs).outcome();
}

TEST(BuildVerdict, TokensThatChanceDoesNotDecideNeedNoGenerator) {
  constexpr Dtype kInt = v1::Dtype::int32, kBool = v1::Dtype::bool_;
  const HostTensor running = TwoNumbers(kBool, 0, 0);
  EXPECT_EQ(OutcomeOfTokens(TwoNumbers(kInt, 1, 2), running), v1::OUTCOME_FAIL);
  EXPECT_EQ(OutcomeOfTokens(TwoNumbers(kInt, 1, 1), running), v1::OUTCOME_PASS);
  EXPECT_EQ(OutcomeOfTokens(TwoNumbers(kInt, 1, 2), TwoNumbers(kBool, 0, 1)), v1::OUTCOME_PASS);
}

TEST(BuildVerdict, ALibrarysOwnGeneratorGoesOn) {
  const auto null = [](v1::Case* c) { c->mutable_args(2)->set_null(true); };
  EXPECT_EQ(RandomVerdict(null, false, true).outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(RandomVerdict([](v1::Case*) {}, false, true).outcome(), v1::OUTCOME_NONDETERMINISTIC);
}

TEST(BuildVerdict, CrashKeepsSignalAndBacktrace) {
  const auto verdict = BuildVerdict(AddCase(), Ended(Kind::kCrashed, ""), nullptr);
  EXPECT_EQ(verdict.signal(), "SIGSEGV");
  EXPECT_EQ(verdict.backtrace(), "#0 diopiAddInpScalar");
}

TEST(BuildVerdict, AStrayEndKeepsItsSignalAndBacktrace) {
  const auto verdict =
      BuildVerdict(AddCase(), AfterStrayEnd(Replied(v1::WorkerReply::RETURNED, 13, "")), nullptr);
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_CRASH);
  EXPECT_EQ(verdict.signal(), "SIGABRT");
  EXPECT_EQ(verdict.backtrace(), "#0 abort");
  EXPECT_NE(verdict.reason().find("by itself, in a fresh process: not_implemented, "), std::string::npos)
      << verdict.reason();
}

TEST(BuildVerdict, TextsAreUtf8) {
  const auto verdict =
      BuildVerdict(AddCase(), Replied(v1::WorkerReply::RETURNED, 1, "bad \xff byte"), nullptr);
  EXPECT_EQ(verdict.error_text(), "bad ? byte");
  EXPECT_NE(verdict.reason().find("bad ? byte"), std::string::npos);
}

TEST(VerdictBuilder, WhatALibraryReliesOnIsReportedAndNoFailure) {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  outcome.reply.add_relied_on("3 of 4 elements of out differ when it holds something else before the call");
  const v1::Verdict verdict = BuildVerdict(AddCase(), outcome, [](const TensorMap&) {
    v1::Verdict passed;
    passed.set_outcome(v1::OUTCOME_PASS);
    return passed;
  });
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(verdict.reason(),
            "the library relies on values that the caller puts into an output: 3 of 4 elements of out differ "
            "when it "
            "holds something else before the call");
}

TEST(VerdictBuilder, AnUnansweredQuestionForScratchMemoryIsNamed) {
  v1::Case c = AddCase();
  c.add_args()->set_scratch(v1::Dtype::float32);
  const v1::Verdict verdict =
      BuildVerdict(c, Replied(v1::WorkerReply::RETURNED, 0, "the library left it at -1"),
                   [](const TensorMap&) { return v1::Verdict(); });
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
  EXPECT_EQ(verdict.reason(), "the library left it at -1");
}

// Adaptor: converted tensors are reported and tagged; a case that it cannot convert is not called.
TEST(MarkAdapted, TellsWhatWasConverted) {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  const auto pass = [](const TensorMap&) {
    v1::Verdict verdict;
    verdict.set_outcome(v1::OUTCOME_PASS);
    return verdict;
  };
  v1::Verdict verdict = BuildVerdict(AddCase(), outcome, pass);
  MarkAdapted(outcome, &verdict);  // the adaptor had nothing to do
  EXPECT_FALSE(verdict.adapted());
  EXPECT_EQ(verdict.variant(), "inplace_scalar");
  EXPECT_EQ(verdict.reason(), "");
  outcome.adapted = {"input float64 as float32"};
  outcome.rounded = {"1 of 3 elements of input rounded"};
  verdict = BuildVerdict(AddCase(), outcome, pass);
  MarkAdapted(outcome, &verdict);
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS);
  EXPECT_TRUE(verdict.adapted());
  EXPECT_EQ(verdict.reason(), "");
  EXPECT_EQ(reports::AdaptedText(verdict),
            "through the adaptor: input float64 as float32, 1 of 3 elements of input rounded");
  outcome.not_adaptable = "1 of 3 elements of input do not fit in int32";
  verdict = BuildVerdict(AddCase(), outcome, pass);
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_SKIPPED);
  EXPECT_EQ(verdict.reason(),
            "not called: the adaptor cannot convert the case: 1 of 3 elements of input do not fit in int32");
  const loader::CallOutcome crash = Ended(Kind::kCrashed, "SIGSEGV in diopiAdd");
  verdict = BuildVerdict(AddCase(), crash, pass);
  MarkAdapted(crash, &verdict);
  EXPECT_EQ(verdict.reason(), "SIGSEGV in diopiAdd");
  EXPECT_EQ(reports::AdaptedText(verdict), "through the adaptor");
}

TEST(TensorInfo, ListsWhatIsPassedIn) {
  EXPECT_EQ(TensorInfo(AddCase()), "[(input, float32, (2, 3)), (tensors.1, bool, ())]");
}

}  // namespace
}  // namespace diopi::agent
