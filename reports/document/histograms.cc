#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/document/chart.h"
#include "reports/document/escape.h"

namespace diopi::reports {
namespace {

// Sizes of one row: its label on the left, then a column per bin with its count above it.
constexpr double kRowWidth = 720, kRowLabels = 92, kRowColumns = kRowWidth - kRowLabels, kRowHeight = 62,
                 kTallest = 40, kAxis = 36;
constexpr double kShare = 0.72;  // of its bin, that a column takes

int64_t InBin(const HistogramRow& row, size_t bin) {
  int64_t count = 0;
  for (const std::vector<int64_t>& series : row.counts) count += series[bin];
  return count;
}

// "12" or, where several series are in the bin, "12 + 3".
std::string CountsText(const HistogramRow& row, size_t bin) {
  std::string text;
  for (const std::vector<int64_t>& series : row.counts) {
    if (series[bin] > 0) absl::StrAppend(&text, text.empty() ? "" : " + ", series[bin]);
  }
  return text;
}

std::string ColumnSvg(const Histograms& histograms, const HistogramRow& row, size_t bin, double base,
                      double unit) {
  const double width = kRowColumns / static_cast<double>(histograms.bins.size());
  const double left = kRowLabels + width * (static_cast<double>(bin) + (1 - kShare) / 2);
  std::string out;
  double top = base;
  for (size_t i = 0; i < row.counts.size(); ++i) {
    const int64_t count = row.counts[i][bin];
    if (count == 0) continue;
    const double height = std::max(1.5, unit * static_cast<double>(count));  // a single case can be seen
    top -= height;
    absl::StrAppendFormat(&out, R"(<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="%s"/>)", left,
                          top, width * kShare, height, ToneClass(histograms.series[i].tone));
  }
  if (top < base)
    absl::StrAppendFormat(&out, R"(<text x="%.1f" y="%.1f" text-anchor="middle" font-size="10">%s</text>)",
                          left + width * kShare / 2, top - 3, CountsText(row, bin));
  return out;
}

std::string RowSvg(const Histograms& histograms, const HistogramRow& row, double top) {
  int64_t most = 1;
  for (size_t bin = 0; bin < histograms.bins.size(); ++bin) most = std::max(most, InBin(row, bin));
  const double base = top + kRowHeight;
  std::string out = absl::StrFormat(
      R"(<text x="0" y="%.1f">%s</text><line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="currentColor" stroke-opacity="0.35"/>)",
      base - 4, EscapeXmlText(row.label), kRowLabels, base, kRowWidth, base);
  for (size_t bin = 0; bin < histograms.bins.size(); ++bin)
    out += ColumnSvg(histograms, row, bin, base, kTallest / static_cast<double>(most));
  return out;
}

}  // namespace

std::string HistogramsSvg(const Histograms& histograms) {
  const double rows = kRowHeight * static_cast<double>(histograms.rows.size());
  std::string out = absl::StrFormat(
      R"(<svg class="histograms" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s" font-size="12" fill="currentColor">)",
      kRowWidth, rows + kAxis, EscapeXml(histograms.caption));
  for (size_t i = 0; i < histograms.rows.size(); ++i)
    out += RowSvg(histograms, histograms.rows[i], kRowHeight * static_cast<double>(i));
  const double width = kRowColumns / static_cast<double>(histograms.bins.size());
  for (size_t bin = 0; bin < histograms.bins.size(); ++bin) {
    absl::StrAppendFormat(&out, R"(<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>)",
                          kRowLabels + width * (static_cast<double>(bin) + 0.5), rows + 14,
                          EscapeXmlText(histograms.bins[bin]));
  }
  return absl::StrCat(
      out,
      absl::StrFormat(R"(<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>)",
                      kRowLabels + kRowColumns / 2, rows + 31, EscapeXmlText(histograms.bins_label)),
      "</svg>");
}

}  // namespace diopi::reports
