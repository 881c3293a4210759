// What a reader who reads two pages reads: the verdict in words, charts, and the table of indicators. Private
// to this folder.
#ifndef REPORTS_EVALUATION_SUMMARY_H_
#define REPORTS_EVALUATION_SUMMARY_H_

#include <vector>

#include "reports/document/document.h"
#include "reports/evaluation/evaluation.h"

namespace diopi::reports {

// The cover: the verdict, then who evaluated what and when.
std::vector<Block> CoverBlocks(const Evaluation& evaluation, const Translator& t);

// What stands between the chip and each model, and charts: coverage by family, errors, times.
std::vector<Block> SummaryBlocks(const Evaluation& evaluation, const Translator& t);

// Area, indicator and figure, in the order of the indicators that DeepLink's lab publishes every quarter
// (AIChipBenchmark). An indicator that this suite cannot measure says so.
Table Indicators(const Evaluation& evaluation, const Translator& t);

}  // namespace diopi::reports

#endif  // REPORTS_EVALUATION_SUMMARY_H_
