#include "cases/explore/extents.h"

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

namespace diopi::explore {
namespace {

constexpr int64_t kRound = 1000;

const std::vector<int64_t>& Boundaries() {
  static const std::vector<int64_t> boundaries = [] {
    std::set<int64_t> all = {0, 1, 2, 3, 4, 5, kRound};
    for (int64_t power = 8; power <= int64_t{1} << 20; power *= 2) all.insert({power - 1, power, power + 1});
    return std::vector<int64_t>(all.begin(), all.end());
  }();
  return boundaries;
}

}  // namespace

int64_t DrawExtent(int64_t low, int64_t high, Draws* draws) {
  if (high <= low) return low;
  const std::vector<int64_t>& all = Boundaries();
  const auto begin = std::lower_bound(all.begin(), all.end(), low);
  const auto end = std::upper_bound(all.begin(), all.end(), high);
  if (begin < end && draws->Below(4) != 0) return *(begin + draws->Below(end - begin));
  const auto bits = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(high - low)));
  const int64_t range = std::min(int64_t{1} << draws->Below(bits + 1), high - low + 1);
  return low + draws->Below(range);
}

int64_t ExtentClass(int64_t extent) {
  const std::vector<int64_t>& all = Boundaries();
  if (extent <= 5 || std::binary_search(all.begin(), all.end(), extent)) return extent;
  return -static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(extent)));
}

}  // namespace diopi::explore
