#include "reports/evaluation/evaluation.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding.h"
#include "reports/evaluation/spec.h"
#include "reports/performance/performance_testing.h"
#include "reports/render/golden_testing.h"

namespace diopi::reports {
namespace {

v1::Verdict VerdictOf(const std::string& op, const std::string& function, v1::Outcome outcome, int index,
                      const std::string& grade = "") {
  v1::Verdict verdict;
  verdict.set_case_id(absl::StrCat(op, ".float32.case_", index));
  verdict.set_case_hash(absl::StrCat("hash", index));
  verdict.set_operator_(op);
  verdict.set_function(function);
  verdict.set_outcome(outcome);
  verdict.set_call_us(index);
  if (!grade.empty()) verdict.add_outputs()->set_grade(grade);
  return verdict;
}

v1::RunInfo RunOn(const std::string& id, const std::string& chip) {
  v1::RunInfo run;
  run.set_run_id(id);
  run.set_state(v1::RUN_STATE_FINISHED);
  run.set_created("2026-11-20T10:15:02Z");
  run.set_finished("2026-11-20T10:16:02Z");
  run.set_suite_hash("5a17e");
  v1::RunOptions& options = *run.mutable_options();
  options.set_chip(chip);
  options.set_impl_path("/opt/lib.so");
  options.set_impl_sha256("0123");
  options.set_vendor_name("Acme <R&D>");
  options.set_impl_version("2.1");
  options.set_dialect("conform_test");
  options.set_agent_version("0.1.0");
  options.set_host("lab7");
  v1::Machine& machine = *options.mutable_machine();
  machine.set_system("Debian GNU/Linux 12 (bookworm)");
  machine.set_kernel("Linux 6.1.0-28-amd64 x86_64");
  machine.set_processor("AMD EPYC 9654 96-Core Processor");
  machine.set_processors(192);
  machine.set_memory_bytes(int64_t{540573122560});
  for (int i = 0; i < 3; ++i) {
    v1::Machine::Gpu& gpu = *machine.add_gpus();
    gpu.set_name(i < 2 ? "NVIDIA H100 80GB HBM3" : "Tesla T4");
    gpu.set_driver("550.54.15");
    if (i == 2) break;
    gpu.set_memory_mib(81559);
    gpu.set_power_limit_w(700);
    gpu.set_clock_mhz(1980);
    gpu.set_memory_clock_mhz(2619);
  }
  options.set_repeat(2);
  options.set_timeout_s(30);
  for (const char* name : {"diopiAdd", "diopiAddInp", "diopiExp", "diopiRelu"}) options.add_implemented(name);
  return run;
}

v1::ModelsPage PageOf(const std::string& text) {
  v1::ModelsPage page;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &page));
  return page;
}

EvaluationInput MakeInput() {
  std::vector<v1::Verdict> results = {
      VerdictOf("add", "diopiAdd", v1::OUTCOME_PASS, 1, "A"),
      VerdictOf("add", "diopiAdd", v1::OUTCOME_PASS, 2, "C"),
      VerdictOf("add", "diopiAddInp", v1::OUTCOME_FAIL, 3, "D"),
      VerdictOf("add", "diopiAddInp", v1::OUTCOME_FAIL, 4),
      VerdictOf("exp", "diopiExp", v1::OUTCOME_CRASH, 5),
      VerdictOf("exp", "diopiExp", v1::OUTCOME_WAIVED, 6),
      VerdictOf("relu", "diopiRelu", v1::OUTCOME_NOT_IMPLEMENTED, 7),
      VerdictOf("library", "", v1::OUTCOME_PASS, 8),
  };
  for (const size_t i : {size_t{2}, size_t{3}}) {
    *results[i].add_findings() =
        Found(v1::Finding::OF_OUTPUT)
            .Name("out")
            .Part(Found(v1::Finding::WRONG_ELEMENTS).Count(static_cast<int64_t>(i)).Of(9));
    *results[i].mutable_cause() =
        Found(v1::Finding::CONSISTENT_WITH).Part(Found(v1::Finding::TAKEN_AS).Name("alpha").Expected("1"));
    Describe(&results[i]);
  }
  *results[4].add_findings() = Found(v1::Finding::SIGNALLED).Name("diopiExp").Word("SIGSEGV");
  Describe(&results[4]);
  results[5].set_reason("waived: erratum 12");  // an agent up to 0.9 had no findings
  EvaluationInput input;
  input.report = BuildReport(RunOn("r1", "e1"), results);
  input.suite = {{"diopiAdd", {"add", "elementwise"}},
                 {"diopiAddInp", {"add", "elementwise"}},
                 {"diopiExp", {"exp", "elementwise"}},
                 {"diopiRelu", {"relu", "activation"}}};
  input.report.coverage.set_with_cases(static_cast<int64_t>(input.suite.size()));
  input.models = ModelsOf(PageOf(R"(chips: "e1"
                                    models { name: "ready"
                                             cells { ready: true calls: 5 passing: 5 } }
                                    models { name: "small"
                                             cells { passes_scaled: true calls: 5 passing: 5 scaled: 2
                                                     max_tensor_bytes: 16384 } }
                                    models { name: "unready"
                                             cells { calls: 9 passing: 4 failing: 3 not_implemented: 2
                                                     failing_functions: [ "diopiAdd", "diopiExp" ]
                                                     missing_functions: "diopiRelu" } })"),
                          "e1");
  input.generated = "2026-11-21T00:00:00Z";
  input.tool_version = "0.1.0";
  return input;
}

const GroupCoverage& Named(const std::vector<GroupCoverage>& groups, const std::string& name) {
  for (const GroupCoverage& group : groups) {
    if (group.name == name) return group;
  }
  ADD_FAILURE() << "no " << name;
  return groups.front();
}

TEST(Evaluate, CoverageByHeaderAndFamily) {
  const Evaluation evaluation = Evaluate(MakeInput());
  int64_t functions = 0;
  int64_t implemented = 0;
  for (const GroupCoverage& header : evaluation.headers) {
    functions += header.functions;
    implemented += header.implemented;
  }
  EXPECT_EQ(functions, 538);
  EXPECT_EQ(implemented, 3);  // diopiRelu is exported and says NoImplement
  ASSERT_EQ(evaluation.families.size(), 2u);
  const GroupCoverage& elementwise = Named(evaluation.families, "elementwise");
  EXPECT_EQ(elementwise.functions, 3);
  EXPECT_EQ(elementwise.tested, 3);
  EXPECT_EQ(elementwise.passing, 1);
  const GroupCoverage& activation = Named(evaluation.families, "activation");
  EXPECT_EQ(activation.implemented, 0);
  EXPECT_EQ(activation.tested, 0);
}

TEST(Evaluate, ModelsOfOneChip) {
  const v1::ModelsPage matrix = PageOf(R"(chips: "a" chips: "b"
                                          models { name: "one" cells {} cells { calls: 1 } }
                                          models { name: "two" cells { calls: 2 } cells {} }
                                          models { name: "six" cells {} cells { calls: 6 } })");
  const std::vector<ModelResult> models = ModelsOf(matrix, "b");
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].name, "one");
  EXPECT_EQ(models[1].cell.calls(), 6);
  EXPECT_TRUE(ModelsOf(matrix, "c").empty());
}

TEST(Evaluate, OperatorsAndGrades) {
  const Evaluation evaluation = Evaluate(MakeInput());
  ASSERT_EQ(evaluation.operators.size(), 4u);  // library, relu, add, exp: by family
  const OperatorResult& add = evaluation.operators[2];
  EXPECT_EQ(add.op, "add");
  EXPECT_EQ(add.called, 4);
  EXPECT_EQ(add.passed, 2);
  EXPECT_EQ(add.grades.counts, (std::array<int64_t, 4>{1, 0, 1, 1}));
  EXPECT_EQ(evaluation.operators[3].waived, 1);
  EXPECT_EQ(evaluation.grades.graded(), 3);
}

// Times count only where both runs passed the same case, by its hash.
TEST(Evaluate, TimesBesideAReferenceRun) {
  EvaluationInput input = MakeInput();
  std::vector<v1::Verdict> results = {
      VerdictOf("add", "diopiAdd", v1::OUTCOME_PASS, 1),     // 1 us here as there
      VerdictOf("add", "diopiAdd", v1::OUTCOME_PASS, 2),     // made 0.5 us below
      VerdictOf("add", "diopiAddInp", v1::OUTCOME_PASS, 3),  // failed on the chip
      VerdictOf("exp", "diopiExp", v1::OUTCOME_PASS, 5),
  };
  results[1].set_call_us(0.5);
  input.reference = BuildReport(RunOn("r0", "h200"), results);
  const Evaluation evaluation = Evaluate(input);
  ASSERT_EQ(evaluation.times.size(), 1u);
  EXPECT_EQ(evaluation.times[0].op, "add");
  EXPECT_EQ(evaluation.times[0].cases, 2);
  EXPECT_DOUBLE_EQ(evaluation.times[0].chip_us, 3);
  EXPECT_DOUBLE_EQ(evaluation.times[0].reference_us, 1.5);
  EXPECT_DOUBLE_EQ(evaluation.times[0].ratio, 2);  // sqrt(1 * 4)
  results[0].set_case_hash("another");
  results[1].set_call_us(0);
  input.reference = BuildReport(RunOn("r0", "h200"), results);
  EXPECT_TRUE(absl::StrContains(WriteMarkdown(EvaluationDocument(Evaluate(input))),
                                "run r0 has no case that passed in both runs and whose time was measured"));
}

// A dtype a line would make each known issue ten lines high.
TEST(EvaluationDocument, KnownIssuesNameFewDtypes) {
  std::vector<v1::Verdict> results;
  for (const v1::Dtype::Code dtype :
       {v1::Dtype::float16, v1::Dtype::float32, v1::Dtype::float64, v1::Dtype::bfloat16}) {
    results.push_back(VerdictOf("add", "diopiAdd", v1::OUTCOME_FAIL, static_cast<int>(dtype)));
    results.back().set_dtype(dtype);
    results.back().set_likely_cause("one cause");
  }
  EvaluationInput input = MakeInput();
  input.report = BuildReport(RunOn("r1", "e1"), results);
  const std::string text = WriteMarkdown(EvaluationDocument(Evaluate(std::move(input))));
  EXPECT_TRUE(absl::StrContains(text, "| `add` | **fail** | float16, float32 and 2 more | 4 | one cause |"))
      << text;
  EXPECT_TRUE(absl::StrContains(text, "4 cases, float16, float32, float64, bfloat16")) << text;
}

// A chart of three hundred operators is no summary.
TEST(EvaluationDocument, TheSummaryShowsTheSlowestOperators) {
  std::vector<v1::Verdict> results;
  std::vector<v1::Verdict> reference;
  for (int i = 1; i <= 25; ++i) {
    reference.push_back(VerdictOf(absl::StrCat("op", i), "diopiAdd", v1::OUTCOME_PASS, 1));
    results.push_back(reference.back());
    results.back().set_call_us(i);
  }
  EvaluationInput input = MakeInput();
  input.report = BuildReport(RunOn("r1", "e1"), results);
  input.reference = BuildReport(RunOn("r0", "h200"), reference);
  const std::string text = WriteMarkdown(EvaluationDocument(Evaluate(std::move(input))));
  EXPECT_TRUE(absl::StrContains(text, "h200: the 20 slowest of 25 operators. Section 5.1 has all.")) << text;
  EXPECT_TRUE(absl::StrContains(text, "| --- | ---: | ---: |\n| op25 | 2500 | 25.00 |\n| op24 |")) << text;
  EXPECT_FALSE(absl::StrContains(text, "| op5 | 500 |"));
  EXPECT_TRUE(absl::StrContains(text, "| `op5` | 1 | 5.0 | 1.0 | 5.00 |")) << text;
}

// A value that was not measured never looks like a figure.
TEST(EvaluationDocument, NothingMeasuredIsSaidSo) {
  EvaluationInput input;
  input.report = BuildReport(RunOn("r1", "e1"), {});
  const std::string text = WriteMarkdown(EvaluationDocument(Evaluate(std::move(input))));
  for (const char* line : {
           "> No verdict: nothing was tested.",
           "No case was called, so nothing is known about the results.",
           "No model's calls were tested.",
           "| Specification | Compute | not measured: not submitted |",
           "| Specification | Energy efficiency | not measured: not submitted |",
           ("| Software | Openness to other programming models | not measured: this suite calls the DIOPI "
            "ABI "
            "only |"),
           "| Function | Called cases that pass | not measured |",
           "| Function | Functions that pass every case, of those tested | not measured |",
           "| Function | Operators that pass every called case | not measured |",
           "| Function | Grade against NVIDIA, cases | not measured |",
           "| Function | Models | not measured: no run has the suite of a model |",
           "| Performance | Operators: time of a call over the reference's | not measured |",
           "> Not measured: no run measured this library's calls (diopi-agent --performance).",
           "> Not measured: no run of a reference chip was given to compare with.",
           "| Performance | Operators: calls measured | not measured |",
           "| Performance | Models | not measured |",
           "| Performance | Communication | not measured: this suite calls one device |",
       }) {
    EXPECT_TRUE(absl::StrContains(text, line)) << line;
  }
  EXPECT_FALSE(absl::StrContains(text, "100.00 %"));
}

// A buyer reads the first page only.
TEST(EvaluationDocument, TheCoverSaysTheVerdictInWords) {
  EvaluationInput input = MakeInput();
  input.publication = {"Example lab", "Ann Author", "2"};
  input.failures = {"report.html.failures.csv", "abc0"};
  Document document = EvaluationDocument(Evaluate(input));
  EXPECT_EQ(document.running_head, "Evaluation of e1 · Example lab · 2 · r1");
  std::string text = WriteMarkdown(document);
  for (const char* line : {
           "> Fails: 2 of 3 tested functions.",
           "> Complete: all 8 cases of suite core have a verdict.",
           ("The ABI has 538 functions. The library exports 3 of them; 3 were tested, and 1 gave a correct "
            "result in every case."),
           "Called: 6 of 7 cases (85.71 %); not\\_implemented 1.",
           "2 of 6 called cases gave correct results (33.33 %).",
           "The others have 2 causes or symptoms; section 4.4 lists them.",
           ("Ready for 1 of 3 models: ready. All calls of these pass, but not at their true sizes: small (2 "
            "of 5 "
            "calls were scaled to 16 KiB a tensor)."),
           "| Lab | Example lab |",
           "| Tested by | Ann Author |",
           "Every failure is in the file report.html.failures.csv that goes with this report, SHA-256 abc0.",
       }) {
    EXPECT_TRUE(absl::StrContains(text, line)) << line;
  }
  input.report = BuildReport(RunOn("r1", "e1"), {VerdictOf("add", "diopiAdd", v1::OUTCOME_PASS, 1)});
  input.models.resize(1);
  text = WriteMarkdown(EvaluationDocument(Evaluate(input)));
  for (const char* line :
       {"> Passes: the only tested function.", "The only case called gave a correct result.",
        "Ready for 1 of 1 models: ready."}) {
    EXPECT_TRUE(absl::StrContains(text, line)) << line << text.substr(0, 900);
  }
}

// {passed, failed} of each bin that is not empty, by the bin's upper bound.
std::map<double, std::pair<int64_t, int64_t>> Filled(const std::vector<ErrorBin>& bins) {
  std::map<double, std::pair<int64_t, int64_t>> filled;
  for (const ErrorBin& bin : bins) {
    if (bin.passed + bin.failed > 0) filled[bin.up_to] = {bin.passed, bin.failed};
  }
  return filled;
}

// MakeInput with errors: NaN where an output has none of that kind.
EvaluationInput InputWithErrors() {
  EvaluationInput input = MakeInput();
  std::vector<v1::Verdict> results = input.report.results;
  const auto measure = [&results](size_t i, v1::Dtype::Code dtype, double ulp, double z) {
    v1::OutputStats& stats = *results[i].add_outputs();
    stats.set_dtype(dtype);
    stats.set_max_ulp(ulp);
    stats.set_max_z(z);
    if (!std::isnan(ulp)) stats.add_ulp_histogram(1);
  };
  measure(0, v1::Dtype::float32, 0, 0);
  measure(0, v1::Dtype::float32, 0.5, 1.7);  // the worse of the two
  measure(0, v1::Dtype::float16, 0.5, NAN);  // the same case, another dtype
  measure(1, v1::Dtype::float32, 3, NAN);
  measure(1, v1::Dtype::int64, NAN, NAN);
  measure(2, v1::Dtype::float32, 1e9, 1e6);  // fails
  measure(4, v1::Dtype::float32, 7, 7);      // a crash has no error
  input.report = BuildReport(RunOn("r1", "e1"), results);
  return input;
}

TEST(Evaluate, ErrorsAreCountedByDtypeAndByTheWorstOutput) {
  const Evaluation evaluation = Evaluate(InputWithErrors());
  using Counts = std::map<double, std::pair<int64_t, int64_t>>;
  ASSERT_EQ(evaluation.errors.size(), 2u);  // int64 has no ulps
  std::map<v1::Dtype::Code, const DtypeErrors*> errors;
  for (const DtypeErrors& of_dtype : evaluation.errors) errors[of_dtype.dtype] = &of_dtype;
  EXPECT_EQ(Filled(errors.at(v1::Dtype::float32)->ulp),
            (Counts{{0.5, {1, 0}}, {4, {1, 0}}, {HUGE_VAL, {0, 1}}}));
  EXPECT_EQ(Filled(errors.at(v1::Dtype::float32)->z), (Counts{{2, {1, 0}}, {HUGE_VAL, {0, 1}}}));
  EXPECT_EQ(Filled(errors.at(v1::Dtype::float16)->ulp), (Counts{{0.5, {1, 0}}}));
  EXPECT_TRUE(errors.at(v1::Dtype::float16)->z.empty());
  EXPECT_TRUE(Evaluate(MakeInput()).errors.empty());
}

TEST(EvaluationDocument, ErrorsByDtype) {
  const Document document = EvaluationDocument(Evaluate(InputWithErrors()));
  const std::string text = WriteMarkdown(document);
  for (const char* line : {"### Errors by dtype", "|  |  | none | ≤ 0.5 | ≤ 1 | ≤ 2 | ≤ 4 |",
                           "| float32 | pass | 0 | 1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0 |",
                           "| float32 | fail | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |",
                           "| float16 | pass | 0 | 1 | 0 |", "in units of that noise (z)",
                           "2 failures have no error and are in no chart (1 fail, 1 crash): the calls"}) {
    EXPECT_TRUE(absl::StrContains(text, line)) << line << text;
  }
  EXPECT_TRUE(absl::StrContains(WriteHtml(document), ">largest error of a case, ulp</text>"));
}

// The attachment has each failure in a line of its own.
TEST(FailureTable, HasEveryFailure) {
  const std::string csv = WriteCsv(FailureTable(MakeInput().report));
  EXPECT_TRUE(
      absl::StrContains(csv,
                        "add.float32.case_4,diopiAddInp,fail,consistent with alpha taken as 1,out: 3 of 9 "
                        "elements differ; consistent with alpha taken as 1,diopi-cli repro "
                        "add.float32.case_4 --impl lib.so\r\n"))
      << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);  // the header, two fails and a crash; no waiver
}

// What is ready is on the cover; the summary's table is for what is not.
TEST(EvaluationDocument, TheSummaryListsOnlyModelsThatAreNotReady) {
  EvaluationInput input = MakeInput();
  std::string text = WriteMarkdown(EvaluationDocument(Evaluate(input)));
  EXPECT_TRUE(absl::StrContains(text,
                                "| --- | --- |\n| `small` | 2 of 5 calls were scaled to 16 KiB a tensor |\n| "
                                "`unready` | **failing: diopiAdd diopiExp; missing: diopiRelu** |\n"))
      << text;
  EXPECT_TRUE(absl::StrContains(text, "| `unready` | 9 | 4 | **3** | 2 | 0 | 0 | **not ready** |")) << text;
  EXPECT_TRUE(absl::StrContains(text, "| `small` | 5 | 5 | 0 | 0 | 0 | 2 | passes scaled |")) << text;
  input.models.resize(1);
  text = WriteMarkdown(EvaluationDocument(Evaluate(input)));
  EXPECT_TRUE(absl::StrContains(text, "Nothing: the chip is ready for every model that it ran.")) << text;
}

TEST(EvaluationDocument, SaysWhereTheFailuresAre) {
  EvaluationInput input = MakeInput();
  input.failures = {"e1.pdf.failures.csv", "abc0", true};
  EXPECT_TRUE(absl::StrContains(
      WriteMarkdown(EvaluationDocument(Evaluate(input))),
      "Every failure is in the file e1.pdf.failures.csv that is attached to this document, SHA-256 abc0."));
}

TEST(EvaluationDocument, MeasuredCallsHaveASection) {
  EvaluationInput input = MakeInput();
  server::StoredPerformance stored;
  stored.measurements = {MakeMeasurement("add.float32.n", "diopiAdd", {{10, 11, 12}, {10, 10, 13}}),
                         MakeMeasurement("exp.float32.n", "diopiExp", {})};
  stored.measurements[0].mutable_work()->set_read_bytes(4e5);
  stored.measurements[0].mutable_work()->set_operations(1e5);
  stored.measurements[0].mutable_rounds(0)->add_cold_ns(20'000);
  *stored.measurements[1].mutable_refused() =
      Found(v1::Finding::CASE_FAILED).Name("exp.float32.n").Got("fail");
  v1::MachineFacts& machine = stored.machine.emplace();
  machine.set_processor("A processor <x>");
  machine.set_copy_bytes_per_s(80e9);
  v1::MeasuredRate* rate = machine.add_products();
  rate->set_dtype(v1::Dtype::float32);
  rate->set_operations_per_s(1e12);
  input.performance = *MakePerformanceReport(stored, MeasuredRoofline(machine), nullptr, nullptr, "");
  const Document document = EvaluationDocument(Evaluate(std::move(input)));
  const std::string text = WriteMarkdown(document);
  for (const char* line :
       {"## 5 Performance test", "Machine: A processor &lt;x>.", "### 5.3 Roofline",
        "| `add` | 1 | 1 | 10.5 | 25.0 % |", "| `exp` | 1 | 0 |  | unknown |", "1 of 2 calls were not timed.",
        "| Performance | Operators: calls measured | 1 of 2 (50.00 %) |", "## 6 Indicators"}) {
    EXPECT_TRUE(absl::StrContains(text, line)) << line;
  }
  const std::string html = WriteHtml(document);
  EXPECT_TRUE(absl::StrContains(html, "<svg"));
  EXPECT_TRUE(absl::StrContains(html, "<title>diopiAdd : 20 us</title>"));
  EXPECT_TRUE(absl::StrContains(html, "<polyline"));
}

// Whatever is in the document: 1, 1.1, 1.2, ..., and sections that a text names exist.
TEST(EvaluationDocument, SectionsAreNumberedAsTheyCome) {
  for (const bool measured : {false, true}) {
    EvaluationInput input = MakeInput();
    if (measured) input.performance.emplace();
    if (measured) input.spec.emplace();
    const Document document = EvaluationDocument(Evaluate(std::move(input)));
    int section = 0, part = 0;
    bool numbered = false;
    for (const Block& block : document.blocks) {
      const auto* heading = std::get_if<Heading>(&block);
      if (heading == nullptr) continue;
      if (heading->level == 2) {
        numbered = absl::StartsWith(heading->text, absl::StrCat(section + 1, " "));
        section += numbered ? 1 : 0;
        part = 0;
      } else if (numbered) {
        EXPECT_TRUE(absl::StartsWith(heading->text, absl::StrCat(section, ".", ++part, " ")))
            << heading->text;
      }
    }
    EXPECT_EQ(section, 6);
    EXPECT_EQ(part, 0);
    const std::string text = WriteMarkdown(document);
    for (const char* named : {"### 4.4 Known issues", "### 4.6 Models"})
      EXPECT_TRUE(absl::StrContains(text, named)) << named;
    EXPECT_TRUE(absl::StrContains(text, measured ? "### 5.5 Comparison with" : "### 5.1 Comparison with"))
        << text;
  }
}

TEST(EvaluationDocument, HowOftenCasesWereCalled) {
  EvaluationInput input = MakeInput();
  input.report.results[0].set_calls(16);
  input.report.results[1].set_calls(2);
  EXPECT_TRUE(absl::StrContains(WriteMarkdown(EvaluationDocument(Evaluate(std::move(input)))),
                                "| Calls of each case | 2 to 16 |"));
}

// The cover of a partial run begins with the fact that it is partial.
TEST(EvaluationDocument, APartialRunIsMarkedOnTheCover) {
  EvaluationInput input = MakeInput();
  EXPECT_FALSE(absl::StrContains(WriteMarkdown(EvaluationDocument(Evaluate(input))), "Partial"));
  v1::RunInfo run = RunOn("r1", "e1");
  run.mutable_options()->mutable_selection()->add_dtypes(v1::Dtype::float32);
  input.report = BuildReport(run, {VerdictOf("add", "diopiAdd", v1::OUTCOME_PASS, 1)});
  const std::string text = WriteMarkdown(EvaluationDocument(Evaluate(std::move(input))));
  EXPECT_TRUE(absl::StrContains(
      text, "> Partial: dtypes float32 of suite core. This report does not represent the chip."))
      << text.substr(0, 1000);
}

// The same figures in both languages; what a run recorded stays as it is.
TEST(EvaluationDocument, Golden) {
  EvaluationInput input = MakeInput();
  input.spec = *ParseSpec(
      "chip: \"e1\" product: \"Example E1\" maker: \"Example\"\n"
      "compute { dtype: \"float16\" tera_ops: 324 source: \"data sheet, p. 3\" }\n"
      "compute { dtype: \"float16\" tera_ops: 648 sparse: true source: \"data sheet, p. 3\" note: \"2:4\" }\n"
      "memory { type: \"HBM3\" capacity_gib: 64 bandwidth_gb_s: 1600 source: \"data sheet, p. 4\" }\n"
      "interconnect { name: \"PCIe 5.0\" bandwidth_gb_s: 64 direction: \"each way\" source: \"p. 4\" }\n"
      "power { board_w: 400 source: \"p. 5\" }\n"
      "note { item: \"Driver\" text: \"5.1\" source: \"smi\" }\n",
      "spec");
  input.reference = BuildReport(RunOn("r0", "h200"), {VerdictOf("add", "diopiAdd", v1::OUTCOME_PASS, 1)});
  const Evaluation evaluation = Evaluate(std::move(input));
  ExpectGolden("evaluation.md", WriteMarkdown(EvaluationDocument(evaluation)), "reports/evaluation");
  const Document chinese = EvaluationDocument(evaluation, Language::kChinese);
  ExpectGolden("evaluation.zh.md", WriteMarkdown(chinese), "reports/evaluation");
  const std::string html = WriteHtml(chinese);
  EXPECT_TRUE(absl::StrContains(html, "<html lang=\"zh-CN\">"));
  EXPECT_TRUE(absl::StrContains(html, "<h2>目录</h2>"));
}

}  // namespace
}  // namespace diopi::reports
