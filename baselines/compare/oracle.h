// The oracle of one noisy output as the gates read it: r and sigma, with what the device's contracts add.
//
//   q^2 = (3 sigma^2/u^2 - (n-1) r^2/3) / ((n-1)/2 + 1)       the closed form of sigma, solved for q^2
//   tf32:      sigma^2 += 2/3 u_t^2 q^2 + (1.5 u_t r)^2,              u_t = 2^-11      float32 outputs
//   tc32:      sigma^2 += [0.72 u (n/4) (0.53 q + 0.5 |r|)]^2         16-bit outputs always, float32 if
//   declared fastconv:  sigma^2 += u^2 (1100 + 9 n) max q^2                    float32 and 16-bit outputs
//   native16:  sigma, with fastconv, *= 2^13 (float16), 2^16 (bfloat16): u = 2^-11, 2^-8 instead of 2^-24
//   p_cast:    the same factors; a probability rounded to the 16-bit type is as wrong as one computed in it
//
// Verdict section 2, but fastconv. float64 outputs have no contracts. Where an attention or another
// composition has no n, tf32 scales sigma by 2^13, the ratio of the roundoffs, and tc32 adds nothing.
//
// Precision of q^2: sigma is stored as float32, so q^2 is good to 2^-23 of itself where sums cancel, and in
// the worst case, all products equal, to n * 2^-24 of itself: 6 % at n = 2^20. It is never taken below 0.
//
// fastconv's constant: Winograd F(4x4, 3x3), points 0, +-1, +-2, Inf, simulated in float32 against float64:
// 384 convolutions, C = 1..256, K = 4..32, inputs normal, normal around 3, uniform, lognormal. With the mean
// of q^2 in place of the maximum a lognormal image gave 24.8 sigma (a large pixel spoils its whole tile);
// with the maximum the worst element is 6.1 sigma, the RMS 0.15 to 0.37 and at the worst of a tile's 16
// places 1.2.
#ifndef BASELINES_COMPARE_ORACLE_H_
#define BASELINES_COMPARE_ORACLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "baselines/compare/contract.h"
#include "baselines/compare/expect.h"
#include "baselines/compare/pointwise.h"
#include "baselines/compare/rule.h"
#include "baselines/compare/tally.h"

namespace diopi::baselines {

// Reads the job's references, which outlive it; copies none of them. Thread-safe once loaded.
class OutputOracle {
 public:
  // False, with the reason, when the references are not r (float64) and sigma of r's shape.
  bool Load(const Job& job, const Contracts& declared, std::string* harness_error);

  const PointwiseRule& rule() const { return rule_; }
  // The declared contracts by which some element's sigma is wider than without them.
  const Contracts& widened() const { return widened_; }
  // KEY.exact is there and no contract in force breaks it: every order of summation gives RN_T(r).
  bool exact() const { return exact_; }

  // One element of `actual`, which has the output's dtype and shape.
  Sample At(const HostTensor& actual, int64_t index) const;
  Point PointAt(const HostTensor& actual, int64_t index) const;

  // All of `actual`, in blocks of kBlock elements merged in index order; memory for one block. `argmax`, if
  // given, becomes the index of the largest |z|, -1 where nothing was measured.
  Tally TallyAll(const HostTensor& actual, int64_t* argmax) const;

 private:
  double SigmaAt(int64_t index) const;
  double Adjusted(double sigma, double r, double n) const;
  double SquareSum(double sigma, double r, double n) const;
  void Adjust(const Job& job, const Contracts& allowed);
  void FindMaxSquareSum();
  Tally TallyBlock(const HostTensor& actual, int64_t begin, int64_t end, std::vector<double>* buffer) const;
  int64_t ArgMax(const HostTensor& actual, int64_t begin, double max_z) const;

  PointwiseRule rule_;
  OracleView view_;
  const HostTensor* n_ = nullptr;
  int64_t elements_ = 0;
  bool adjusted_ = false;  // anything below in force
  bool tf32_ = false;
  bool tc32_ = false;
  bool fastconv_ = false;
  double scale_ = 1;           // of sigma
  double max_square_sum_ = 0;  // max q^2, fastconv only
  bool exact_ = false;
  Contracts widened_;
};

// What TF32 leaves of a number: 11 bits. Integers beyond them make products inexact.
bool FitsTf32(const TensorMap& inputs);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_ORACLE_H_
