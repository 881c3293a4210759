// Calls that an operator's file, or an exploration, may describe although they make no sense: shape rules
// refuse them, whatever the ranks of tensors and the values of attributes.
#include "cases/core/shape_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "cases/core/case_builder.h"
#include "cases/core/core_testing.h"

namespace diopi::cases {
namespace {

using ::testing::HasSubstr;

// The point with each of its tensors of every lower rank, and each of its attributes 0, -1 or without
// entries.
void ForEachOddPoint(const v1::Point& point, const std::function<void(const v1::Point&)>& use) {
  for (int i = 0; i < point.in_size(); ++i) {
    v1::Point odd = point;
    auto* const shape = odd.mutable_in(i)->mutable_shape();
    while (!shape->empty()) {
      shape->RemoveLast();
      use(odd);
    }
  }
  for (int i = 0; i < point.attr_size(); ++i) {
    v1::Point odd = point;
    v1::PointAttribute* const attribute = odd.mutable_attr(i);
    for (const int64_t value : {0, -1}) {
      if (attribute->has_i()) attribute->set_i(value);
      if (attribute->has_f()) attribute->set_f(static_cast<double>(value));
      if (attribute->has_sizes())
        for (int64_t& size : *attribute->mutable_sizes()->mutable_values()) size = value;
      use(odd);
    }
    if (!attribute->has_sizes()) continue;
    attribute->mutable_sizes()->clear_values();
    use(odd);
  }
}

TEST(ShapeRules, TakeTensorsOfAnyRank) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  int built = 0, refused = 0;
  for (const v1::OperatorFile& op : catalog->operators()) {
    for (const v1::FunctionRules& rules : op.function()) {
      for (const v1::Grid& grid : op.grid()) {
        if (grid.point().empty()) continue;
        ForEachOddPoint(grid.point(0), [&](const v1::Point& odd) {
          const absl::StatusOr<Fit> fit = BuildCase(op, rules, odd, v1::Dtype::float32);
          ++(fit.ok() && fit->c.has_value() ? built : refused);
        });
      }
    }
  }
  EXPECT_GT(built, 1000);
  EXPECT_GT(refused, 1000);
}

// What such a call of `function` is answered with, at the first point of its own file.
std::string AnswerTo(const Catalog& catalog, const std::string& function,
                     const std::function<void(v1::Point*)>& change) {
  for (const v1::OperatorFile& op : catalog.operators()) {
    const v1::FunctionRules* rules = FindRules(op, function);
    if (rules == nullptr) continue;
    v1::Point point = op.grid(0).point(0);
    change(&point);
    return std::string(BuildCase(op, *rules, point, v1::Dtype::float32).status().message());
  }
  return "no such function";
}

TEST(ShapeRules, SayWhatIsMissing) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  const auto flat = [](const std::string& name) {
    return [name](v1::Point* point) {
      for (v1::PointTensor& tensor : *point->mutable_in())
        if (tensor.name() == name) tensor.clear_shape();
    };
  };
  const auto zero = [](const std::string& name) {
    return [name](v1::Point* point) {
      for (v1::PointAttribute& attribute : *point->mutable_attr()) {
        if (attribute.name() != name) continue;
        for (int64_t& size : *attribute.mutable_sizes()->mutable_values()) size = 0;
      }
    };
  };
  const struct {
    const char* function;
    std::function<void(v1::Point*)> change;
    const char* text;
  } kRows[] = {
      {"diopiEmbedding", flat("weight"), "`weight` needs at least one dimension"},
      {"diopiUpsampleNearest", flat("input"), "`size` needs a value for each dimension of `input`"},
      {"diopiIm2Col", zero("stride"), "no window fits"},
      {"diopiCol2Im", zero("kernel_size"), "no window fits"},
  };
  for (const auto& row : kRows)
    EXPECT_THAT(AnswerTo(*catalog, row.function, row.change), HasSubstr(row.text)) << row.function;
}

}  // namespace
}  // namespace diopi::cases
