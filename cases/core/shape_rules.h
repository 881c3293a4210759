// Named output-shape rules: `rule: "conv2d_out"` in an operator's file calls the function that a
// cases/ops/**/*_rules.cc declares with DIOPI_SHAPE_RULE(conv2d_out, args) { ... }. The build finds the
// macro's uses and makes the registry, so adding a rule edits no list. The macro stands at the start of a
// line, within namespace diopi::cases. A rule that returns no shape at all makes the argument null.
#ifndef CASES_CORE_SHAPE_RULES_H_
#define CASES_CORE_SHAPE_RULES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::cases {

// What a rule may use: the arguments of the call that are known so far, by name.
class RuleArgs {
 public:
  // `output`: the argument whose shape is wanted, so that one rule can serve several.
  RuleArgs(const v1::Case& c, std::string_view output) : case_(c), output_(output) {}

  std::string_view output() const { return output_; }
  bool Has(std::string_view name) const;  // given and not null
  // Each is InvalidArgument, naming the argument, when it is absent or of another kind.
  absl::StatusOr<std::vector<int64_t>> Shape(std::string_view name) const;
  absl::StatusOr<std::vector<std::vector<int64_t>>> Shapes(std::string_view list_name) const;
  absl::StatusOr<std::vector<int64_t>> Sizes(std::string_view name) const;
  absl::StatusOr<int64_t> Int(std::string_view name) const;
  absl::StatusOr<bool> Bool(std::string_view name) const;
  // One ABI scalar or double as a number.
  absl::StatusOr<double> Number(std::string_view name) const;
  absl::StatusOr<std::string> String(std::string_view name) const;

 private:
  const v1::Case& case_;
  std::string_view output_;
};

// One shape for a tensor; one per element for a list.
using Shapes = std::vector<std::vector<int64_t>>;
using ShapeRule = absl::StatusOr<Shapes> (*)(const RuleArgs& args);

// Null when there is no such rule.
ShapeRule FindShapeRule(std::string_view name);
std::vector<std::string> ShapeRuleNames();

// `dim` counted from the end when negative; InvalidArgument outside [-rank, rank).
absl::StatusOr<int64_t> NormalizeDim(int64_t dim, int64_t rank);

}  // namespace diopi::cases

// `args` names a parameter here, so it cannot stand in parentheses.
#define DIOPI_SHAPE_RULE(name, args)                              \
  absl::StatusOr<::diopi::cases::Shapes> diopi_shape_rule_##name( \
      const ::diopi::cases::RuleArgs& args)  // NOLINT(bugprone-macro-parentheses)

#endif  // CASES_CORE_SHAPE_RULES_H_
