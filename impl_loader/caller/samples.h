// Which of a case's timed samples count.
#ifndef DIOPI_IMPL_LOADER_CALLER_SAMPLES_H_
#define DIOPI_IMPL_LOADER_CALLER_SAMPLES_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace diopi::loader {

// Collects `most` samples. One during which the machine ran something else is taken again; such samples count
// only where there would otherwise be fewer than `fewest`, and there are at most `most` of them. Not
// thread-safe.
class SampleSet {
 public:
  SampleSet(int most, int fewest) : most_(Count(most)), fewest_(std::min(Count(fewest), most_)) {}

  void Add(double microseconds, bool disturbed) {
    (disturbed ? disturbed_ : undisturbed_).push_back(microseconds);
  }
  bool Complete() const { return undisturbed_.size() >= most_ || disturbed_.size() >= most_; }
  // Whether there are enough to stop early: with the disturbed ones when the time is over, without them when
  // the median is known well.
  bool EnoughTaken() const { return undisturbed_.size() + disturbed_.size() >= fewest_; }
  bool EnoughUndisturbed() const { return undisturbed_.size() >= fewest_; }
  const std::vector<double>& undisturbed() const { return undisturbed_; }

  // The samples that count; adds the number of disturbed ones among them to *disturbed.
  std::vector<double> Take(int* disturbed) && {
    const std::size_t missing = fewest_ - std::min(fewest_, undisturbed_.size());
    const std::size_t used = std::min(missing, disturbed_.size());
    undisturbed_.insert(undisturbed_.end(), disturbed_.begin(),
                        disturbed_.begin() + static_cast<std::ptrdiff_t>(used));
    *disturbed += static_cast<int>(used);
    return std::move(undisturbed_);
  }

 private:
  static std::size_t Count(int n) { return static_cast<std::size_t>(std::max(n, 0)); }

  std::size_t most_;
  std::size_t fewest_;
  std::vector<double> undisturbed_;
  std::vector<double> disturbed_;
};

}  // namespace diopi::loader

#endif  // DIOPI_IMPL_LOADER_CALLER_SAMPLES_H_
