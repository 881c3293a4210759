#include "client/shrink/shrink_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace diopi::shrink {
namespace {

v1::PointTensor* AddTensor(v1::Point* point, const std::string& name, std::vector<int64_t> shape) {
  v1::PointTensor* tensor = point->add_in();
  tensor->set_name(name);
  tensor->mutable_shape()->Assign(shape.begin(), shape.end());
  return tensor;
}

std::vector<int64_t> ShapeOf(const v1::Point& point, int tensor) {
  return {point.in(tensor).shape().begin(), point.in(tensor).shape().end()};
}

int64_t Elements(const v1::Point& point) {
  int64_t count = 1;
  for (const int64_t size : point.in(0).shape()) count *= size;
  return count;
}

// Two operands of one shape, far from simple.
v1::Point Big() {
  v1::Point point;
  AddTensor(&point, "input", {4, 5, 33})->mutable_layout()->set_kind(v1::Layout::strided);
  AddTensor(&point, "other", {4, 5, 33});
  AddTensor(&point, "mask", {33});
  v1::PointAttribute* alpha = point.add_attr();
  alpha->set_name("alpha");
  alpha->set_f(2.5);
  return point;
}

bool OperandsAgree(const v1::Point& point) {
  return point.in_size() >= 2 && point.in(1).name() == "other" && ShapeOf(point, 0) == ShapeOf(point, 1);
}

ShrinkResult Shrink(const v1::Point& point, const std::function<bool(const v1::Point&)>& fails) {
  return ShrinkPoint(point, fails, [](const std::string&) {}, {});
}

TEST(ShrinkPointTest, FindsTheSmallestSizeThatShowsAFault) {
  struct Row {
    const char* fault;
    std::function<bool(int64_t)> fails;
    int64_t smallest;
  };
  const Row rows[] = {{"anything", [](int64_t) { return true; }, 1},
                      {"a whole vector of 8 and a tail", [](int64_t n) { return n > 8 && n % 8 != 0; }, 9},
                      {"a tail of three", [](int64_t n) { return n >= 8 && n % 4 == 3; }, 11},
                      {"a second tile", [](int64_t n) { return n > 128; }, 129}};
  for (const Row& row : rows) {
    const ShrinkResult result =
        Shrink(Big(), [&](const v1::Point& p) { return OperandsAgree(p) && row.fails(Elements(p)); });
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(Elements(result.point), row.smallest) << row.fault << result.point.ShortDebugString();
    EXPECT_EQ(result.point.in_size(), 2) << "the mask is not needed";
    EXPECT_EQ(result.point.in(0).fill().constant().value(), 0);
    EXPECT_FALSE(result.point.in(0).has_layout());
    EXPECT_EQ(result.point.attr_size(), 0);
  }
}

TEST(ShrinkPointTest, KeepsWhatTheFaultNeeds) {
  const auto values = [](const v1::Point& p) { return p.in_size() > 0 && p.in(0).fill().has_constant(); };
  const ShrinkResult result = Shrink(Big(), [&](const v1::Point& p) {
    const bool attribute = p.attr_size() == 1 && p.attr(0).f() != 1 && p.attr(0).f() != 0;
    const bool strided = OperandsAgree(p) && p.in(0).layout().kind() == v1::Layout::strided;
    return attribute && strided && p.in(0).shape_size() == 3 && (!values(p) || p.in(0).fill().has_specials());
  });
  EXPECT_EQ(ShapeOf(result.point, 0), (std::vector<int64_t>{1, 1, 1}));
  EXPECT_EQ(result.point.attr(0).f(), 2.5);
  EXPECT_TRUE(result.point.in(0).fill().has_specials()) << "one non-zero element is the simplest that fails";
  EXPECT_FALSE(result.point.in(0).fill().specials().tail());
  EXPECT_FALSE(result.point.in(1).fill().has_specials());
}

TEST(ShrinkPointTest, StopsAtTheLimitAndAsksNoPointTwice) {
  std::vector<std::string> asked;
  const ShrinkResult result = ShrinkPoint(
      Big(),
      [&](const v1::Point& p) {
        asked.push_back(p.SerializeAsString());
        return false;
      },
      [](const std::string&) {}, {.most_tries = 7});
  EXPECT_EQ(result.tries, 7);
  EXPECT_EQ(result.steps, 0);
  EXPECT_FALSE(result.complete);
  std::sort(asked.begin(), asked.end());
  EXPECT_EQ(std::unique(asked.begin(), asked.end()), asked.end());
}

TEST(ShrinkPointTest, TriesNothingWhenTheTimeIsOver) {
  const ShrinkResult result = ShrinkPoint(
      Big(), [](const v1::Point&) { return true; }, [](const std::string&) {},
      {.most_time = std::chrono::seconds(0)});
  EXPECT_EQ(result.tries, 0);
  EXPECT_FALSE(result.complete);
}

TEST(ShrinkPointTest, SizesInListsGoWithShapes) {
  v1::Point point;
  AddTensor(&point, "input", {3, 20});
  point.add_attr()->set_name("normalized_shape");
  point.mutable_attr(0)->mutable_sizes()->add_values(20);
  const ShrinkResult result = Shrink(point, [](const v1::Point& p) {
    return p.attr_size() == 1 && p.in_size() == 1 && p.in(0).shape_size() == 2 &&
           p.in(0).shape(1) == p.attr(0).sizes().values(0) && p.in(0).shape(1) > 4;
  });
  EXPECT_EQ(ShapeOf(result.point, 0), (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(result.point.attr(0).sizes().values(0), 5);
}

}  // namespace
}  // namespace diopi::shrink
