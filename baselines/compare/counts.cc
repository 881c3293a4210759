#include "baselines/compare/counts.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "baselines/compare/tails.h"
#include "cases/findings/finding.h"

namespace diopi::baselines {

void Counts::Add(const std::vector<double>& p, double draws) {
  for (size_t k = 0; k < p.size(); ++k) {
    mean[k] += draws * p[k];
    variance[k] += draws * p[k] * (1 - p[k]);
  }
}

std::optional<v1::Finding> Counts::Check(const char* what, double checks, double room) const {
  const double alpha = kAlpha / (checks * static_cast<double>(mean.size()));
  for (size_t k = 0; k < mean.size(); ++k) {
    const double bound = BernsteinBound(variance[k] + room, 1, alpha) + room;
    if (std::fabs(seen[k] - mean[k]) <= bound) continue;
    return Found(v1::Finding::OCCURS)
        .Word(what)
        .Index(static_cast<int64_t>(k))
        .Count(static_cast<int64_t>(seen[k]))
        .Expected(absl::StrFormat("%.1f", mean[k]))
        .Limit(absl::StrFormat("%.1f", bound));
  }
  return std::nullopt;
}

}  // namespace diopi::baselines
