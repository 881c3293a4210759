#include "reports/document/junit.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/text.h"
#include "reports/document/escape.h"

namespace diopi::reports {

void JunitWriter::Add(const std::string& name, const JunitCase& c) {
  Suite& suite = suites_[name];
  ++suite.tests;
  suite.seconds += c.seconds;
  absl::StrAppend(&suite.body, "    <testcase name=\"", EscapeXml(c.name), "\" classname=\"",
                  EscapeXml(c.classname), "\" time=\"", absl::StrFormat("%.6f", c.seconds), "\"");
  const std::string message = EscapeXml(OneLine(c.message));
  if (c.element == JunitCase::Element::kNone) {
    suite.body += "/>\n";
  } else if (c.element == JunitCase::Element::kSkipped) {
    ++suite.skipped;
    absl::StrAppend(&suite.body, ">\n      <skipped message=\"", message, "\"/>\n    </testcase>\n");
  } else {
    const bool failure = c.element == JunitCase::Element::kFailure;
    const char* tag = failure ? "failure" : "error";
    ++(failure ? suite.failures : suite.errors);
    absl::StrAppend(&suite.body, ">\n      <", tag, " type=\"", EscapeXml(c.type), "\" message=\"", message,
                    "\">", EscapeXmlText(c.text), "</", tag, ">");
    if (!c.output.empty())
      absl::StrAppend(&suite.body, "\n      <system-out>", EscapeXmlText(c.output), "</system-out>");
    suite.body += "\n    </testcase>\n";
  }
}

std::string JunitWriter::Counts(const Suite& suite) {
  return absl::StrFormat("tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.6f\"", suite.tests,
                         suite.failures, suite.errors, suite.seconds);
}

std::string JunitWriter::Write(const std::string& name, const std::string& created, const std::string& host,
                               const std::function<std::string(const std::string& suite)>& properties) const {
  Suite all;
  for (const auto& [suite_name, suite] : suites_) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.seconds += suite.seconds;
    absl::StrAppend(&all.body, "  <testsuite name=\"", EscapeXml(suite_name), "\" ", Counts(suite),
                    " skipped=\"", suite.skipped, "\" timestamp=\"", EscapeXml(created), "\" hostname=\"",
                    EscapeXml(host), "\">\n", properties(suite_name), suite.body, "  </testsuite>\n");
  }
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"", name, "\" ",
                      Counts(all), ">\n", all.body, "</testsuites>\n");
}

}  // namespace diopi::reports
