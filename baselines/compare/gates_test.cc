// Gates R, B and X over whole outputs, the device reference beside them, exact data, groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "baselines/compare/groups.h"
#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using Vec = std::vector<double>;
using ::testing::HasSubstr;

Vec NormalsFrom(uint64_t seed, size_t n) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  Vec x(n);
  for (double& v : x) v = normal(bits);
  return x;
}

double RoundTo(Dtype dtype, double x) {
  char bytes[8];
  StoreDouble(dtype, bytes, 0, x);
  return ElementAsDouble(dtype, bytes, 0);
}

// Rounds with an explicit direction: `round` gets x in units of the last place.
double RoundBy(Dtype dtype, double x, const std::function<double(double)>& round) {
  const FloatFormat format = FormatOf(dtype);
  const int exponent = std::max(std::ilogb(x), format.min_exponent);
  const double ulp = std::ldexp(1.0, exponent - format.precision + 1);
  return round(x / ulp) * ulp;
}

struct Rounding {
  const char* name;
  std::function<double(double)> round;
  const char* way;  // in the text; "" passes
};

TEST(GateB, CatchesEveryDirectedRoundingAndNoOther) {
  const Vec r = NormalsFrom(3, 4000);
  for (const Rounding& rounding : std::vector<Rounding>{
           {"nearest", [](double x) { return std::nearbyint(x); }, ""},
           {"truncated", [](double x) { return std::trunc(x); }, "truncated toward zero"},
           {"away", [](double x) { return x < 0 ? std::floor(x) : std::ceil(x); }, "rounded away from zero"},
           {"down", [](double x) { return std::floor(x); }, "rounded down"},
           {"up", [](double x) { return std::ceil(x); }, "rounded up"}}) {
    for (const Dtype dtype : {D::float16, D::bfloat16}) {
      Vec y;
      for (const double x : r) y.push_back(RoundBy(dtype, x, rounding.round));
      const v1::Verdict v = Pointwise(Row(dtype, y), r, 0);
      const bool passes = std::string(rounding.way).empty();
      EXPECT_EQ(v.outcome() == v1::OUTCOME_PASS, passes) << rounding.name << v.reason();
      EXPECT_THAT(v.likely_cause(), HasSubstr(rounding.way));
      EXPECT_THAT(v.outputs(0).gates(), ::testing::EndsWith(passes ? "" : "B"));
      EXPECT_GT(v.outputs(0).leaning(), 3900);
    }
  }
}

// One unit in the last place lost per element, less than P allows, all one way: r just above a number.
TEST(GateB, AloneWhenNoElementIsFarOff) {
  Vec r = NormalsFrom(4, 1000);
  Vec y;
  for (double& x : r) {
    const double at = RoundTo(D::float16, x);
    x = at + 0.6 * std::ldexp(std::copysign(1.0, at), std::ilogb(at) - 10);
    y.push_back(at);  // nearest would be the next: toward zero by 0.6
  }
  const v1::Verdict v = Pointwise(Row(D::float16, y), r, 0);
  EXPECT_EQ(v.outputs(0).gates(), "B");
  EXPECT_EQ(v.outputs(0).mismatches(), 0);
  EXPECT_EQ(v.outputs(0).soft(), 1000);
  EXPECT_THAT(v.reason(), HasSubstr("roundings are biased toward zero: by 2."));
}

TEST(GateB, LeavesRepeatedValuesAndDeviceBiasAlone) {
  // All elements are one value: RN(r) leans by itself, and a flip near a tie flips all.
  const Vec same(500, 1 + 0.49 * 0x1p-10);
  EXPECT_EQ(Pointwise(Row(D::float16, same), same, 0).outcome(), v1::OUTCOME_PASS);
  const Vec flipped(500, 1 + 0x1p-10);
  EXPECT_EQ(Pointwise(Row(D::float16, flipped), same, 0).outcome(), v1::OUTCOME_PASS);
  // So are values that lie close together.
  Vec close(500);
  for (size_t i = 0; i < close.size(); ++i) close[i] = 1 + (0.49 + 1e-5 * static_cast<double>(i)) * 0x1p-10;
  EXPECT_EQ(Pointwise(Row(D::float16, flipped), close, 0x1p-24).outcome(), v1::OUTCOME_PASS);
  // What the device reference does too is no defect of this device.
  const Vec r = NormalsFrom(5, 2000);
  Vec toward;
  for (const double x : r) {
    const double down =
        RoundBy(D::float16, x, [](double u) { return std::trunc(u + std::copysign(0.3, u)); });
    toward.push_back(down);
  }
  const v1::Case c = OneOutput(D::float16, v1::Judge::COMPOSITION);
  TensorMap references = Oracle({2000}, r, Vec(2000, 0));
  const TensorMap actual = {{"out", Row(D::float16, toward)}};
  EXPECT_EQ(CompareCase(c, {}, references, actual).outputs(0).gates(), "B");
  references["out.device"] = actual.at("out");
  EXPECT_EQ(CompareCase(c, {}, references, actual).outcome(), v1::OUTCOME_PASS);
}

TEST(Nearest, AlwaysPasses) {
  int verdicts = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    for (const size_t n : {size_t{1}, size_t{63}, size_t{64}, size_t{1000}}) {
      Vec r = NormalsFrom(seed, n);
      for (double& x : r) x *= std::ldexp(1.0, static_cast<int>(seed) - 30);
      for (const Dtype dtype : {D::float16, D::bfloat16, D::float32, D::float64}) {
        for (const double kf : {0.0, 3.0}) {
          EXPECT_EQ(Pointwise(Row(dtype, r), r, 0, kf).outcome(), v1::OUTCOME_PASS) << n << " " << seed;
          ++verdicts;
        }
      }
    }
  }
  EXPECT_EQ(verdicts, 1280);
}

TEST(GateR, CatchesWhatIsRoughEverywhereAndNowhereFarOff) {
  const size_t n = 10000;
  const Vec r = NormalsFrom(6, n);
  const Vec noise = NormalsFrom(7, n);
  const double sigma = 1e-4;  // far above the last place
  const auto verdict = [&](double scale, const TensorMap& more) {
    Vec y;
    for (size_t i = 0; i < n; ++i) y.push_back(r[i] + scale * sigma * std::fmax(-2, std::fmin(2, noise[i])));
    TensorMap references = Oracle({static_cast<int64_t>(n)}, r, Vec(n, sigma));
    references.insert(more.begin(), more.end());
    return CompareCase(OneOutput(D::float32, v1::Judge::COMPOSITION), {}, references,
                       {{"out", Row(D::float32, y)}});
  };
  EXPECT_EQ(verdict(1, {}).outcome(), v1::OUTCOME_PASS);
  const v1::Verdict rough = verdict(3, {});
  EXPECT_EQ(rough.outputs(0).gates(), "R");
  EXPECT_EQ(rough.outputs(0).mismatches(), 0);
  EXPECT_EQ(rough.outputs(0).groups(), 10000);
  EXPECT_THAT(rough.reason(), HasSubstr("the RMS error is 2.86"));
  EXPECT_THAT(rough.reason(), HasSubstr("at most 2.06 is allowed"));
  // A device reference that is as rough raises the limit of R and grades the ratio; it never moves P.
  Vec device;
  for (size_t i = 0; i < n; ++i) device.push_back(r[i] + 2 * sigma * noise[n - 1 - i]);
  const v1::Verdict beside = verdict(3, {{"out.device", Row(D::float32, device)}});
  EXPECT_EQ(beside.outcome(), v1::OUTCOME_PASS) << beside.reason();
  EXPECT_NEAR(beside.outputs(0).rms_z_device(), 2, 0.1);
  EXPECT_EQ(beside.outputs(0).grade(), "B");
  const v1::Verdict far = verdict(9, {{"out.device", Row(D::float32, device)}});
  EXPECT_THAT(far.outputs(0).gates(), HasSubstr("P"));
  EXPECT_THAT(far.reason(), HasSubstr("the device reference is off by"));
}

TEST(Grade, IsAgainstADeviceOnlyAndNeverALicence) {
  const v1::Verdict alone = Pointwise(Row(D::float32, {1, 2}), {1, 2}, 0);
  EXPECT_EQ(alone.outputs(0).grade(), "");
  EXPECT_EQ(alone.outputs(0).rmse_ratio(), 1);  // nothing over nothing
  // Ratios at and around the steps: the device is off by 0.2 everywhere.
  for (const auto& [ratio, grade] : std::vector<std::pair<double, const char*>>{
           {1.25, "A"}, {1.3, "B"}, {2, "B"}, {2.1, "C"}, {8, "C"}, {8.5, "D"}}) {
    const v1::Case loose = OneOutput(D::float64, v1::Judge::COMPOSITION);
    TensorMap references = Oracle({2}, {0, 0}, {1, 1});
    references["out.device"] = Row(D::float64, {0.25, -0.25});
    const v1::Verdict v =
        CompareCase(loose, {}, references, {{"out", Row(D::float64, {0.25 * ratio, -0.25 * ratio})}});
    EXPECT_EQ(v.outputs(0).grade(), grade) << ratio;
    EXPECT_NEAR(v.outputs(0).rmse_ratio(), ratio, 1e-6);
  }
  TensorMap odd = Oracle({2}, {0, 0}, {1, 1});
  odd["out.device"] = Row(D::float32, {0, 0});
  EXPECT_EQ(CompareCase(OneOutput(D::float64, v1::Judge::MATH), {}, odd, {{"out", Row(D::float64, {0, 0})}})
                .outcome(),
            v1::OUTCOME_HARNESS_ERROR);
}

TEST(ExactData, MustBeMetExactly) {
  const v1::Case c = OneOutput(D::float16, v1::Judge::ACCUMULATION);
  TensorMap references = Oracle({4}, {2049, 0, -7, 65520}, Vec(4, 10));
  const HostTensor nearest =
      Row(D::float16, {2048, -0.0, -7, kInf});  // ties to even; the sign of zero is free
  const HostTensor off = Row(D::float16, {2050, 0, -7, kInf});
  EXPECT_EQ(CompareCase(c, {}, references, {{"out", off}}).outcome(), v1::OUTCOME_PASS);
  references["out.exact"] = HostTensor{D::uint8, {}, std::string(1, '\1')};
  EXPECT_EQ(CompareCase(c, {}, references, {{"out", nearest}}).outcome(), v1::OUTCOME_PASS);
  const v1::Verdict v = CompareCase(c, {}, references, {{"out", off}});
  EXPECT_EQ(v.outputs(0).gates(), "X");
  EXPECT_EQ(v.outputs(0).mismatches(), 1);
  EXPECT_EQ(v.reason(),
            "out: 1 of 4 elements differs, first at [0]: got 2050, expected 2048 exactly; every order of "
            "summation gives the expected value");
  EXPECT_EQ(CompareCase(c, {}, references, {{"out", Row(D::float16, {2048, 0, -7, 65504})}}).outcome(),
            v1::OUTCOME_FAIL);
  // 16-bit arithmetic rounds on the way.
  CompareOptions native;
  native.contracts = Contracts{.native16 = true};
  EXPECT_EQ(CompareCase(c, {}, references, {{"out", off}}, native).outcome(), v1::OUTCOME_PASS);
}

TEST(Groups, FollowTheDeclaration) {
  struct Row4 {
    const char* groups;
    std::vector<int64_t> shape;
    int64_t dim;  // attribute, 99: none
    int64_t expected;
  };
  for (const Row4& row : {Row4{"", {3, 5}, 99, 15},
                          {"element", {3, 5}, 99, 15},
                          {"all", {3, 5}, 99, 1},
                          {"row", {3, 5}, 99, 3},
                          {"row", {3, 5}, 0, 5},
                          {"row", {3, 5}, -1, 3},
                          {"row", {}, -1, 1},
                          {"channel", {3, 5, 2}, 99, 5},
                          {"channel", {3}, 99, 3},
                          {"row", {0, 5}, 1, 0}}) {
    v1::Case c = OneOutput(D::float32, v1::Judge::COMPOSITION);
    c.mutable_judges(0)->set_groups(row.groups);
    if (row.dim != 99) AddInt(&c, "dim", row.dim);
    const JudgedOutput judged = JudgedOutputs(c).at(0);
    EXPECT_EQ(GroupsOf(c, judged, row.shape), row.expected) << row.groups;
    if (row.expected == 0) continue;
    EXPECT_EQ(GroupOf(c, judged, row.shape, NumElements(row.shape) - 1), row.expected - 1) << row.groups;
  }
  v1::Case c = OneOutput(D::float32, v1::Judge::COMPOSITION);
  c.mutable_judges(0)->set_groups("row");
  v1::Argument* normalized = c.add_args();
  normalized->set_name("normalized_shape");
  for (const int64_t size : {5, 7}) normalized->mutable_sizes()->add_values(size);
  EXPECT_EQ(GroupsOf(c, JudgedOutputs(c).at(0), {4, 5, 7}), 4);
  for (const auto& [begin, expected] : {std::pair{0, 1}, {1, 4}, {2, 20}, {-1, 20}, {-2, 4}}) {
    v1::Case from = OneOutput(D::float32, v1::Judge::COMPOSITION);
    from.mutable_judges(0)->set_groups("row");
    AddInt(&from, "begin_norm_axis", begin);
    const JudgedOutput judged = JudgedOutputs(from).at(0);
    EXPECT_EQ(GroupsOf(from, judged, {4, 5, 7}), expected) << begin;
    EXPECT_EQ(GroupOf(from, judged, {4, 5, 7}, 4 * 5 * 7 - 1), expected - 1) << begin;
  }
}

TEST(Statistics, OfEveryOutput) {
  const v1::Verdict v = Pointwise(Row(D::float32, {1, 2, 4}), {1, 2 + 0x1p-24, 4}, 0);
  EXPECT_EQ(v.outputs(0).argmax(), 1);
  EXPECT_EQ(v.outputs(0).groups(), 3);
  EXPECT_EQ(v.outputs(0).digest().size(), 16u);
  const v1::Case exact = OneOutput(D::int32, v1::Judge::EXACT);
  const auto digest = [&](double x) {
    return CompareCase(exact, {}, {{"out", Row(D::int32, {1})}}, {{"out", Row(D::int32, {x})}})
        .outputs(0)
        .digest();
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
  EXPECT_EQ(Pointwise(Tensor(D::float32, {0}, {}), {}, 0).outputs(0).argmax(), -1);
  // The largest |z| in a later block.
  Vec many(200000, 1);
  many[150001] = 1 - 0x1p-25;
  EXPECT_EQ(Pointwise(Row(D::float32, Vec(200000, 1)), many, 0).outputs(0).argmax(), 150001);
}

}  // namespace
}  // namespace diopi::baselines
