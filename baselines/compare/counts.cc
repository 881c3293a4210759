#include "baselines/compare/counts.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "baselines/compare/tails.h"

namespace diopi::baselines {

void Counts::Add(const std::vector<double>& p, double draws) {
  for (size_t k = 0; k < p.size(); ++k) {
    mean[k] += draws * p[k];
    variance[k] += draws * p[k] * (1 - p[k]);
  }
}

std::string Counts::Check(const char* what, double checks, double room) const {
  const double alpha = kAlpha / (checks * static_cast<double>(mean.size()));
  for (size_t k = 0; k < mean.size(); ++k) {
    const double bound = BernsteinBound(variance[k] + room, 1, alpha) + room;
    if (std::fabs(seen[k] - mean[k]) <= bound) continue;
    return absl::StrFormat(
        "%s %d occurs %.0f times, expected about %.1f; off by more than %.1f with a probability below 1e-7",
        what, k, seen[k], mean[k], bound);
  }
  return "";
}

}  // namespace diopi::baselines
