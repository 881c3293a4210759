// Renders reports. Every function is pure: takes a report, returns the whole document.
#ifndef REPORTS_RENDER_RENDER_H_
#define REPORTS_RENDER_RENDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "reports/model/report.h"

namespace diopi::reports {

struct RenderOptions {
  bool verbose = false;  // for people: also lists every case that did not pass, not only groups
};

// The report for people: the run, coverage beside correctness, outcomes, a table by operator, and the
// failures of the library and of ours, grouped by cause.
std::string RenderText(const RunReport& report, const RenderOptions& options = {});

// Only the summary at the end of a run: coverage, correctness, outcomes.
std::string RenderSummary(const RunReport& report);

// The groups of failures, each with an example and the command that repeats it; empty without failures.
std::string RenderFailures(const RunReport& report);

// The public harness's error_report.csv (not a table, despite its name).
std::string RenderErrorReport(const RunReport& report);

// One row a case, RFC 4180.
std::string RenderCsv(const RunReport& report);

// Everything the report holds, measurements included; a RunReportFile of proto/diopi/v1/report_answers.proto.
std::string RenderJson(const RunReport& report);

// Markdown for people and wikis (GitHub's flavour), and HTML as one self-contained page, light and dark,
// printable: the figures, the library, a table by operator, the failures by cause, each with the command that
// repeats an example.
std::string RenderMarkdown(const RunReport& report, const RenderOptions& options = {});
std::string RenderHtml(const RunReport& report, const RenderOptions& options = {});

// CDash's Test.xml as ctest 3.25 writes it: one <Test> per case. "notrun" stands for cases in which the
// library was not called or is not at fault; the measurement "Completion Status" has the outcome.
std::string RenderCdash(const RunReport& report);

// JUnit XML within the schema of Jenkins' xUnit plugin (junit-10.xsd), arranged for display in GitLab and
// Jenkins. One <testsuite> per operator. not_implemented, unsupported_dtype, skipped and waived are
// <skipped>; fail and nondeterministic are <failure>; everything else that is not a pass is <error>.
std::string RenderJunit(const RunReport& report);

// "text", "markdown", "html", "csv", "json", "junit", "cdash", "error_report"; InvalidArgument, with these
// names, for anything else.
absl::StatusOr<std::string> Render(const RunReport& report, std::string_view format,
                                   const RenderOptions& options = {});
const std::vector<std::string>& Formats();

// The name of a verdict's function as the public harness spells it: "batch_norm_backward".
std::string HarnessName(const v1::Verdict& verdict);

// The shell command that repeats the verdict's case as the run called it: library, profile, modes, contracts,
// a user's own cases, limits, and enough calls where equal calls gave different results. A library without a
// path is LIBRARY. For pages and reports: it names files without their folders, which the reader's machine
// lacks.
std::string ReproCommand(const v1::RunOptions& options, const v1::Verdict& verdict);

// The same for a terminal. On the run's machine it works in any folder: the program is the diopi-cli beside
// this one, and paths, also `data_folder` (empty: left out), are absolute.
std::string LocalReproCommand(const v1::RunOptions& options, const v1::Verdict& verdict,
                              const std::string& data_folder);

// The library's file without its folder, for the same pages and reports.
std::string LibraryName(const v1::RunOptions& options);

// The run with the names of its files alone.
v1::RunInfo WithoutFolders(v1::RunInfo run);

// The failures of a run as the JSON API answers them.
v1::Failures FailuresOf(const RunFailures& failures);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_RENDER_H_
