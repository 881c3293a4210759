// How fast a run's calls are, as tables, text and JSON.
#ifndef REPORTS_RENDER_PERFORMANCE_H_
#define REPORTS_RENDER_PERFORMANCE_H_

#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/document/language.h"
#include "reports/performance/comparison.h"
#include "reports/performance/performance.h"
#include "server/store/queries.h"

namespace diopi::reports {

// One row per call: times, rates, share of the roofline, score. Times are microseconds. A figure that is not
// known is an empty cell; a call without a time says why.
Table PerformanceTable(const PerformanceReport& report);

// One row per model and stage: the estimated time of a step, and the operators that take it.
Table StepsTable(const PerformanceReport& report, const Translator& t = English());

// One row per call that both runs measured; with `changes_only`, only those that became slower or faster.
Table ComparisonTable(const Comparison& comparison, bool changes_only);

// How the figures were measured, one sentence each: machine, roofline, noise, calls without a time.
std::vector<std::string> PerformanceWords(const PerformanceReport& report, const Translator& t = English());
// What the comparison found, one sentence each.
std::vector<std::string> ComparisonWords(const Comparison& comparison);

// Everything, as the JSON API and reports answer it; `comparison` may be null.
v1::Performance PerformanceOf(const PerformanceReport& report, const Comparison* comparison);
// A line of a chip's measured runs.
v1::MeasuredRun MeasuredRunOf(const server::RunFacts& run, const PerformanceReport& report);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_PERFORMANCE_H_
