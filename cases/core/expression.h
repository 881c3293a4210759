// Integer expressions over named variables, as operator files write them: sizes ("2, n + 1") and conditions
// ("n <= 1025 || rank == 1"). In falling order of precedence: - !, * / %, + -, < <= > >= == !=, &&, ||; and
// min(a, b), max(a, b), log2(a) (rounded up), distinct(n, k, t), parentheses. True is 1. Division truncates.
// distinct(n, k, t): of n things, how many are drawn at least once on average when k of them are drawn at
// random t times, rounded.
#ifndef CASES_CORE_EXPRESSION_H_
#define CASES_CORE_EXPRESSION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::cases {

// The expression of each variable, which may name others.
using Variables = std::map<std::string, std::string, std::less<>>;

// The value; nothing when it depends on a variable that is not among `variables`. InvalidArgument for syntax
// errors, a division by zero, numbers beyond 64 bits, variables that depend on themselves, and more than a
// hundred thousand variables on the way.
absl::StatusOr<std::optional<int64_t>> Evaluate(std::string_view text, const Variables& variables);

// A list separated by commas; an unknown variable is an error here.
absl::StatusOr<std::vector<int64_t>> EvaluateList(std::string_view text, const Variables& variables);

// The words of an expression that may be variables.
std::vector<std::string> VariablesIn(std::string_view text);

}  // namespace diopi::cases

#endif  // CASES_CORE_EXPRESSION_H_
