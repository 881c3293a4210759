// Bounds for the checks of random output. Every threshold keeps the false alarm rate of one check at or below
// kAlpha at every sample size, by exact tails or by inequalities that hold without asymptotics.
#ifndef BASELINES_COMPARE_TAILS_H_
#define BASELINES_COMPARE_TAILS_H_

#include <cstdint>
#include <vector>

namespace diopi::baselines {

inline constexpr double kAlpha = 1e-7;
inline constexpr double kNormalBound = 5.33;  // |Z| of a normal variable: 2 Q(5.33) = 1e-7
inline constexpr double kKsBound = 2.90;      // sqrt(N) D: 2 exp(-2 * 2.9^2) = 1e-7 (Massart)

// True when k successes of n at probability p lie in a tail of probability below kAlpha/2, exactly.
bool BinomialRejects(int64_t n, int64_t k, double p);

// The deviation that a sum of independent zero-mean terms, each at most `range` in magnitude, with summed
// variance `variance`, exceeds with probability at most `alpha`, either way (Bernstein).
double BernsteinBound(double variance, double range, double alpha = kAlpha);

// Bounds for the sum of n squared standard normals (Laurent and Massart).
double ChiSquareUpper(int64_t n);
double ChiSquareLower(int64_t n);

// What z adds to the fourth moment: z^4 - 6 z^2 + 3, of mean 0 and variance 24 for a normal z. Unlike z^4, it
// is hardly moved by a variance that is off, and varies by half as much.
inline double FourthMomentTerm(double z) {
  return (z * z - 6) * z * z + 3;
}

// How far below and above 0 the sum of those terms of n standard normals may lie. No term is less than -6;
// above, the few numbers beyond sqrt(2 ln(4n/alpha)), of which there is one with a probability of alpha/4,
// are left out (Bernstein on either side).
struct FourthMomentBounds {
  double below, above;
};
FourthMomentBounds BoundsOfFourthMoment(double n);

// The threshold for Pearson's statistic over `bins` cells of at least 64 expected counts each: chi-square at
// a normal quantile of 6 (1e-9), the rest being room for the multinomial's heavier tail.
double PearsonBound(int64_t bins);

// Sorts in ascending order, with vector instructions where the processor has them. No number may be NaN.
void SortNumbers(std::vector<double>* numbers);

// A lower bound of sqrt(N) times the Kolmogorov-Smirnov distance from the uniform distribution, for values
// that are known to lie within [low[i], high[i]]. Sorts both.
double KsStatistic(std::vector<double>* low, std::vector<double>* high);

double NormalCdf(double x);
// Within 1e-12 of NormalCdf, and two to four times as fast: for many numbers.
double NearNormalCdf(double x);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_TAILS_H_
