#include "client/judge/verdict_builder.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "cases/base/hash.h"
#include "cases/findings/finding.h"
#include "reports/render/measurements.h"

namespace diopi::agent {
namespace {

using Kind = loader::CallOutcome::Kind;
using F = v1::Finding;

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

loader::CallOutcome Ended(Kind kind, F how) {
  loader::CallOutcome outcome;
  outcome.kind = kind;
  outcome.ended = {std::move(how)};
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

loader::CallOutcome WithFinding(F::Code code) {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  *outcome.reply.add_findings() = Found(code).Name("out").Count(64).Of(99);
  return outcome;
}

loader::CallOutcome Forked() {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  outcome.reply.set_forked(F::COPY_RUNS);
  return outcome;
}

loader::CallOutcome Differing() {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  *outcome.reply.add_differs() = Found(F::CALLS_DIFFER).Name("out").Count(1).Of(4).Index(3);
  return outcome;
}

loader::CallOutcome SyncFailed() {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::SYNC_FAILED, 0, "");
  *outcome.reply.add_failed() = Found(F::STEP_FAILED).Word("copy_in").Got("700").Said("lost it");
  return outcome;
}

loader::CallOutcome AfterStrayEnd(loader::CallOutcome outcome) {
  outcome.stray_end = Found(F::ENDED_BY_DAMAGE).Part(Found(F::SIGNALLED).Word("SIGABRT").Name("diopiAdd"));
  outcome.signal_name = "SIGABRT";
  outcome.backtrace = "#0 abort";
  return outcome;
}

loader::CallOutcome OfCheck(v1::Outcome outcome, const std::string& said) {
  loader::CallOutcome result;
  result.reply.mutable_check()->set_outcome(outcome);
  *result.reply.mutable_check()->add_findings() = Found(F::LIBRARY_CHECK).Word("a_check").Said(said);
  return result;
}

struct Row {
  const char* name;
  loader::CallOutcome outcome;
  v1::Outcome judged;  // the numbers' outcome; UNSPECIFIED: they must not be judged
  v1::Outcome expected;
  std::vector<F::Code> codes;
  const char* reason;  // part of it
  bool may_differ = false;
  const char* op = "add";
};

std::vector<Row> Rows() {
  const auto returned = v1::WorkerReply::RETURNED;
  const auto none = v1::OUTCOME_UNSPECIFIED;
  return {
      {"right", Replied(returned, 0, ""), v1::OUTCOME_PASS, v1::OUTCOME_PASS, {}, ""},
      {"wrong",
       Replied(returned, 0, ""),
       v1::OUTCOME_FAIL,
       v1::OUTCOME_FAIL,
       {F::OF_OUTPUT},
       "the whole output is NaN"},
      {"no reference",
       Replied(returned, 0, ""),
       v1::OUTCOME_HARNESS_ERROR,
       v1::OUTCOME_HARNESS_ERROR,
       {F::OF_OUTPUT},
       "the whole output is NaN"},
      {"segfault",
       Ended(Kind::kCrashed, Found(F::SIGNALLED).Word("SIGSEGV").Name("diopiAdd")),
       none,
       v1::OUTCOME_CRASH,
       {F::SIGNALLED},
       "SIGSEGV in diopiAdd"},
      {"_exit",
       Ended(Kind::kExited, Found(F::EXITED).Name("diopiAdd").Got("7")),
       none,
       v1::OUTCOME_CRASH,
       {F::EXITED},
       "(exit status 7) inside diopiAdd"},
      {"hang",
       Ended(Kind::kTimedOut, Found(F::TIMED_OUT).Name("diopiAdd").Limit("2")),
       none,
       v1::OUTCOME_TIMEOUT,
       {F::TIMED_OUT},
       "diopiAdd timed out after 2 s"},
      {"lost",
       Ended(Kind::kLost, Found(F::WORKER_LOST).Said("no memory")),
       none,
       v1::OUTCOME_HARNESS_ERROR,
       {F::WORKER_LOST},
       "the worker was lost: no memory"},
      {"no answer",
       Ended(Kind::kNotAnAnswer, Found(F::NOT_AN_ANSWER).Said("it is not a message")),
       none,
       v1::OUTCOME_CRASH,
       {F::NOT_AN_ANSWER},
       "the worker's answer was invalid: it is not a message"},
      {"absent",
       Replied(v1::WorkerReply::SYMBOL_ABSENT, 0, ""),
       none,
       v1::OUTCOME_NOT_IMPLEMENTED,
       {F::NOT_EXPORTED},
       "does not export diopiAddInpScalar"},
      {"NoImplement",
       Replied(returned, 13, ""),
       none,
       v1::OUTCOME_NOT_IMPLEMENTED,
       {F::RETURNED},
       "diopiNoImplement"},
      {"fallback",
       Replied(returned, 14, ""),
       none,
       v1::OUTCOME_NOT_IMPLEMENTED,
       {F::RETURNED},
       "diopiForceFallbackToCPU"},
      {"dtype",
       Replied(returned, 1000, ""),
       none,
       v1::OUTCOME_UNSUPPORTED_DTYPE,
       {F::RETURNED},
       "diopiDtypeNotSupported"},
      {"error",
       Replied(returned, 1, "bad stride"),
       none,
       v1::OUTCOME_ERROR,
       {F::RETURNED},
       "diopiErrorOccurred: bad stride"},
      {"unknown code",
       Replied(returned, 77, ""),
       none,
       v1::OUTCOME_ERROR,
       {F::RETURNED},
       "diopiAddInpScalar returned 77"},
      {"exception",
       Replied(v1::WorkerReply::EXCEPTION, 0, "std::runtime_error: no half"),
       none,
       v1::OUTCOME_ERROR,
       {F::THREW},
       "std::runtime_error: no half"},
      {"sync",
       SyncFailed(),
       none,
       v1::OUTCOME_ERROR,
       {F::STEP_FAILED},
       "copying the inputs to the device failed with 700: lost it"},
      {"sync, unexplained",
       Replied(v1::WorkerReply::SYNC_FAILED, 0, ""),
       none,
       v1::OUTCOME_ERROR,
       {F::SYNC_FAILED},
       "synchronising the stream failed"},
      {"bad case",
       Replied(v1::WorkerReply::BAD_CASE, 0, "no arg"),
       none,
       v1::OUTCOME_HARNESS_ERROR,
       {F::CALL_IMPOSSIBLE},
       "no arg"},
      {"out of bounds",
       WithFinding(F::WRITTEN_PAST_END),
       none,
       v1::OUTCOME_MEMORY,
       {F::WRITTEN_PAST_END},
       "64 bytes written outside out (99 bytes)"},
      {"unwritten",
       WithFinding(F::NOT_WRITTEN),
       none,
       v1::OUTCOME_MEMORY,
       {F::NOT_WRITTEN},
       "64 of 99 elements of out were not written"},
      {"leak",
       WithFinding(F::MEMORY_GROWS),
       none,
       v1::OUTCOME_MEMORY,
       {F::MEMORY_GROWS},
       "by 64 bytes a call"},
      {"forked",
       Forked(),
       none,
       v1::OUTCOME_CRASH,
       {F::COPY_RUNS},
       "inside diopiAddInpScalar the process was forked, and the copy still runs"},
      {"differs",
       Differing(),
       v1::OUTCOME_PASS,
       v1::OUTCOME_NONDETERMINISTIC,
       {F::CALLS_DIFFER},
       "1 of 4 elements of out differs between two equal calls, the first at 3"},
      {"differs and wrong",
       Differing(),
       v1::OUTCOME_FAIL,
       v1::OUTCOME_NONDETERMINISTIC,
       {F::CALLS_DIFFER, F::LAST_WRONG},
       "; the last result is wrong: input: the whole output is NaN"},
      {"may differ",
       Differing(),
       v1::OUTCOME_PASS,
       v1::OUTCOME_PASS,
       {F::CALLS_DIFFER},
       "1 of 4 elements of out differ",
       true},
      {"may differ, wrong",
       Differing(),
       v1::OUTCOME_FAIL,
       v1::OUTCOME_FAIL,
       {F::OF_OUTPUT, F::CALLS_DIFFER},
       "the whole output is NaN; 1 of 4 elements of out differ",
       true},
      {"right, after a stray end",
       AfterStrayEnd(Replied(returned, 0, "")),
       v1::OUTCOME_PASS,
       v1::OUTCOME_CRASH,
       {F::ENDED_BY_DAMAGE, F::BY_ITSELF},
       "had damaged (SIGABRT in diopiAdd); by itself, in a fresh process: pass"},
      {"wrong, after a stray end",
       AfterStrayEnd(Replied(returned, 0, "")),
       v1::OUTCOME_FAIL,
       v1::OUTCOME_FAIL,
       {F::OF_OUTPUT, F::BESIDES},
       "the whole output is NaN; in addition, the process ended while"},
      {"library check",
       OfCheck(v1::OUTCOME_FAIL, "no name"),
       none,
       v1::OUTCOME_FAIL,
       {F::LIBRARY_CHECK},
       "no name",
       false,
       "library"},
      {"library check, not judged",
       OfCheck(v1::OUTCOME_SKIPPED, "no version"),
       none,
       v1::OUTCOME_SKIPPED,
       {F::LIBRARY_CHECK},
       "no version",
       false,
       "library"},
      {"a check for a function",
       OfCheck(v1::OUTCOME_PASS, ""),
       v1::OUTCOME_FAIL,
       v1::OUTCOME_FAIL,
       {F::OF_OUTPUT},
       "the whole output is NaN"},
  };
}

std::vector<F::Code> CodesOf(const v1::Verdict& verdict) {
  std::vector<F::Code> codes;
  for (const F& finding : verdict.findings()) codes.push_back(finding.code());
  return codes;
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
      if (row.judged != v1::OUTCOME_PASS)
        *judged.add_findings() = Found(F::OF_OUTPUT).Name("input").Part(Found(F::WHOLE_NAN));
      judged.add_outputs()->set_key("input");
      judged.add_contracts("tf32");
      judged.add_readings("spread_nan");
      *judged.mutable_cause() = Found(F::TAKEN_AS).Name("alpha").Expected("1");
      return judged;
    });
    EXPECT_EQ(verdict.outcome(), row.expected) << row.name;
    EXPECT_NE(verdict.reason().find(row.reason), std::string::npos) << row.name << ": " << verdict.reason();
    EXPECT_EQ(CodesOf(verdict), row.codes) << row.name;
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

// Where the output lies in an input's memory, a library may refuse the call; it may not crash.
TEST(BuildVerdict, ARefusedOverlapIsRight) {
  v1::Case c = AddCase();
  c.mutable_args(0)->set_role(v1::ROLE_OUTPUT);
  c.mutable_args(0)->mutable_tensor()->set_same_as("other");  // any other argument
  const auto outcome_of = [&](v1::WorkerReply::Status status, int32_t code) {
    return BuildVerdict(c, Replied(status, code, ""), nullptr).outcome();
  };
  EXPECT_EQ(outcome_of(v1::WorkerReply::RETURNED, 1), v1::OUTCOME_PASS);
  EXPECT_EQ(outcome_of(v1::WorkerReply::RETURNED, 13), v1::OUTCOME_NOT_IMPLEMENTED);
  EXPECT_EQ(outcome_of(v1::WorkerReply::EXCEPTION, 1), v1::OUTCOME_ERROR);
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
  EXPECT_EQ(unmoved.cause().code(), F::GENERATOR_STILL);
  EXPECT_EQ(unmoved.likely_cause(), "the generator is not advanced");
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
  const auto verdict = BuildVerdict(AddCase(), Ended(Kind::kCrashed, Found(F::SIGNALLED)), nullptr);
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

// What a library appends to its message, at any depth, is shown once.
TEST(MakeVerdict, BacktracesAreNotPartOfFindings) {
  const F threw = Found(F::THREW).Name("diopiAdd").Said("no half\nException raised from here\nframe #0: add");
  for (const F& finding : {threw, F(Found(F::LIBRARY_CHECK).Said("in a check").Part(threw))}) {
    const v1::Verdict verdict = MakeVerdict(AddCase(), v1::OUTCOME_ERROR, {finding});
    EXPECT_EQ(verdict.backtrace(), "Exception raised from here\nframe #0: add");
    EXPECT_EQ(verdict.reason().find("raised"), std::string::npos) << verdict.reason();
    EXPECT_NE(verdict.reason().find("threw a C++ exception: no half"), std::string::npos);
  }
}

TEST(HarnessError, HasAWord) {
  const v1::Verdict verdict = HarnessError(AddCase(), "no_baseline", "no usable baseline");
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_HARNESS_ERROR);
  EXPECT_EQ(verdict.findings(0).code(), F::HARNESS);
  EXPECT_EQ(verdict.findings(0).word(), "no_baseline");
  EXPECT_EQ(verdict.reason(), "no usable baseline");
}

TEST(VerdictBuilder, WhatALibraryReliesOnIsReportedAndNoFailure) {
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  *outcome.reply.add_relied_on() = Found(F::RELIES_ON_OUTPUT).Name("out").Count(3).Of(4);
  const v1::Verdict verdict = BuildVerdict(AddCase(), outcome, [](const TensorMap&) {
    v1::Verdict passed;
    passed.set_outcome(v1::OUTCOME_PASS);
    return passed;
  });
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS);
  EXPECT_EQ(verdict.reason(),
            "the library relies on values that the caller puts into an output: 3 of 4 elements of out differ "
            "when the output holds something else before the call");
}

TEST(VerdictBuilder, AnUnansweredQuestionForScratchMemoryIsNamed) {
  v1::Case c = AddCase();
  c.add_args()->set_scratch(v1::Dtype::float32);
  loader::CallOutcome outcome = Replied(v1::WorkerReply::RETURNED, 0, "");
  *outcome.reply.add_failed() = Found(F::SCRATCH_SIZE).Name("workspace").Count(5);
  const v1::Verdict verdict = BuildVerdict(c, outcome, [](const TensorMap&) { return v1::Verdict(); });
  EXPECT_EQ(verdict.outcome(), v1::OUTCOME_FAIL);
  EXPECT_EQ(verdict.reason(), "the library asks for 5 elements of workspace");
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
  const loader::CallOutcome crash =
      Ended(Kind::kCrashed, Found(F::SIGNALLED).Word("SIGSEGV").Name("diopiAdd"));
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
