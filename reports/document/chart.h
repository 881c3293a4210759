// Draws a chart. Private to this folder.
#ifndef REPORTS_DOCUMENT_CHART_H_
#define REPORTS_DOCUMENT_CHART_H_

#include <string>

#include "reports/document/document.h"

namespace diopi::reports {

// An <svg> element that takes its colours from the page.
std::string ChartSvg(const Chart& chart);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_CHART_H_
