// The oracle of one noisy output for the gates: r and sigma, with what the device's contracts add.
//
//   q^2 = (3 sigma^2/u^2 - (n-1) r^2/3) / ((n-1)/2 + 1)       the closed form of sigma, solved for q^2
//   tf32:      sigma^2 += 2/3 u_t^2 q^2 + (1.5 u_t r)^2, u_t = 2^-11
//              float32 outputs
//   tc32:      sigma^2 += [0.72 u (n/4) (0.53 q + 0.5 |r|)]^2
//              16-bit outputs always, float32 outputs where it is declared
//   fastconv:  sigma^2 += u^2 (1100 + 9 n) max q^2
//              float32 and 16-bit outputs
//   native16:  the same closed form with u = 2^-11 (float16), 2^-8 (bfloat16), sums in runs of at most
//              L = 512, 64 terms whose results are added in a tree, and 5 sigma instead of 8
//   p_cast:    sigma *= 2^13, 2^16: a probability rounded to the 16-bit type, as wrong as one computed in it
//
// docs/method.md, section 6, explains them. float64 outputs have no contracts. Where a composition, such as
// attention, has no n, tf32 scales sigma by 2^13, the ratio of the roundoffs, and tc32 adds nothing.
//
// native16's constants were measured with real 16-bit arithmetic, libdiopi_native16: every 16-bit case of the
// suite, sums in runs of 32, in 32 lanes and in pairs. The worst of 11,991 outputs lies 4.03 sigma off. A sum
// of n > L terms has, with m = min(n, L) and B = n/m runs,
//   sigma^2 = u^2/3 [(m-1) (5/6 q^2 + r^2/(3 B)) + 2 r^2 + log2(B) q^2 + q^2],
// and a norm, whose terms have one sign and whose n is not stored, less by the same ratio. Longer runs lose
// terms: L is a quarter of what makes an addend vanish. An element whose 16-bit evaluation itself is outside
// of this tolerance, because an intermediate result overflows or underflows, may be what that evaluation
// gives (KEY.native16); it may not be infinite otherwise.
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

#include <array>
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
  // KEY.exact exists and no contract in force invalidates it: every order of summation gives RN_T(r).
  bool exact() const { return exact_; }

  // True where the element is outside the tolerance, but within it of a 16-bit evaluation that is outside as
  // well.
  bool excuses() const { return native16_.front() != nullptr; }
  bool Excused(const HostTensor& actual, int64_t index) const;
  // What the 16-bit evaluation with sums in blocks gives there; NaN where native16 is not declared or there
  // is none.
  double Evaluated(int64_t index) const;

  // One element of `actual`, which has the output's dtype and shape.
  Sample At(const HostTensor& actual, int64_t index) const;
  Point PointAt(const HostTensor& actual, int64_t index) const;

  // All of `actual`, in blocks of kBlock elements merged in index order; memory for one block. `argmax`, if
  // given, becomes the index of the largest |z|, -1 where nothing was measured.
  Tally TallyAll(const HostTensor& actual, int64_t* argmax) const;

 private:
  double SigmaAt(int64_t index) const;
  double Adjusted(double sigma, double plain, double r, double n) const;
  double SquareSum(double sigma, double r, double n) const;
  double Native16(double sigma, double r, double n) const;
  void Adjust(const Job& job, const Contracts& allowed);
  void FindMaxSquareSum();
  Tally TallyBlock(const HostTensor& actual, int64_t begin, int64_t end, std::vector<double>* buffer) const;
  int64_t ArgMax(const HostTensor& actual, int64_t begin, double max_z) const;

  PointwiseRule rule_;
  OracleView view_;
  const HostTensor* n_ = nullptr;
  const HostTensor* plain_ = nullptr;  // sigma's part that scale_ applies to; null: all of it
  int64_t elements_ = 0;
  bool adjusted_ = false;  // anything below in force
  bool tf32_ = false;
  bool tc32_ = false;
  bool fastconv_ = false;
  double scale_ = 1;      // of sigma
  double run_ = 0;        // L of native16; 0: not in force
  double terms_ = 1;      // of a reduction whose n is not stored
  double stored_as_ = 0;  // u of the 16-bit type that a float32 output was computed in; 0: its own
  std::array<const HostTensor*, 4> native16_{};  // in blocks, pairs, lanes, cautious; null: not known
  double max_square_sum_ = 0;                    // max q^2, fastconv only
  bool exact_ = false;
  Contracts widened_;
};

// TF32 keeps 11 bits of a number. Integers beyond them make products inexact.
bool FitsTf32(const TensorMap& inputs);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_ORACLE_H_
