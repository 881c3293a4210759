// Tests whether something grew past a factor, as opposed to noise.
//
// The test is the exact one-sided sign test over pairs (W. J. Dixon, A. M. Mood, "The statistical sign test",
// Journal of the American Statistical Association 41 (1946) 557-566). If the median ratio is at most F, a
// pair's ratio is above F with a probability of at most 1/2, and at least k of n are with probability at most
//   p = sum over i = k..n of C(n, i) / 2^n.
// The test assumes nothing about the distribution, and an outlier counts as one sign. Many groups are tested
// at once, so p is compared with alpha by Holm's step-down method (S. Holm, Scandinavian Journal of
// Statistics 6 (1979) 65-70): the chance of any false finding is at most alpha.
#ifndef REPORTS_GATE_EVIDENCE_H_
#define REPORTS_GATE_EVIDENCE_H_

#include <map>
#include <string>
#include <vector>

namespace diopi::reports {

// The chance that a gate makes any false finding.
inline constexpr double kAlpha = 0.01;

struct Pair {
  double before = 0;  // both above 0
  double after = 0;
};

struct Growth {
  std::string group;
  int pairs = 0;
  int above = 0;  // pairs with after / before > factor
  double median_ratio = 1;
  double p = 1;
  bool grew = false;  // by the test
};

// P(X >= k) for X binomial with n trials of probability 1/2. 1 for k <= 0, 0 for k > n.
double SignTest(int n, int k);

// 1 without pairs.
double MedianRatio(const std::vector<Pair>& pairs);

// One entry per group with at least one pair, by name.
std::vector<Growth> JudgeGrowth(const std::map<std::string, std::vector<Pair>>& groups, double factor,
                                double alpha = kAlpha);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_EVIDENCE_H_
