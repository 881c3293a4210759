// How often each of several outcomes should occur in independent draws, and how often it did.
#ifndef BASELINES_COMPARE_COUNTS_H_
#define BASELINES_COMPARE_COUNTS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "diopi/v1/finding.pb.h"

namespace diopi::baselines {

struct Counts {
  std::vector<double> mean, variance;  // sums over the draws of the probability p and of p(1 - p)
  std::vector<double> seen;

  explicit Counts(size_t count) : mean(count, 0), variance(count, 0), seen(count, 0) {}
  // `draws` draws with these probabilities.
  void Add(const std::vector<double>& p, double draws);
  // The first outcome that occurs too often or too rarely, as `what` ("index") and its number. The level is
  // divided among `checks` such objects. Each mean may be off by `room`.
  std::optional<v1::Finding> Check(const char* what, double checks, double room = 0) const;
};

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_COUNTS_H_
