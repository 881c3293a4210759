#include "reports/document/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/document/escape.h"

namespace diopi::reports {
namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 64, kRight = 16, kTop = 28, kBottom = 48;
// Series differ in shape too, not in colour alone.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
constexpr size_t kShapes = 3;

// A logarithmic axis over whole decades.
class Axis {
 public:
  Axis(double from, double to) : from_(from), to_(to) {}
  void Take(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    low_ = std::min(low_, std::floor(std::log10(value)));
    high_ = std::max(high_, std::ceil(std::log10(value)));
  }
  bool empty() const { return low_ > high_; }
  double At(double value) const {
    const double decades = std::max(high_ - low_, 1.0);
    return from_ + (std::log10(value) - low_) / decades * (to_ - from_);
  }
  int low() const { return static_cast<int>(low_); }
  int high() const { return static_cast<int>(std::max(high_, low_ + 1)); }

 private:
  double from_, to_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

std::string Power(int exponent) {
  return exponent >= -3 && exponent <= 4 ? absl::StrCat(std::pow(10.0, exponent))
                                         : absl::StrCat("1e", exponent);
}

bool Drawable(double x, double y) {
  return x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y);
}

std::string Mark(double x, double y, size_t series) {
  const char* const colour = kColours[series % kColours.size()];
  switch (series % kShapes) {
    case 0:
      return absl::StrFormat("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"", x, y, colour);
    case 1:
      return absl::StrFormat("<rect x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"6\" fill=\"%s\"", x - 3, y - 3,
                             colour);
    default:
      return absl::StrFormat("<path d=\"M%.1f %.1fl4 7h-8z\" fill=\"%s\"", x, y - 4, colour);
  }
}

std::string Grid(const Axis& x, const Axis& y, const Chart& chart) {
  std::string out;
  constexpr char kLine[] =
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"currentColor\" "
      "stroke-opacity=\"0.15\"/>";
  constexpr char kText[] = "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>";
  for (int exponent = x.low(); exponent <= x.high(); ++exponent) {
    const double at = x.At(std::pow(10.0, exponent));
    absl::StrAppendFormat(&out, kLine, at, kTop, at, kHeight - kBottom);
    absl::StrAppendFormat(&out, kText, at, kHeight - kBottom + 16, "middle", Power(exponent));
  }
  for (int exponent = y.low(); exponent <= y.high(); ++exponent) {
    const double at = y.At(std::pow(10.0, exponent));
    absl::StrAppendFormat(&out, kLine, kLeft, at, kWidth - kRight, at);
    absl::StrAppendFormat(&out, kText, kLeft - 6, at + 4, "end", Power(exponent));
  }
  absl::StrAppendFormat(&out, kText, (kLeft + kWidth - kRight) / 2, kHeight - 10, "middle",
                        EscapeXmlText(chart.x));
  absl::StrAppendFormat(
      &out, "<text x=\"14\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 14 %.1f)\">%s</text>",
      kHeight / 2, kHeight / 2, EscapeXmlText(chart.y));
  return out;
}

std::string Legend(const Chart& chart) {
  std::string out;
  double at = kLeft;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    absl::StrAppend(&out, Mark(at, 14, i), "/>");
    absl::StrAppendFormat(&out, "<text x=\"%.1f\" y=\"18\">%s</text>", at + 8,
                          EscapeXmlText(chart.series[i]));
    at += 24 + 7 * static_cast<double>(chart.series[i].size());
  }
  return out;
}

}  // namespace

std::string ChartSvg(const Chart& chart) {
  Axis x(kLeft, kWidth - kRight), y(kHeight - kBottom, kTop);
  for (const ChartPoint& point : chart.points) {
    if (!Drawable(point.x, point.y)) continue;
    x.Take(point.x);
    y.Take(point.y);
  }
  for (const ChartLine& line : chart.lines) {
    for (const auto& [at_x, at_y] : line.points) {
      if (!Drawable(at_x, at_y)) continue;
      x.Take(at_x);
      y.Take(at_y);
    }
  }
  std::string out = absl::StrFormat(
      "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\" font-size=\"12\" fill=\"currentColor\">",
      kWidth, kHeight, EscapeXml(chart.caption));
  if (x.empty() || y.empty()) return absl::StrCat(out, "</svg>");
  absl::StrAppend(&out, Grid(x, y, chart), Legend(chart));
  for (const ChartLine& line : chart.lines) {
    std::string points;
    for (const auto& [at_x, at_y] : line.points) {
      if (Drawable(at_x, at_y)) absl::StrAppendFormat(&points, "%.1f,%.1f ", x.At(at_x), y.At(at_y));
    }
    absl::StrAppend(&out, "<polyline points=\"", points,
                    "\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"><title>",
                    EscapeXmlText(line.label), "</title></polyline>");
  }
  for (const ChartPoint& point : chart.points) {
    if (!Drawable(point.x, point.y)) continue;
    absl::StrAppend(&out, Mark(x.At(point.x), y.At(point.y), point.series), "><title>",
                    EscapeXmlText(point.label), "</title></",
                    point.series % kShapes == 0   ? "circle"
                    : point.series % kShapes == 1 ? "rect"
                                                  : "path",
                    ">");
  }
  return absl::StrCat(out, "</svg>");
}

}  // namespace diopi::reports
