#include "baselines/generate/exact_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "baselines/generate/generate.h"
#include "baselines/generate/widen.h"
#include "build_paths.h"
#include "cases/core/catalog.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

HostTensor Doubles(const std::vector<double>& values) {
  HostTensor tensor{D::float64, {static_cast<int64_t>(values.size())}, {}};
  tensor.data.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return tensor;
}

struct Runs {
  const char* name;
  std::vector<double> r, squares, ones, magnitude, probe;
  bool exact;       // float32
  bool exact_wide;  // float64
};

TEST(IsExactTest, NeedsIntegersThroughoutAndRoom) {
  for (const Runs& runs : std::vector<Runs>{
           {"a sum", {3, -4}, {9, 20}, {3, 3}, {5, 6}, {7, -2}, true, true},
           {"a copy sums nothing", {3, -4}, {9, 16}, {1, 1}, {3, 4}, {7, -2}, false, false},
           {"one sum among copies", {3, -4}, {9, 20}, {1, 2}, {3, 6}, {7, -2}, true, true},
           {"a mean that happens to be an integer", {3}, {9}, {1}, {3}, {7}, false, false},
           {"fractions in f(1)", {3, 4}, {9, 16}, {2.25, 2}, {3, 4}, {7, -2}, false, false},
           {"fractions in f(x)", {3.5, 4}, {9, 16}, {3, 2}, {4, 4}, {7, -2}, false, false},
           {"weights that only the probe shows", {3, 4}, {9, 16}, {3, 2}, {3, 4}, {7, -2.5}, false, false},
           {"too large for float32", {3, 4}, {9, 16}, {3, 2}, {3, 0x1p24}, {7, -2}, false, true},
           {"too large for both", {3, 4}, {9, 16}, {3, 2}, {3, 0x1p53}, {7, -2}, false, false},
           {"NaN", {NAN, 4}, {9, 16}, {3, 2}, {3, 4}, {7, -2}, false, false},
           {"empty", {}, {}, {}, {}, {}, false, false}}) {
    const HostTensor r = Doubles(runs.r);
    const HostTensor squares = Doubles(runs.squares);
    const HostTensor ones = Doubles(runs.ones);
    const HostTensor magnitude = Doubles(runs.magnitude);
    const HostTensor probe = Doubles(runs.probe);
    const LinearRuns linear{r, squares, ones, magnitude, probe};
    EXPECT_EQ(IsExact(linear, D::float32), runs.exact) << runs.name;
    EXPECT_EQ(IsExact(linear, D::float16), runs.exact) << runs.name;
    EXPECT_EQ(IsExact(linear, D::float64), runs.exact_wide) << runs.name;
  }
}

TEST(MayDriftTest, WhereTermsRepeatOrAreVeryMany) {
  const HostTensor one = Doubles(std::vector<double>(300, 0.1)), two = Doubles({0.1, 0.2, 0.1});
  std::vector<double> many(64, 0.1);
  many[5] = 0.2;
  std::vector<double> all(300);
  std::iota(all.begin(), all.end(), 0.0);
  const v1::Case c;
  EXPECT_TRUE(MayDrift(c, {{"x", one}}, 32));
  EXPECT_FALSE(MayDrift(c, {{"x", one}}, 31));
  // A bias of many values hides no products of few ones.
  EXPECT_TRUE(MayDrift(c, {{"bias", Doubles(all)}, {"x", Doubles(many)}}, 64));
  EXPECT_FALSE(MayDrift(c, {{"bias", Doubles(all)}, {"x", Doubles(many)}}, 63));
  EXPECT_FALSE(MayDrift(c, {{"bias", Doubles(all)}, {"x", two}}, 64)) << "too few to repeat";
  EXPECT_TRUE(MayDrift(c, {{"x", two}, {"y", two}}, 128));
  EXPECT_FALSE(MayDrift(c, {{"x", two}, {"y", two}}, 127));
  EXPECT_FALSE(MayDrift(c, {{"x", Doubles(all)}, {"y", Doubles(all)}}, 9000));
  EXPECT_TRUE(MayDrift(c, {{"x", Doubles(all)}}, 1e5));
  EXPECT_FALSE(MayDrift(c, {{"x", Doubles({})}}, 0));
}

// Each row of x and each column of y has one value, if many others have other ones.
TEST(MayDriftTest, WhereOneElementIsReadAlongADimension) {
  std::vector<double> all(300);
  std::iota(all.begin(), all.end(), 0.0);
  const TensorMap inputs = {{"x", Doubles(all)}, {"y", Doubles(all)}};
  for (const auto& [x, y, length, drifts] : std::vector<std::tuple<int64_t, int64_t, int64_t, bool>>{
           {0, 0, 46, true}, {0, 0, 31, false}, {0, 1, 46, false}, {1, 0, 46, false}}) {
    v1::Case c;
    for (const auto& [name, stride] : {std::pair{"x", x}, std::pair{"y", y}}) {
      v1::Argument* argument = c.add_args();
      argument->set_name(name);
      argument->mutable_tensor()->add_shape(length);
      argument->mutable_tensor()->add_strides(stride);
    }
    EXPECT_EQ(MayDrift(c, inputs, 46), drifts) << x << " " << y << " " << length;
  }
}

TEST(HasIntegerDataTest, LooksAtTensorsAndAttributes) {
  v1::Case c;
  const TensorMap whole = {{"x", Doubles({1, -3, 0})}};
  EXPECT_TRUE(HasIntegerData(c, whole));
  EXPECT_FALSE(HasIntegerData(c, {{"x", Doubles({1, 0.5})}}));
  EXPECT_FALSE(HasIntegerData(c, {{"x", Doubles({1, std::numeric_limits<double>::infinity()})}}));
  v1::Argument* alpha = c.add_args();
  alpha->mutable_scalar()->set_f(-2);
  EXPECT_TRUE(HasIntegerData(c, whole));
  EXPECT_EQ(WithMagnitudes(c).args(0).scalar().f(), 2);
  alpha->mutable_scalar()->set_f(0.7);
  EXPECT_FALSE(HasIntegerData(c, whole));
  alpha->mutable_scalar()->set_i(-5);
  EXPECT_TRUE(HasIntegerData(c, whole));
  EXPECT_EQ(WithMagnitudes(c).args(0).scalar().i(), 5);
  alpha->set_s("bilinear");
  EXPECT_FALSE(HasIntegerData(c, whole));
}

TEST(ProbeTest, IsSmallIntegersThatDiffer) {
  const HostTensor probe =
      WidenToFloat64({{"x", Doubles(std::vector<double>(100, 1))}}, Power::kProbe).at("x");
  double low = 0;
  double high = 0;
  for (int64_t i = 0; i < 100; ++i) {
    const double x = ElementAsDouble(D::float64, probe.data.data(), i);
    EXPECT_EQ(x, std::trunc(x));
    low = std::fmin(low, x);
    high = std::fmax(high, x);
  }
  EXPECT_EQ(low, -8);
  EXPECT_EQ(high, 8);
}

// Through the real oracle: what a sum, a mean and a product of integers are marked as.
TEST(GenerateCaseTest, MarksExactSumsAndStoresTheirTerms) {
  auto library = loader::InProcessLibrary::Open(DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so");
  ASSERT_TRUE(library.ok()) << library.status();
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  struct Row {
    const char* function;
    bool exact, terms;
  };
  for (const Row& row :
       {Row{"diopiSum", true, false}, {"diopiMean", false, false}, {"diopiMatmul", true, true}}) {
    v1::Selection selection;
    selection.add_functions(row.function);
    selection.add_dtypes(D::float32);
    auto selected = (*catalog)->Select(selection);
    ASSERT_TRUE(selected.ok()) << selected.status();
    ASSERT_FALSE(selected->empty());
    int exact = 0;
    for (v1::Case c : *selected) {
      for (v1::Argument& arg : *c.mutable_args()) {
        if (!arg.has_tensor() || !arg.tensor().has_fill()) continue;
        v1::Fill::Integers* integers = arg.mutable_tensor()->mutable_fill()->mutable_integers();
        integers->set_low(-9);
        integers->set_high(10);
        arg.mutable_tensor()->mutable_fill()->clear_specials();
      }
      const auto baseline = GenerateCase(**library, c);
      ASSERT_TRUE(baseline.ok()) << c.id() << baseline.status();
      exact += static_cast<int>(baseline->references.count("out.exact"));
      EXPECT_EQ(baseline->references.count("out.n") != 0, row.terms);
    }
    EXPECT_EQ(exact > 5, row.exact) << row.function;
    EXPECT_TRUE(row.exact || exact == 0) << row.function;
  }
}

}  // namespace
}  // namespace diopi::baselines
