// Golden output: users and their tools read these documents.
#include "reports/render/render.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "build_paths.h"
#include "cases/base/outcome.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding.h"
#include "reports/render/golden_testing.h"

namespace diopi::reports {
namespace {

v1::Verdict Base(const std::string& id, const std::string& op, const std::string& function,
                 v1::Outcome outcome) {
  v1::Verdict verdict;
  verdict.set_case_id(id);
  verdict.set_case_hash("00ff");
  verdict.set_operator_(op);
  verdict.set_function(function);
  verdict.set_outcome(outcome);
  verdict.set_dtype(v1::Dtype::float32);
  verdict.set_call_us(12.5);
  return verdict;
}

// One case of each kind that the formats distinguish.
RunReport SampleReport() {
  v1::RunInfo run;
  run.set_run_id("20261120-101502-7f3a");
  run.set_state(v1::RUN_STATE_FINISHED);
  run.set_created("2026-11-20T10:15:02Z");
  run.set_cases(8);
  v1::RunOptions& options = *run.mutable_options();
  options.set_chip("demo");
  options.set_impl_path("/opt/vendor/libdiopi_impl.so");
  options.set_impl_sha256("0123456789abcdef0123456789abcdef");
  options.set_vendor_name("Acme <R&D>");
  options.set_impl_version("2.1");
  options.set_dialect("conform_test");
  options.add_contracts("tf32");
  options.add_contracts("tc32");
  v1::Variable& variable = *options.mutable_profile()->add_environment();
  variable.set_name("ACME_MATH");
  variable.set_value("fast <1>");
  for (const char* name : {"diopiAdd", "diopiBatchNormBackward", "diopiExp", "diopiRelu"}) {
    options.add_implemented(name);
  }
  std::vector<v1::Verdict> results;
  results.push_back(Base("add.float32.small", "add", "diopiAdd", v1::OUTCOME_PASS));
  results.back().set_reference("cpu oracle 0.1");

  v1::Verdict fail =
      Base("batch_norm.backward.float32.train", "batch_norm", "diopiBatchNormBackward", v1::OUTCOME_FAIL);
  *fail.add_findings() = Found(v1::Finding::OF_OUTPUT)
                             .Name("grad_input")
                             .Part(Found(v1::Finding::WRONG_ELEMENTS).Count(3).Of(24).Place({7}));
  *fail.mutable_cause() =
      Found(v1::Finding::CONSISTENT_WITH).Part(Found(v1::Finding::TAKEN_AS).Name("eps").Expected("0"));
  fail.set_variant("backward");
  fail.set_tensor_info("[(input, float32, (32, 16, 112, 112)), (running_mean, float32, (16,))]");
  v1::OutputStats& stats = *fail.add_outputs();
  stats.set_key("grad_input");
  stats.set_mismatches(3);
  stats.set_max_ulp(1.5e6);
  stats.set_gates("P,R");
  stats.set_rms_z(31.25);
  stats.set_max_z(412.5);
  stats.set_argmax(7);
  stats.set_bias(-0.75);
  stats.set_grade("C");
  stats.set_rmse_ratio(2.125);
  stats.set_public_mismatch_ratio(0.125);
  v1::OutputStats& right = *fail.add_outputs();
  right.set_key("grad_weight");
  right.set_ok(true);
  right.set_public_pass(true);
  right.set_grade("A");
  right.set_rmse_ratio(1);
  Describe(&fail);
  fail.set_cause_confidence(0.996);
  fail.add_contracts("tf32");
  fail.add_would_pass_under("native16");
  results.push_back(fail);

  // The public rule passes this case.
  v1::Verdict small = Base("mean.float16.uniform", "mean", "diopiMean", v1::OUTCOME_FAIL);
  small.set_reason("out: 1 of 1 element differs");
  v1::OutputStats& mean = *small.add_outputs();
  mean.set_key("out");
  mean.set_gates("B");
  mean.set_argmax(-1);
  mean.set_public_pass(true);
  constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
  mean.set_max_z(kNotMeasured);
  mean.set_rms_z(kNotMeasured);
  mean.set_rmse(kNotMeasured);
  mean.set_bias(kNotMeasured);
  results.push_back(small);

  // The public rule fails this case.
  v1::Verdict loose = Base("matmul.float32.k4096", "matmul", "diopiMatmul", v1::OUTCOME_PASS);
  v1::OutputStats& product = *loose.add_outputs();
  product.set_key("out");
  product.set_ok(true);
  product.set_flushed(2);
  product.set_public_mismatch_ratio(0.0625);
  loose.add_contracts("tf32");
  loose.add_contracts("tc32");
  results.push_back(loose);

  v1::Verdict crash = Base("exp.float32.tail", "exp", "diopiExp", v1::OUTCOME_CRASH);
  crash.set_reason("SIGSEGV in diopiExp,\n\"tail\" <loop>");
  crash.set_signal("SIGSEGV");
  crash.set_backtrace("#0 diopiExp at exp.cc:12\n#1 \xff");
  results.push_back(crash);

  v1::Verdict absent = Base("relu.float32.small", "relu", "diopiReluInp", v1::OUTCOME_NOT_IMPLEMENTED);
  absent.set_reason("the library does not export diopiReluInp");
  absent.set_variant("inplace");
  results.push_back(absent);

  v1::Verdict ours = Base("relu.float32.odd", "relu", "diopiRelu", v1::OUTCOME_HARNESS_ERROR);
  ours.set_reason("no reference");
  results.push_back(ours);
  RunReport report = BuildReport(run, results);
  report.coverage.set_with_cases(12);  // independent of the real suite
  return report;
}

TEST(Render, Golden) {
  const RunReport report = SampleReport();
  ExpectGolden("report.txt", RenderText(report));
  ExpectGolden("report.csv", RenderCsv(report));
  ExpectGolden("report.xml", RenderJunit(report));
  ExpectGolden("report.json", RenderJson(report));
  ExpectGolden("report.md", RenderMarkdown(report));
  std::string html = RenderHtml(report);
  const size_t style = html.find("<style>");
  html.erase(style, html.find("</style>") - style);  // document_test checks it
  ExpectGolden("report.html", html);
  ExpectGolden("report.cdash.xml", RenderCdash(report));
}

TEST(Render, TheCommandThatRepeatsACaseHasWhatTheRunHad) {
  v1::RunOptions options;
  v1::Verdict verdict;
  verdict.set_case_id("add.float32.n17");
  verdict.set_outcome(v1::OUTCOME_FAIL);
  // There is no diopi-cli beside this test program, so the command names it without a folder.
  EXPECT_EQ(ReproCommand(options, verdict), "diopi-cli repro add.float32.n17 --impl LIBRARY");
  options.set_impl_path("/opt/my chip/lib.so");
  options.set_repeat(2);
  options.set_timeout_s(30);
  EXPECT_EQ(LocalReproCommand(options, verdict, "/srv/my data"),
            "diopi-cli repro add.float32.n17 --impl '/opt/my chip/lib.so' --data '/srv/my data'");
  options.set_host("another machine");
  EXPECT_EQ(LocalReproCommand(options, verdict, "/srv/my data"),
            "diopi-cli repro add.float32.n17 --impl lib.so");
  options.clear_host();
  options.set_repeat(5);
  options.set_timeout_s(2.5);
  options.add_contracts("tf32");
  options.add_contracts("tc32");
  v1::RunCommand& command = *options.mutable_command();
  command.set_device_lib("/opt/rt.so");
  command.set_cases_folder("/srv/it's mine");
  command.set_profile_path("/etc/chip.textproto");
  command.set_four_bytes(true);
  command.set_nhwc(true);
  command.set_nhwc_min_dim(4);
  command.set_sandbox_level("strict");
  command.set_worker_memory(1 << 20);
  EXPECT_EQ(
      LocalReproCommand(options, verdict, "/data"),
      "diopi-cli repro add.float32.n17 --impl '/opt/my chip/lib.so' --device-lib /opt/rt.so --data /data "
      "--cases '/srv/it'\\''s mine' --profile /etc/chip.textproto --contract tf32,tc32 "
      "--four-bytes --nhwc --nhwc-min-dim 4 --timeout-s 2.5 --repeat 5 --sandbox strict "
      "--worker-memory 1048576");
  command.set_cases_folder("/srv/it's mine/");
  EXPECT_EQ(ReproCommand(options, verdict),
            "diopi-cli repro add.float32.n17 --impl lib.so --device-lib rt.so --cases 'it'\\''s mine' "
            "--profile chip.textproto --contract tf32,tc32 --four-bytes --nhwc --nhwc-min-dim 4 "
            "--timeout-s 2.5 --repeat 5 --sandbox strict --worker-memory 1048576");
}

// Enough calls to show the difference again, as far as the time limit allows.
TEST(Render, ACaseThatDiffersFromCallToCallIsCalledOften) {
  v1::RunOptions options;
  v1::Verdict verdict;
  verdict.set_case_id("add.float32.n17");
  verdict.set_outcome(v1::OUTCOME_NONDETERMINISTIC);
  verdict.set_call_us(10);
  const auto has = [&](const char* text) {
    return ReproCommand(options, verdict).find(text) != std::string::npos;
  };
  EXPECT_TRUE(has(" --repeat 100"));
  verdict.set_call_us(1e6);
  EXPECT_TRUE(has(" --repeat 15"));
  options.set_timeout_s(4);
  EXPECT_FALSE(has(" --repeat"));
  options.set_repeat(1000);
  EXPECT_TRUE(has(" --repeat 1000"));
}

TEST(Render, ErrorReportIsThePublicHarnessForm) {
  EXPECT_EQ(
      RenderErrorReport(SampleReport()),
      "DIOPI-Test Error Report\n"
      "---------------------------------\n"
      "Contracts: tf32, tc32, ftz (observed: subnormal results are flushed to zero)\n"
      "---------------------------------\n"
      "3 Tests failed:\n"
      "1--Run diopi_functions.batch_norm_backward failed.   TestTag: [float32, backward]  TensorInfo : "
      "[(input, float32, (32, 16, 112, 112)), (running_mean, float32, (16,))]  Repeat : diopi-cli repro "
      "batch_norm.backward.float32.train --impl libdiopi_impl.so --contract tf32,tc32\n"
      "2--Run diopi_functions.mean failed.   TestTag: [float32]  TensorInfo : []  Repeat : diopi-cli repro "
      "mean.float16.uniform --impl libdiopi_impl.so --contract tf32,tc32\n"
      "3--Run diopi_functions.exp failed.   TestTag: [float32]  TensorInfo : []  Repeat : diopi-cli repro "
      "exp.float32.tail --impl libdiopi_impl.so --contract tf32,tc32\n"
      "---------------------------------\n"
      "Test skipped or op not implemented:\n"
      "1--Run diopi_functions.relu not implemented.   TestTag: [float32, inplace]  TensorInfo : []\n"
      "2--Run diopi_functions.relu not judged, harness error.   TestTag: [float32]  TensorInfo : []\n");
}

// A device without contracts: exactly the public harness's format.
TEST(Render, ErrorReportWithoutContracts) {
  EXPECT_EQ(RenderErrorReport(BuildReport(v1::RunInfo(), {})),
            "DIOPI-Test Error Report\n"
            "---------------------------------\n"
            "0 Tests failed:\n"
            "---------------------------------\n"
            "Test skipped or op not implemented:\n");
}

TEST(Render, EveryFormatShowsTheContracts) {
  for (const std::string& format : Formats()) {
    const std::string text = *Render(SampleReport(), format);
    for (const char* badge : {"tf32", "tc32", "ftz"})
      EXPECT_NE(text.find(badge), std::string::npos) << format << " " << badge;
  }
  EXPECT_NE(RenderSummary(SampleReport()).find("tf32, tc32, ftz"), std::string::npos);
}

TEST(Render, EmptyReportHasNoPercentages) {
  const std::string summary = RenderSummary(BuildReport(v1::RunInfo(), {}));
  EXPECT_NE(summary.find("0 of 0 called cases pass (-)"), std::string::npos) << summary;
}

// Documents stay complete and valid, whatever bytes a run's texts hold.
TEST(Render, AnyBytesInAnyText) {
  const std::string bytes = "\xff\x01<&\"'|`]]>\n\t";
  RunReport report = SampleReport();
  v1::RunOptions& options = *report.run.mutable_options();
  for (std::string* text :
       {options.mutable_chip(), options.mutable_impl_path(), options.mutable_vendor_name(),
        options.mutable_impl_version(), options.mutable_host(), options.mutable_dialect()}) {
    *text = bytes;
  }
  for (FailureGroup& group : report.failures) group.cause = group.reason = bytes;
  for (v1::Verdict& verdict : report.results) {
    verdict.set_reason(bytes);
    verdict.set_reference(bytes);
    verdict.set_tensor_info(bytes);
    verdict.set_backtrace(bytes);
  }
  report.references = {bytes};
  for (const std::string& format : Formats()) {
    const std::string text = *Render(report, format);
    EXPECT_EQ(text.find("<&"), format == "html" || format == "junit" || format == "cdash" ? std::string::npos
                                                                                          : text.find("<&"))
        << format;
    if (format != "text" && format != "error_report") {
      EXPECT_EQ(text.find('\xff'), std::string::npos) << format;
    }
    const std::string path = std::string(DIOPI_BINARY_DIR) + "/tests/any_bytes." + format;
    std::ofstream(path, std::ios::binary) << text;  // check_exports.py reads some
  }
}

TEST(Render, NearlyAllIsNotAll) {
  std::vector<v1::Verdict> results(99'999, Base("add.float32.x", "add", "diopiAdd", v1::OUTCOME_PASS));
  results.push_back(Base("add.float32.y", "add", "diopiAdd", v1::OUTCOME_FAIL));
  const std::string summary = RenderSummary(BuildReport(v1::RunInfo(), results));
  EXPECT_NE(summary.find("99999 of 100000 called cases pass (99.99 %)"), std::string::npos) << summary;
}

// A library that does nothing may export everything, so exports are not the headline.
TEST(Render, TheHeadlineIsFunctionsThatPass) {
  v1::RunInfo run;
  run.set_cases(841);
  run.mutable_options()->mutable_selection()->add_functions("add");
  for (const char* function : {"diopiAdd", "diopiSub", "diopiMul"})
    run.mutable_options()->add_implemented(function);
  std::vector<v1::Verdict> results = {Base("add.float32.x", "add", "diopiAdd", v1::OUTCOME_PASS),
                                      Base("add.float32.y", "sub", "diopiSub", v1::OUTCOME_FAIL)};
  for (int i = 0; i < 536; ++i)
    results.push_back(Base("add.float16.x", "add", "diopiAdd", v1::OUTCOME_UNSUPPORTED_DTYPE));
  RunReport report = BuildReport(run, results);
  report.coverage.set_with_cases(12);
  const std::string summary = RenderSummary(report);
  EXPECT_EQ(summary.find(
                "Coverage     1 of 538 functions pass (0.18 %)\n"
                "             3 exported, 2 tested of 12 with cases, 1 passing\n"
                "Partial      functions add of suite core; incomplete after 538 of 841 cases: this run does "
                "not represent its chip\n"),
            0u)
      << summary;
  EXPECT_NE(summary.find("Called       2 of 841 cases (0.23 %); unsupported_dtype 536, not run yet 303\n"),
            std::string::npos)
      << summary;
  for (const char* format : {"text", "markdown", "html", "json", "junit"}) {
    const std::string text = *Render(report, format);
    EXPECT_NE(text.find("functions add of suite core"), std::string::npos) << format;
    EXPECT_NE(text.find(std::string(format) == "json" ? "\"with_cases\":12" : "1 of 538"), std::string::npos)
        << format;
  }
}

// People see the groups first; every case is listed on request, and for programs.
TEST(Render, FailuresAreGrouped) {
  std::vector<v1::Verdict> results;
  for (int i = 0; i < 50; ++i) {
    results.push_back(Base("add.float32.c" + std::to_string(i), "add", "diopiAdd", v1::OUTCOME_FAIL));
    results.back().set_reason("out: " + std::to_string(i + 2) + " of 99 elements differ, first at 0");
    results.back().set_likely_cause("consistent with alpha taken as 1");
  }
  const RunReport report = BuildReport(v1::RunInfo(), results);
  for (const char* format : {"text", "markdown", "html"}) {
    const std::string text = *Render(report, format);
    EXPECT_NE(text.find("50 cases in 1 group"), std::string::npos) << format << text;
    EXPECT_NE(text.find("consistent with alpha taken as 1"), std::string::npos) << format;
    EXPECT_NE(text.find("repro add.float32.c0 "), std::string::npos) << format;
    EXPECT_EQ(text.find("repro add.float32.c7 "), std::string::npos) << format;
    const std::string every = *Render(report, format, {.verbose = true});
    EXPECT_NE(every.find("repro add.float32.c7 "), std::string::npos) << format;
  }
  EXPECT_NE(RenderJunit(report).find(
                "name=\"failure_group\" value=\"50 cases of add (float32): fail: consistent with "
                "alpha taken as 1; for example diopi-cli repro add.float32.c0 "),
            std::string::npos)
      << RenderJunit(report).substr(0, 3000);
}

TEST(Render, UnknownFormatNamesTheKnownOnes) {
  const auto result = Render(SampleReport(), "docx");
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(result.status().message())
                .find("text, markdown, html, csv, json, junit, cdash, error_report"),
            std::string::npos);
  for (const std::string& format : Formats()) EXPECT_TRUE(Render(SampleReport(), format).ok()) << format;
}

}  // namespace
}  // namespace diopi::reports
