#include "reports/evaluation/performance_blocks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/render/performance.h"

namespace diopi::reports {
namespace {

constexpr double kPerGiga = 1e9;

// The calls of one operator together.
struct OperatorShare {
  int64_t calls = 0;
  int64_t measured = 0;
  double us = 0;
  double best_us = 0;   // of the calls whose share of the roofline is known
  double known_us = 0;  // with cold caches
};

Table OperatorsTable(const PerformanceReport& report, const Translator& t) {
  std::map<std::string, OperatorShare> operators;
  for (const CallFigures& call : report.calls) {
    OperatorShare& share = operators[call.measurement.operator_()];
    ++share.calls;
    if (!call.measured()) continue;
    ++share.measured;
    share.us += call.warm_us.median;
    if (!call.roofline_share.has_value()) continue;
    share.known_us += *call.cold_us;
    share.best_us += *call.cold_us * *call.roofline_share;
  }
  Table table{{{t("Operator")},
               {t("Calls"), true},
               {t("Measured"), true},
               {t("Time, sum, us"), true},
               {t("Of the roofline"), true}},
              {},
              t("None.")};
  for (const auto& [name, share] : operators) {
    Text of_roof{share.known_us > 0 ? absl::StrFormat("%.1f %%", share.best_us / share.known_us * 100)
                                    : t("unknown")};
    if (share.known_us > 0) of_roof.share = share.best_us / share.known_us;
    table.rows.push_back({{name, Tone::kPlain, true},
                          {absl::StrCat(share.calls)},
                          {absl::StrCat(share.measured)},
                          {share.measured == share.calls ? absl::StrFormat("%.1f", share.us) : ""},
                          std::move(of_roof)});
  }
  return table;
}

}  // namespace

Chart RooflineChart(const PerformanceReport& report, const Translator& t) {
  Chart chart;
  chart.caption = t("Each mark is a call with cold caches; the lines are the limits of the device, $0",
                    t(report.roofline.source));
  chart.x = t("operations per byte");
  chart.y = t("10^9 operations per second");
  std::map<v1::Dtype::Code, size_t> series;
  double least = 0, most = 0;
  for (const CallFigures& call : report.calls) {
    if (!call.operations_per_s.has_value() || !call.bytes_per_s.has_value() || !call.cold_us.has_value())
      continue;
    const v1::Measurement& m = call.measurement;
    const auto [at, fresh] = series.emplace(m.dtype(), series.size());
    if (fresh) chart.series.push_back(v1::Dtype::Code_Name(m.dtype()));
    const double intensity = *call.operations_per_s / *call.bytes_per_s;
    least = least > 0 ? std::min(least, intensity) : intensity;
    most = std::max(most, intensity);
    chart.points.push_back({intensity, m.work().operations() / (*call.cold_us * 1e-6) / kPerGiga,
                            absl::StrFormat("%s %s: %.3g us", m.function(), m.shapes(), *call.cold_us),
                            at->second});
  }
  if (!(report.roofline.bytes_per_s > 0) || !(least > 0)) return chart;
  for (const auto& [dtype, rate] : report.roofline.operations_per_s) {
    const double ridge = rate / report.roofline.bytes_per_s;
    ChartLine line;
    line.label = absl::StrFormat("%s: %.3g GB/s, %.3g Gop/s", v1::Dtype::Code_Name(dtype),
                                 report.roofline.bytes_per_s / kPerGiga, rate / kPerGiga);
    line.points = {{std::min(least, ridge), report.roofline.bytes_per_s * std::min(least, ridge) / kPerGiga},
                   {ridge, rate / kPerGiga},
                   {std::max(most, ridge), rate / kPerGiga}};
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

std::vector<Block> PerformanceBlocks(const PerformanceReport& report, const Translator& t) {
  std::vector<Block> blocks;
  const auto part = [&](const std::string& text) { blocks.emplace_back(Heading{3, text}); };
  part(t("How it was measured"));
  blocks.emplace_back(Paragraph{
      t("Run $0 measured calls whose cases pass, each several times in a worker process, in rounds that lie "
        "apart in time. Times are medians; a share of the roofline is the time that the device needs at "
        "least, over the time measured with cold caches.",
        report.run_id)});
  for (const std::string& words : PerformanceWords(report, t)) blocks.emplace_back(Paragraph{words});
  part(t("Steps of models"));
  Table steps = StepsTable(report, t);
  steps.columns = {{t("Model")},      {t("Stage")},          {t("ms"), true},         {t("Low"), true},
                   {t("High"), true}, {t("Measured"), true}, {t("Operators by time")}};
  blocks.emplace_back(std::move(steps));
  part(t("Roofline"));
  blocks.emplace_back(RooflineChart(report, t));
  part(t("Calls by operator"));
  blocks.emplace_back(OperatorsTable(report, t));
  return blocks;
}

}  // namespace diopi::reports
