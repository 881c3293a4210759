// What lists of runs, chips, functions and histories show: one table each, for text, CSV and Markdown.
#ifndef REPORTS_RENDER_LISTS_H_
#define REPORTS_RENDER_LISTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "reports/document/document.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/history.h"
#include "reports/model/run_summary.h"

namespace diopi::reports {

// "text", "csv", "markdown".
const std::vector<std::string>& ListFormats();
// InvalidArgument, naming them, for any other.
absl::StatusOr<std::string> WriteList(const Table& table, const std::string& format);

// A row a run, in the order given. In CSV and elsewhere the same cells: counts are bare numbers.
Table RunsTable(const std::vector<RunSummary>& runs);

// A row a chip: its newest complete run, coverage beside correctness; without one its newest, and why it is
// partial.
Table ChipsTable(const std::vector<ChipOverview>& chips);

// A row a run that has the case, oldest first.
Table HistoryTable(const History& history);
// "fails since RUN, last passed in RUN"; "flaky: ..."; "passes". One line each.
std::vector<std::string> HistoryWords(const History& history);

// A row a function, a column a chip: "passes (12 cases)", "3 of 12 cases pass", "not tested", "not
// implemented". `family` empty: all; otherwise the functions of that family of our suite.
Table CoverageTable(const CoverageMatrix& matrix, const std::string& family);
// A row a chip: functions that pass, of all; exported, with cases, tested.
Table CoverageTotals(const CoverageMatrix& matrix, const std::string& family);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_LISTS_H_
