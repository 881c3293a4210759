// Lists of runs, chips, functions and histories: one table each, for text, CSV and Markdown.
#ifndef REPORTS_RENDER_LISTS_H_
#define REPORTS_RENDER_LISTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "reports/document/document.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/history.h"
#include "reports/model/model_support.h"
#include "reports/model/run_summary.h"

namespace diopi::reports {

// "text", "csv", "markdown".
const std::vector<std::string>& ListFormats();
// InvalidArgument, naming these formats, for any other.
absl::StatusOr<std::string> WriteList(const Table& table, const std::string& format);

// One row per run, in the order given. All formats have the same cells: counts are plain numbers.
Table RunsTable(const v1::RunsPage& page);

// One row per chip: its newest complete run, with coverage beside correctness; or else that there is none,
// and what is known of its functions.
Table ChipsTable(const v1::ChipsPage& page);

// One row per run that has the case, oldest first.
Table HistoryTable(const v1::History& history);
// "No pass since run ...", "Flaky: ..." or "The newest run passes it.", one line each.
std::vector<std::string> HistoryWords(const v1::History& history);

// One row per function and one column per chip: "passes (12 cases)", "3 of 12 cases pass", "not tested", "not
// implemented". Only functions of `family` in our suite; empty: all.
Table CoverageTable(const v1::CoveragePage& matrix, const std::string& family);
// One row per chip: functions that pass, of all; exported, with cases, tested.
Table CoverageTotals(const v1::CoveragePage& matrix, const std::string& family);

// One row per model that some chip ran and one column per chip: "ready (41 calls, 38 scaled)", or how many
// calls pass and which functions fail or are missing.
Table ModelsTable(const v1::ModelsPage& matrix);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_LISTS_H_
