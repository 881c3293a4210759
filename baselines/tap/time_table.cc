#include "baselines/tap/time_table.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace diopi::tap {
namespace {

constexpr size_t kMostShapes = 50;

}  // namespace

void TimeTable::Row::Add(double microseconds) {
  least = calls == 0 ? microseconds : std::min(least, microseconds);
  most = std::max(most, microseconds);
  total += microseconds;
  ++calls;
}

void TimeTable::Add(const std::string& function, const std::string& arguments, double microseconds,
                    bool by_device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++calls_;
  calls_by_device_ += by_device ? 1 : 0;
  functions_[function].Add(microseconds);
  shapes_[absl::StrCat(function, "  ", arguments)].Add(microseconds);
}

std::string TimeTable::Text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (functions_.empty()) return "";
  double all = 0;
  for (const auto& [name, row] : functions_) all += row.total;
  return absl::StrCat("Time by function\n", ClockText(), TableText(functions_, all, functions_.size()),
                      "Time by function and shapes\n", TableText(shapes_, all, kMostShapes));
}

std::string TimeTable::ClockText() const {
  constexpr char kHost[] = "by the host's clock, with the stream synchronised before and after each call";
  constexpr char kDevice[] = "by the device's clock, with an event before and after each call";
  if (calls_by_device_ == 0) return absl::StrCat("Times are ", kHost, ".\n");
  if (calls_by_device_ == calls_) return absl::StrCat("Times are ", kDevice, ".\n");
  return absl::StrCat("Times of ", calls_by_device_, " calls are ", kDevice, "; of ",
                      calls_ - calls_by_device_, " calls ", kHost, ".\n");
}

std::string TimeTable::TableText(const std::map<std::string, Row>& rows, double all, size_t limit) {
  std::vector<const std::pair<const std::string, Row>*> sorted;
  sorted.reserve(rows.size());
  for (const auto& row : rows) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->second.total > b->second.total; });
  std::string text = absl::StrFormat("%8s %12s %12s %12s %12s %7s  %s\n", "calls", "total ms", "mean us",
                                     "least us", "most us", "share", "function");
  for (size_t i = 0; i < sorted.size() && i < limit; ++i) {
    const Row& row = sorted[i]->second;
    absl::StrAppendFormat(&text, "%8d %12.3f %12.2f %12.2f %12.2f %5.1f %%  %s\n", row.calls,
                          row.total / 1000, row.total / static_cast<double>(row.calls), row.least, row.most,
                          all > 0 ? 100 * row.total / all : 0, sorted[i]->first);
  }
  if (sorted.size() > limit) absl::StrAppend(&text, "and ", sorted.size() - limit, " more\n");
  return text;
}

}  // namespace diopi::tap
