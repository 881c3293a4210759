// The section on performance of an evaluation report.
#ifndef REPORTS_EVALUATION_PERFORMANCE_BLOCKS_H_
#define REPORTS_EVALUATION_PERFORMANCE_BLOCKS_H_

#include <vector>

#include "reports/document/document.h"
#include "reports/document/language.h"
#include "reports/performance/performance.h"

namespace diopi::reports {

// Parts of a section: how it was measured, steps of models, the roofline, calls by operator.
std::vector<Block> PerformanceBlocks(const PerformanceReport& report, const Translator& t);

// The calls over operations per byte, below the limits of the device.
Chart RooflineChart(const PerformanceReport& report, const Translator& t);

}  // namespace diopi::reports

#endif  // REPORTS_EVALUATION_PERFORMANCE_BLOCKS_H_
