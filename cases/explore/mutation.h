// One random change of a point: what mutate.h offers, in its parts.
#ifndef CASES_EXPLORE_MUTATION_H_
#define CASES_EXPLORE_MUTATION_H_

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "cases/core/point_sizes.h"
#include "cases/explore/attributes.h"
#include "cases/explore/mutate.h"

namespace diopi::explore {

// Each change says what it did; empty: what was drawn does not suit the point, which is unchanged.
class Mutation {
 public:
  Mutation(const MutateOptions& options, Draws* draws, v1::Point* point)
      : options_(options), words_(*options.vocabulary), draws_(draws), point_(point) {}

  std::string Run();
  std::string RunEdge();
  std::string RunForSequence();

 private:
  using Change = std::string (Mutation::*)();
  std::string OneOf(const std::vector<Change>& changes);

  // Changes of sizes, in mutate_sizes.cc.
  std::string Size();
  std::string SizeOfShape();
  // Sets it to `size`, or to a drawn one.
  std::string SetSizeOfShape(v1::PointTensor* tensor, int d, std::optional<int64_t> size);
  std::string Short();
  std::string Exchange();
  std::string Lists();
  std::string Rank();

  std::string Layout();
  std::string Strides();
  std::string OutLayout();
  std::string Fill();
  std::string LeaveOut();
  std::string Same();
  std::string Broadcast();
  std::string Edge();
  std::string Seed();
  std::string Narrow();
  std::string Whole();
  std::string Enlarge();
  std::string SetNonFinite();
  std::string Mask();
  std::string Digits();
  AttributeChange Attributes() {
    const AttributeLimits limits{.table = HasTable(),
                                 .index = HasIndex(),
                                 .placed = words_.placed && IsGradient(),
                                 .decides = words_.decides};
    return {options_, limits, draws_, point_};
  }
  std::string Attribute() { return Attributes().Any(); }
  std::string Degenerate() { return Attributes().Degenerate(); }
  std::string Mode() { return Attributes().Mode(); }
  std::string Slightly() { return Attributes().Slightly(); }

  static bool IsGiven(const v1::PointTensor& tensor) { return !tensor.null() && tensor.same_as().empty(); }
  bool Chance(int64_t percent) { return draws_->Below(100) < percent; }
  // A random tensor that the point describes; null where it has none.
  v1::PointTensor* AnyTensor();
  cases::PointSizes Sizes() const { return {*options_.rules, options_.dtype, point_}; }
  const v1::ArgRule& RuleOf(const std::string& name) const { return Sizes().RuleOf(name); }
  bool IsPlain(const v1::PointTensor& tensor) const;
  bool IsOfOtherKind(const v1::PointTensor& tensor) const;
  const std::vector<v1::Fill>* RangesOf(const v1::PointTensor& tensor) const;
  // Which of equal elements counts is a convention in gradients, and decides what is found, kept or drawn.
  bool MayTie() const { return words_.smooth && (words_.pairwise || !IsGradient()); }
  bool IsGradient() const { return absl::StrContains(options_.rules->name(), "Backward"); }
  bool IsIndex(const v1::PointTensor& tensor) const { return Sizes().IsIndex(tensor); }
  bool HasTable() const { return !words_.elementwise && Sizes().HasTable(); }
  bool IsList(const std::string& name) const;
  bool IsWritten(const std::string& name) const {
    const auto& params = options_.function->param();
    return std::any_of(params.begin(), params.end(), [&](const abi::Param& param) {
      return param.name() == name && param.kind() == abi::TENSOR;
    });
  }
  bool HasIndex() const {
    // Whose values the point gives, or the operator's rules.
    const auto& rules = options_.rules->arg();
    return std::any_of(point_->in().begin(), point_->in().end(),
                       [this](const auto& tensor) { return IsIndex(tensor); }) ||
           std::any_of(rules.begin(), rules.end(), [this](const auto& rule) {
             return rule.has_fill() && Sizes().IsIndexType(rule.dtype());
           });
  }
  int64_t MostExtent(int64_t extent) const;
  // A new size for the dimensions that `changes` accepts, which now have `from` elements.
  int64_t NewExtent(int64_t from, const std::function<bool(const v1::PointTensor&, int)>& changes);
  bool AreBroadcast(const std::string& a, const std::string& b) const;

  const MutateOptions& options_;
  const Vocabulary& words_;
  Draws* const draws_;
  v1::Point* const point_;
};

}  // namespace diopi::explore

#endif  // CASES_EXPLORE_MUTATION_H_
