// Tests whether one set of times is larger than another, for many sets at once.
#ifndef REPORTS_PERFORMANCE_STATISTICS_H_
#define REPORTS_PERFORMANCE_STATISTICS_H_

#include <cstddef>
#include <vector>

namespace diopi::reports {

// The one-sided rank sum test (H. B. Mann, D. R. Whitney, "On a test of whether one of two random variables
// is stochastically larger than the other", Annals of Mathematical Statistics 18 (1947) 50-60): the
// probability of ranks at least this high in `after` if both came from one distribution, whatever it is.
// Exact for up to kExactPairs pairs of samples without ties; otherwise by the normal approximation, corrected
// for ties and continuity. 1 where either is empty.
double RankTest(const std::vector<double>& before, const std::vector<double>& after);
inline constexpr size_t kExactPairs = 400;

// The p values adjusted for their number by Holm's step-down method (S. Holm, Scandinavian Journal of
// Statistics 6 (1979) 65-70): those at most alpha are findings, and the chance of any false finding is at
// most alpha. A method that bounds only the share of false findings among all (Benjamini-Hochberg) would find
// more, but each of its findings could be the false one, and each accuses somebody's function.
std::vector<double> HolmAdjusted(const std::vector<double>& p);

}  // namespace diopi::reports

#endif  // REPORTS_PERFORMANCE_STATISTICS_H_
