// The median of samples, and how certain it is.
#ifndef CASES_BASE_MEDIAN_H_
#define CASES_BASE_MEDIAN_H_

#include <vector>

namespace diopi {

struct MedianInterval {
  double low = 0;
  double median = 0;
  double high = 0;
  // (high - low) / median; 0 where the median is 0.
  double RelativeWidth() const { return median > 0 ? (high - low) / median : 0; }
};

// The interval of two order statistics that contains the median of the samples' distribution with a
// probability of at least 95 %, whatever the distribution (H. A. David, H. N. Nagaraja, "Order Statistics",
// section 7.1); from the least to the greatest sample where there are fewer than six. Zeros without samples.
MedianInterval IntervalOfMedian(std::vector<double> samples);

}  // namespace diopi

#endif  // CASES_BASE_MEDIAN_H_
