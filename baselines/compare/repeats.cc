// Of all windows, those are kept whose hash, which rolls along the output, happens to end in zeros: about
// 2^18 of them, and of equal windows all or none. So two equal stretches that are long enough have some kept
// window in common, however far apart and however aligned they are: of 2^25 numbers every 128th window is
// kept, and stretches of 1,000 numbers share one with a probability of 0.9996.
#include "baselines/compare/repeats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "baselines/compare/tails.h"
#include "cases/base/dtype.h"
#include "cases/findings/finding.h"

namespace diopi::baselines {
namespace {

constexpr int64_t kKeptWindows = int64_t{1} << 18;
constexpr double kBitsOfWindow = 80;
constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;  // odd

uint64_t MixBits(uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
  return x ^ (x >> 32);
}

template <typename Bits>
class RepeatSearch {
 public:
  RepeatSearch(const TensorView& actual, double one_value)
      : data_(actual.data),
        n_(static_cast<int64_t>(data_.size() / sizeof(Bits))),
        window_(static_cast<int64_t>(std::ceil(kBitsOfWindow / -std::log2(one_value)))),
        longest_(static_cast<int64_t>(
            1 + std::ceil(std::log(kAlpha / static_cast<double>(n_)) / std::log(one_value)))),
        mask_(std::bit_ceil(static_cast<uint64_t>((n_ + kKeptWindows - 1) / kKeptWindows)) - 1) {
    for (int64_t i = 0; i < window_; ++i) leaving_ *= kFactor;
  }

  std::optional<v1::Finding> Run() {
    if (n_ < 2 * window_) return std::nullopt;
    kept_.reserve(static_cast<size_t>(std::min(n_, 2 * kKeptWindows)));
    uint64_t hash = 0;
    std::vector<uint64_t> in_window(static_cast<size_t>(window_));  // mixed bits of its numbers, in turn
    size_t oldest = 0;
    int64_t alike = 0;
    Bits last = static_cast<Bits>(~At(0));
    for (int64_t i = 0; i < n_; ++i) {
      const Bits bits = At(i);
      alike = bits == last ? alike + 1 : 1;
      last = bits;
      if (alike > longest_) return AllEqual(i);
      const uint64_t mixed = MixBits(bits + 1);
      hash = hash * kFactor + mixed - in_window[oldest] * leaving_;
      in_window[oldest] = mixed;
      if (++oldest == in_window.size()) oldest = 0;
      if ((hash & mask_) == 0 && i + 1 >= window_) kept_.emplace_back(MixBits(hash), i + 1 - window_);
    }
    return Repetition();
  }

 private:
  Bits At(int64_t i) const {
    Bits bits;
    std::memcpy(&bits, data_.data() + static_cast<size_t>(i) * sizeof(Bits), sizeof(Bits));
    return bits;
  }
  std::string_view Window(int64_t i) const {
    return data_.substr(static_cast<size_t>(i) * sizeof(Bits), static_cast<size_t>(window_) * sizeof(Bits));
  }

  v1::Finding AllEqual(int64_t last) const {
    return Found(v1::Finding::ALL_EQUAL).Count(longest_ + 1).Index(last - longest_);
  }

  // Drops the windows whose mark no other window shares, which are most of them. Sorting them would take
  // longer.
  void DropSingles() {
    std::vector<uint8_t> marked(8 * std::bit_ceil(kept_.size() + 1));
    const auto mark = [&](uint64_t hash) -> uint8_t& { return marked[hash >> 40 & (marked.size() - 1)]; };
    for (const auto& [hash, at] : kept_) {
      uint8_t& times = mark(hash);
      times = times == 0 ? 1 : 2;
    }
    std::erase_if(kept_, [&](const auto& window) { return mark(window.first) == 1; });
  }

  // Equal hashes may be chance: the windows are compared.
  std::optional<v1::Finding> Repetition() {
    DropSingles();
    std::sort(kept_.begin(), kept_.end());
    for (size_t i = 1; i < kept_.size(); ++i) {
      const auto [hash, at] = kept_[i - 1];
      if (kept_[i].first != hash || Window(at) != Window(kept_[i].second)) continue;
      return Found(v1::Finding::BLOCK_REPEATS).Count(window_).Index(kept_[i].second).Of(at);
    }
    return std::nullopt;
  }

  const std::string_view data_;
  const int64_t n_;
  const int64_t window_;
  const int64_t longest_;  // run of equal numbers
  const uint64_t mask_;
  uint64_t leaving_ = 1;
  std::vector<std::pair<uint64_t, int64_t>> kept_;  // hashes and first elements of windows
};

}  // namespace

std::optional<v1::Finding> CheckRepeats(const TensorView& actual, double one_value) {
  if (!(one_value < 1)) return std::nullopt;
  switch (ElementSize(actual.dtype)) {
    case 1:
      return RepeatSearch<uint8_t>(actual, one_value).Run();
    case 2:
      return RepeatSearch<uint16_t>(actual, one_value).Run();
    case 4:
      return RepeatSearch<uint32_t>(actual, one_value).Run();
    default:
      return RepeatSearch<uint64_t>(actual, one_value).Run();
  }
}

}  // namespace diopi::baselines
