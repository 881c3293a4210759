// Draws charts. Private to this folder.
#ifndef REPORTS_DOCUMENT_CHART_H_
#define REPORTS_DOCUMENT_CHART_H_

#include <string>

#include "reports/document/document.h"

namespace diopi::reports {

// The class of a tone in the style sheet.
const char* ToneClass(Tone tone);

// <svg> elements that take their colours from the page.
std::string ChartSvg(const Chart& chart);
std::string HistogramsSvg(const Histograms& histograms);

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_CHART_H_
