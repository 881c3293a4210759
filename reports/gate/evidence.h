// Whether something grew past a factor, told from noise.
//
// The test is the exact one-sided sign test over pairs (W. J. Dixon, A. M. Mood, "The statistical sign test",
// Journal of the American Statistical Association 41 (1946) 557-566): were the median ratio no more than F, a
// pair's ratio would be above F with a probability of at most 1/2, so that k of n or more of them are with
//   p = sum over i = k..n of C(n, i) / 2^n.
// It asks nothing of the distribution, and one outlier is one sign. Many groups are tested at once, so p is
// held against alpha by Holm's step-down (S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70): the
// chance of any false finding is at most alpha.
#ifndef REPORTS_GATE_EVIDENCE_H_
#define REPORTS_GATE_EVIDENCE_H_

#include <map>
#include <string>
#include <vector>

namespace diopi::reports {

// The chance of any false finding of one gate.
inline constexpr double kAlpha = 0.01;

struct Pair {
  double before = 0;  // both above 0
  double after = 0;
};

struct Growth {
  std::string group;
  int pairs = 0;
  int above = 0;  // of these: after / before > factor
  double median_ratio = 1;
  double p = 1;
  bool grew = false;  // with evidence
};

// P(X >= k) for X binomial with n trials of probability 1/2. 1 for k <= 0, 0 for k > n.
double SignTest(int n, int k);

// 1 when there are none.
double MedianRatio(const std::vector<Pair>& pairs);

// One entry a group with at least one pair, by name.
std::vector<Growth> JudgeGrowth(const std::map<std::string, std::vector<Pair>>& groups, double factor,
                                double alpha = kAlpha);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_EVIDENCE_H_
