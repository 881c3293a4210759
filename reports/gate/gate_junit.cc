#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/document/escape.h"
#include "reports/gate/render.h"
#include "reports/model/outcome.h"

namespace diopi::reports {
namespace {

struct Suite {
  int64_t tests = 0;
  int64_t failures = 0;
  int64_t skipped = 0;
  double seconds = 0;
  std::string body;
};

void Open(const std::string& name, const std::string& classname, double seconds, Suite* suite) {
  ++suite->tests;
  suite->seconds += seconds;
  absl::StrAppend(&suite->body, "    <testcase name=\"", EscapeXml(name), "\" classname=\"",
                  EscapeXml(classname), "\" time=\"", absl::StrFormat("%.6f", seconds), "\"");
}

void Fail(const std::string& type, const std::string& text, const std::string& action, Suite* suite) {
  ++suite->failures;
  absl::StrAppend(&suite->body, ">\n      <failure type=\"", EscapeXml(type), "\" message=\"",
                  EscapeXml(OneLine(text)), "\">", EscapeXmlText(absl::StrCat(text, "\n", action)),
                  "</failure>\n    </testcase>\n");
}

std::string Counts(const Suite& suite) {
  return absl::StrFormat("tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%.6f\"",
                         suite.tests, suite.failures, suite.skipped, suite.seconds);
}

// Findings that do not belong to a case.
void AddGate(const GateDocument& document, Suite* suite) {
  std::map<std::string, bool> cases;
  for (const GatedCase& gated : document.result->cases) cases[gated.verdict->case_id()] = true;
  for (const GateFinding& finding : document.result->findings) {
    if (cases.contains(finding.subject) && finding.kind <= FindingKind::kNotJudged &&
        finding.kind != FindingKind::kExpired) {
      continue;
    }
    Open(FindingPlace(document, finding), "gate", 0, suite);
    Fail(FindingName(finding.kind), finding.text, finding.action, suite);
  }
  if (suite->tests == 0) {
    Open("expectations, coverage and completeness", "gate", 0, suite);
    suite->body += "/>\n";
  }
}

}  // namespace

std::string RenderGateJunit(const GateDocument& document) {
  std::map<std::string, Suite> suites;
  AddGate(document, &suites["gate"]);
  for (const GatedCase& gated : document.result->cases) {
    const v1::Verdict& verdict = *gated.verdict;
    Suite& suite = suites[verdict.operator_()];
    Open(verdict.case_id(), verdict.function(), verdict.call_us() / 1e6, &suite);
    if (gated.state == GatedCase::State::kPass) {
      suite.body += "/>\n";
    } else if (gated.state == GatedCase::State::kExpected) {
      ++suite.skipped;
      absl::StrAppend(&suite.body, ">\n      <skipped message=\"", EscapeXml(OneLine(gated.text)),
                      "\"/>\n    </testcase>\n");
    } else {
      Fail(OutcomeName(verdict.outcome()), gated.text, verdict.likely_cause(), &suite);
    }
  }
  Suite all;
  std::string body;
  for (const auto& [name, suite] : suites) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.skipped += suite.skipped;
    all.seconds += suite.seconds;
    absl::StrAppend(&body, "  <testsuite name=\"", EscapeXml(name), "\" ", Counts(suite), " timestamp=\"",
                    EscapeXml(document.input->run->run.created()), "\">\n", suite.body, "  </testsuite>\n");
  }
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"diopi gate\" ",
                      Counts(all), ">\n", body, "</testsuites>\n");
}

}  // namespace diopi::reports
