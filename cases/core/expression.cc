// A recursive-descent parser: one function for each level of precedence. An unknown value (of a variable that
// has none yet) makes arithmetic unknown, but not an && or || that the other side decides. Overflow is an
// error. Depth and steps are limited, as variables name others and a user's file may name them in circles.
#include "cases/core/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cases/base/excerpt.h"
#include "cases/base/status_macros.h"

namespace diopi::cases {
namespace {

using Value = std::optional<int64_t>;

constexpr int kDeepest = 32;  // variables that name variables, parentheses and signs
// Variables evaluated for one expression: each may name others twice, and these others twice.
constexpr int kMostSteps = 100'000;

class Parser {
 public:
  // `steps`: how many variables may still be evaluated.
  Parser(std::string_view text, const Variables& variables, int depth, int* steps)
      : text_(text), rest_(text), variables_(variables), depth_(depth), steps_(steps) {}

  absl::StatusOr<Value> Run() {
    if (depth_ > kDeepest) Fail("nested too deeply; a variable may depend on itself");
    const Value value = status_.ok() ? Or() : std::nullopt;
    Space();
    if (status_.ok() && !rest_.empty()) Fail(absl::StrCat("unexpected '", Excerpt(std::string(rest_)), "'"));
    if (!status_.ok()) return status_;
    return value;
  }

 private:
  void Fail(const std::string& why) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(
        absl::StrCat("the expression '", Excerpt(std::string(text_), 200), "': ", why));
    rest_ = {};
  }
  void Space() {
    while (!rest_.empty() && absl::ascii_isspace(static_cast<unsigned char>(rest_[0])))
      rest_.remove_prefix(1);
  }
  bool Take(std::string_view token) {
    Space();
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  std::string Word() {
    size_t n = 0;
    while (n < rest_.size() && (absl::ascii_isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_'))
      ++n;
    std::string word(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return word;
  }

  Value Or() {
    Value left = And();
    while (Take("||")) {
      const Value right = And();
      if ((left && *left != 0) || (right && *right != 0)) {
        left = 1;
      } else if (left && right) {
        left = 0;
      } else {
        left = std::nullopt;
      }
    }
    return left;
  }
  Value And() {
    Value left = Comparison();
    while (Take("&&")) {
      const Value right = Comparison();
      if ((left && *left == 0) || (right && *right == 0)) {
        left = 0;
      } else if (left && right) {
        left = 1;
      } else {
        left = std::nullopt;
      }
    }
    return left;
  }
  Value Comparison() {
    const Value left = Sum();
    for (const std::string_view token : {"<=", ">=", "==", "!=", "<", ">"}) {
      if (!Take(token)) continue;
      const Value right = Sum();
      if (!left || !right) return std::nullopt;
      if (token == "<=") return *left <= *right;
      if (token == ">=") return *left >= *right;
      if (token == "==") return *left == *right;
      if (token == "!=") return *left != *right;
      return token == "<" ? *left < *right : *left > *right;
    }
    return left;
  }
  Value Sum() {
    Value left = Product();
    while (true) {
      const bool plus = Take("+");
      if (!plus && !Take("-")) return left;
      const Value right = Product();
      int64_t sum = 0;
      if (!left || !right) {
        left = std::nullopt;
      } else if (plus ? __builtin_add_overflow(*left, *right, &sum)
                      : __builtin_sub_overflow(*left, *right, &sum)) {
        left = TooLarge();
      } else {
        left = sum;
      }
    }
  }
  Value Product() {
    Value left = Unary();
    while (true) {
      const bool times = Take("*");
      const bool over = !times && Take("/");
      if (!times && !over && !Take("%")) return left;
      const Value right = Unary();
      if (!times && right && *right == 0) {
        Fail("division by zero");
        return std::nullopt;
      }
      if (!left || !right) {
        left = std::nullopt;
      } else {
        left = times          ? Times(*left, *right)
               : *right == -1 ? (over ? Times(*left, -1) : 0)
               : over         ? *left / *right
                              : *left % *right;
      }
    }
  }
  Value Unary() {
    if (Take("-")) {
      const Value value = Nested(&Parser::Unary);
      return value ? Times(*value, -1) : value;
    }
    Space();
    if (rest_.substr(0, 2) != "!=" && Take("!")) {
      const Value value = Nested(&Parser::Unary);
      return value ? Value(*value == 0) : value;
    }
    return Primary();
  }
  Value Primary() {
    if (Take("(")) {
      const Value value = Nested(&Parser::Or);
      if (!Take(")")) Fail("a parenthesis is not closed");
      return value;
    }
    Space();
    const std::string word = Word();
    int64_t number = 0;
    if (word.empty()) {
      Fail("a number or a variable was expected");
      return std::nullopt;
    }
    if (absl::SimpleAtoi(word, &number)) return number;
    if (Take("(")) return Call(word);
    const auto found = variables_.find(word);
    if (found == variables_.end()) return std::nullopt;
    if (--*steps_ < 0) {
      Fail("its variables name others too often");
      return std::nullopt;
    }
    const absl::StatusOr<Value> value = Parser(found->second, variables_, depth_ + 1, steps_).Run();
    if (value.ok()) return *value;
    Fail(std::string(value.status().message()));
    return std::nullopt;
  }
  Value Call(const std::string& name) {
    const Value a = Nested(&Parser::Or);
    if (name == "log2") {
      if (!Take(")")) Fail("a parenthesis is not closed");
      return a ? Value(Levels(*a)) : a;
    }
    if (!Take(",")) Fail("min and max take two values, distinct three");
    const Value b = Nested(&Parser::Or);
    if (name == "distinct") {
      if (!Take(",")) Fail("distinct takes three values");
      const Value draws = Nested(&Parser::Or);
      if (!Take(")")) Fail("a parenthesis is not closed");
      return a && b && draws ? Distinct(*a, *b, *draws) : std::nullopt;
    }
    if (!Take(")")) Fail("a parenthesis is not closed");
    if (name != "min" && name != "max")
      Fail(absl::StrCat("no function '", name, "'; known: min, max, log2, distinct"));
    if (!a || !b) return std::nullopt;
    return name == "min" ? std::min(*a, *b) : std::max(*a, *b);
  }

  Value Nested(Value (Parser::*parse)()) {
    const Value value = ++depth_ > kDeepest ? (Fail("nested too deeply"), std::nullopt) : (this->*parse)();
    --depth_;
    return value;
  }
  Value Times(int64_t a, int64_t b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? TooLarge() : Value(product);
  }
  Value TooLarge() {
    Fail("a number that does not fit into 64 bits");
    return std::nullopt;
  }

  // The levels of a balanced tree with that many leaves.
  static int64_t Levels(int64_t leaves) {
    int64_t levels = 0;
    while (levels < 62 && (int64_t{1} << levels) < leaves) ++levels;
    return levels;
  }

  Value Distinct(int64_t things, int64_t each, int64_t draws) {
    if (things < 1 || each < 1 || each > things || draws < 0) {
      Fail("distinct(n, k, t) needs 1 <= k <= n and t >= 0");
      return std::nullopt;
    }
    const auto all = static_cast<double>(things);
    const double never = std::pow(1 - static_cast<double>(each) / all, static_cast<double>(draws));
    return static_cast<int64_t>(std::llround(all * (1 - never)));
  }

  std::string_view text_;
  std::string_view rest_;
  const Variables& variables_;
  int depth_;
  int* const steps_;
  absl::Status status_;
};

// Splits at commas outside parentheses.
std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> parts;
  int open = 0;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != ',' || open != 0) continue;
    parts.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

}  // namespace

absl::StatusOr<std::optional<int64_t>> Evaluate(std::string_view text, const Variables& variables) {
  int steps = kMostSteps;
  return Parser(text, variables, 0, &steps).Run();
}

absl::StatusOr<std::vector<int64_t>> EvaluateList(std::string_view text, const Variables& variables) {
  std::vector<int64_t> values;
  for (const std::string_view part : SplitList(text)) {
    ASSIGN_OR_RETURN(const Value value, Evaluate(part, variables));
    if (!value.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the expression '", std::string(part), "' has a variable without a value"));
    }
    values.push_back(*value);
  }
  return values;
}

std::vector<std::string> VariablesIn(std::string_view text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() &&
           (absl::ascii_isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    if (end > i && !absl::ascii_isdigit(static_cast<unsigned char>(text[i])))
      words.emplace_back(text.substr(i, end - i));
    i = end + (end == i ? 1 : 0);
  }
  return words;
}

}  // namespace diopi::cases
