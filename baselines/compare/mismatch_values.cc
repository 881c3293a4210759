// What the values of the mismatches are.
//
// Each statement is a predicate over wrong elements together with the chance that a wrong element fits it by
// accident. All statements are tested in one pass over the mismatches and dropped at the first element that
// they do not fit. The finding is the first that remains. Its cause is named where the number of those that
// remain, times the chance to the power of the mismatches, leaves a confidence of at least kLeastConfidence.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "baselines/compare/patterns.h"
#include "cases/findings/finding.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using F = v1::Finding;

constexpr int64_t kLeastZeros = 32;
constexpr int64_t kMostSorted = int64_t{1} << 20;

// Stands for ChanceOfAnotherPlace, which is computed only for a statement that holds.
constexpr double kOfAnotherPlace = -1;

constexpr F::Code kUnknown = F::CODE_UNSPECIFIED;

// A statement about every mismatch. `least`: with fewer mismatches chance would show it as well.
struct Statement {
  v1::Finding observed;
  F::Code cause;
  int64_t least;
  std::function<bool(int64_t)> holds;
  double chance =
      1.0 / 64;  // that it holds for an element that is wrong in some other way, or kOfAnotherPlace
};

// The confidence with so many mismatches, after so many statements.
double Confidence(double chance, int64_t mismatches, size_t tried) {
  return std::max(1 - static_cast<double>(tried) * std::pow(chance, static_cast<double>(mismatches)), 0.0);
}

double Largest(Dtype dtype) {
  const FloatFormat format = FormatOf(dtype);
  return std::ldexp(2 - std::ldexp(1.0, 1 - format.precision), format.max_exponent);
}

// Every byte of the element is one of the two patterns outputs are filled with before a call.
bool KeepsPattern(const HostTensor& tensor, int64_t index) {
  const auto size = static_cast<size_t>(ElementSize(tensor.dtype));
  const char* bytes = tensor.data.data() + static_cast<size_t>(index) * size;
  if (bytes[0] != '\xA5' && bytes[0] != '\x5A') return false;
  return std::all_of(bytes, bytes + size, [&](char byte) { return byte == bytes[0]; });
}

// Whether the first byte that is not a bool has all bits set.
bool AllBitsSet(const Evidence& e) {
  const std::string& bytes = e.actual().data;
  const auto wrong =
      std::find_if(bytes.begin(), bytes.end(), [](char byte) { return byte != 0 && byte != 1; });
  return wrong != bytes.end() && *wrong == '\xff';
}

// Values that only one kind of defect makes.
void AddSpecials(const Evidence& e, std::vector<Statement>* all) {
  const Dtype dtype = e.actual().dtype;
  const auto y = [&e](int64_t i) { return e.Actual(i); };
  const auto r = [&e](int64_t i) { return e.Expected(i); };
  all->push_back({Found(F::STILL_POISON), F::NEVER_WRITTEN,
                  dtype == D::bool_ || ElementSize(dtype) == 1 ? 4 : 1,
                  [&e](int64_t i) { return KeepsPattern(e.actual(), i); }});
  if (dtype == D::bool_) {
    all->push_back({Found(F::NOT_BOOL), AllBitsSet(e) ? F::BOOL_ALL_BITS : kUnknown, 1, [&e](int64_t i) {
                      return static_cast<uint8_t>(e.actual().data[static_cast<size_t>(i)]) > 1;
                    }});
  }
  if (!IsFloating(dtype)) return;
  all->push_back({Found(F::NAN_LOST), e.GivenNan() ? F::NAN_NOT_PROPAGATED : kUnknown, 1,
                  [=](int64_t i) { return std::isnan(r(i)) && !std::isnan(y(i)); }});
  all->push_back({Found(F::ALL_NAN), kUnknown, 2, [=](int64_t i) { return std::isnan(y(i)); }});
  const double largest = Largest(dtype);
  all->push_back({Found(F::LARGEST_FINITE), F::OVERFLOW_SATURATES, 1,
                  [=](int64_t i) { return std::isinf(r(i)) && y(i) == std::copysign(largest, r(i)); }});
  all->push_back({Found(F::ALL_INFINITE), e.GivenInfinity() ? kUnknown : F::INTERMEDIATE_OVERFLOWS, 1,
                  [=](int64_t i) { return std::isinf(y(i)) && std::isfinite(r(i)); }});
  all->push_back({Found(F::ZERO_SIGN_LOST), F::ZERO_SIGN_LOST, 1, [=](int64_t i) {
                    return y(i) == 0 && r(i) == 0 && std::signbit(r(i)) && !std::signbit(y(i));
                  }});
  all->push_back({Found(F::NEGATIVE_ZEROS), kUnknown, 1,
                  [=](int64_t i) { return y(i) == 0 && r(i) == 0 && std::signbit(y(i)); }});
  const double normal = std::ldexp(1.0, FormatOf(dtype).min_exponent);
  all->push_back({Found(F::SUBNORMALS_ZERO), F::SUBNORMALS_FLUSHED, 1,
                  [=](int64_t i) { return y(i) == 0 && r(i) != 0 && std::fabs(r(i)) < normal; }});
}

// How often the value of one place passes at another: nearly always where few distinct values repeat.
double ChanceOfAnotherPlace(const Evidence& e) {
  constexpr int64_t kPairs = 256;
  const int64_t elements = NumElements(e.actual().shape);
  if (elements < 2) return 1;
  int64_t fits = 0;
  for (int64_t k = 0; k < kPairs; ++k) {
    const int64_t i = k * 7919 % elements;
    const int64_t j = (i + 1 + k * 104729 % (elements - 1)) % elements;
    if (e.Fits(e.Expected(j), i)) ++fits;
  }
  return static_cast<double>(fits + 1) / (kPairs + 1);
}

// Results that were computed for another place.
void AddDisplaced(const Evidence& e, std::vector<Statement>* all) {
  const int64_t elements = NumElements(e.actual().shape);
  const auto holds_other = [&e, elements](int64_t i, int64_t other) {
    return other >= 0 && other < elements && e.Fits(e.Actual(i), other);
  };
  all->push_back({Found(F::NEXT_VALUES), kUnknown, 4, [=](int64_t i) { return holds_other(i, i + 1); },
                  kOfAnotherPlace});
  all->push_back({Found(F::VALUES_BEFORE).Count(1), kUnknown, 4,
                  [=](int64_t i) { return holds_other(i, i - 1); }, kOfAnotherPlace});
  for (int64_t width = 4; width <= 4096 && width < elements; width *= 2) {
    all->push_back({Found(F::VALUES_BEFORE).Count(width), kUnknown, 2,
                    [=](int64_t i) { return holds_other(i, i - width); }, kOfAnotherPlace});
  }
  const std::vector<int64_t>& shape = e.actual().shape;
  if (shape.size() < 2) return;
  const int64_t columns = shape.back();
  const int64_t rows = shape[shape.size() - 2];
  if (rows < 2 || columns < 2) return;
  all->push_back({Found(F::TRANSPOSED_VALUES), F::DIMENSIONS_EXCHANGED, 4,
                  [=](int64_t i) {
                    const int64_t base = i / (rows * columns) * rows * columns;
                    const int64_t at = i - base;
                    return holds_other(i, base + at % rows * columns + at / rows);
                  },
                  kOfAnotherPlace});
}

bool SameInteger(double a, double b) {
  return a == b && std::fabs(a) < 0x1p53;
}

void AddArithmetic(const Evidence& e, const Tally& tally, std::vector<Statement>* all) {
  const Dtype dtype = e.actual().dtype;
  const auto y = [&e](int64_t i) { return e.Actual(i); };
  const auto r = [&e](int64_t i) { return e.Expected(i); };
  if (IsInteger(dtype) && ElementSize(dtype) == 8) {
    all->push_back({Found(F::RIGHT_MODULO_2_32), F::IN_32_BITS, 2, [=](int64_t i) {
                      return std::fabs(r(i)) < 0x1p53 &&
                             y(i) == static_cast<double>(static_cast<int32_t>(
                                         static_cast<uint32_t>(static_cast<int64_t>(r(i)))));
                    }});
  }
  if (dtype == D::float64 || (IsInteger(dtype) && ElementSize(dtype) >= 4)) {
    // Hardly any float64 result is a float32 number, whatever the error of the sum that it is.
    const double slack = dtype == D::float64 ? 0x1p-14 : 0x1p-22;
    all->push_back({Found(F::FLOAT32_VALUES), F::THROUGH_FLOAT32, 2, [=](int64_t i) {
                      return std::isfinite(r(i)) && std::fabs(r(i)) < 1e38 &&
                             y(i) == static_cast<double>(static_cast<float>(y(i))) &&
                             std::fabs(y(i) - r(i)) <= slack * std::fabs(r(i));
                    }});
  }
  all->push_back({Found(F::ZEROS), kUnknown, 4, [=](int64_t i) { return y(i) == 0; }});
  all->push_back({Found(F::WRONG_SIGNS), F::SIGN_WRONG, 4, [=, &e](int64_t i) { return e.Fits(-y(i), i); }});
  const int64_t first = tally.first.front();
  const double offset = y(first) - r(first);
  // An error that hardly exceeds the tolerance is not an offset.
  const bool clear = !IsFloating(dtype) || !e.Fits(y(first) - 0.75 * offset, first);
  if (std::isfinite(offset) && offset != 0 && clear) {
    all->push_back(
        {Found(offset > 0 ? F::TOO_LARGE : F::TOO_SMALL).Off(absl::StrFormat("%.6g", std::fabs(offset))),
         kUnknown, 4, [=, &e](int64_t i) {
           return IsFloating(dtype) ? e.Fits(y(i) - offset, i) : SameInteger(y(i) - offset, r(i));
         }});
  }
  const double factor = y(first) / r(first);
  const double ulp = IsFloating(dtype) ? std::ldexp(1.0, 3 - FormatOf(dtype).precision) : 0;
  // An error that rounding alone explains is not a factor either.
  if (std::isfinite(factor) && factor != 0 && std::fabs(factor - 1) > 8 * ulp) {
    all->push_back({Found(F::BY_FACTOR).Off(absl::StrFormat("%.4g", factor)), kUnknown, 4, [=](int64_t i) {
                      return r(i) != 0 && std::fabs(y(i) - factor * r(i)) <= ulp * std::fabs(y(i));
                    }});
  }
}

// Statements that survive every mismatch, in order.
std::vector<Statement> Survivors(const Evidence& e, const Tally& tally, std::vector<Statement> all) {
  const auto drop = [&](const auto& test) {
    all.erase(std::remove_if(all.begin(), all.end(), test), all.end());
  };
  drop([&](const Statement& s) { return tally.mismatches < s.least; });
  for (int64_t i = tally.first.front(); i <= tally.last && !all.empty(); ++i) {
    if (e.Wrong(i)) drop([&](const Statement& s) { return !s.holds(i); });
  }
  return all;
}

std::optional<v1::Finding> CauseOf(F::Code code) {
  if (code == kUnknown) return std::nullopt;
  return Found(code);
}

// Whether zeros throughout show that nothing was computed: a result of the maximum with 0, of truncation to
// integers, or an index is zero as well where what was expected has one sign or is small.
bool MustHaveBeenComputed(const Evidence& e, const Tally& tally) {
  if (tally.mismatches < kLeastZeros || e.actual().dtype == D::bool_) return false;
  bool positive = false;
  bool negative = false;
  for (int64_t i = tally.first.front(); i <= tally.last; ++i) {
    const double r = e.Expected(i);
    positive = positive || (std::isfinite(r) && r >= 1);
    negative = negative || (std::isfinite(r) && r <= -1);
  }
  return positive && negative;
}

// Whether most NaNs that were expected are missing: where most stay, one is lost for another reason.
bool LosesMostNans(const Evidence& e, const Tally& tally) {
  int64_t kept = 0;
  for (int64_t i = 0; i < NumElements(e.actual().shape); ++i) {
    if (std::isnan(e.Expected(i)) && !e.Wrong(i)) ++kept;
  }
  return kept <= tally.mismatches;
}

// Statements about all elements, whatever is wrong with each.
Remark Whole(const Evidence& e, const Tally& tally) {
  if (tally.elements < 2 || IsComplex(e.actual().dtype)) return {};
  if (tally.nan == tally.elements) return {{Found(F::WHOLE_NAN)}, std::nullopt};
  if (tally.zeros == tally.elements)
    return {{Found(F::WHOLE_ZERO)}, CauseOf(MustHaveBeenComputed(e, tally) ? F::NEVER_COMPUTED : kUnknown)};
  if (tally.mismatches < 3) return {};
  const double value = e.Actual(0);
  for (int64_t i = 1; i < tally.elements; ++i) {
    if (e.Actual(i) != value) return {};
  }
  return {{Found(F::WHOLE_EQUAL).Got(absl::StrFormat("%.9g", value))}, std::nullopt};
}

// The expected values, in another order.
Remark Permuted(const Evidence& e, const Tally& tally) {
  if (tally.mismatches < 2 || tally.elements > kMostSorted) return {};
  std::vector<std::pair<double, int64_t>> expected;
  std::vector<double> actual;
  for (int64_t i = tally.first.front(); i <= tally.last; ++i) {
    if (!e.Wrong(i)) continue;
    const double y = e.Actual(i);
    const double r = e.Expected(i);
    if (std::isnan(y) || std::isnan(r)) return {};
    actual.push_back(y);
    expected.emplace_back(r, i);
  }
  if (actual.empty()) return {};
  // Most outputs that are no permutation show it at their extremes, before anything is sorted.
  const auto [least, most] = std::minmax_element(expected.begin(), expected.end());
  const auto [lowest, highest] = std::minmax_element(actual.begin(), actual.end());
  if (!e.Fits(*lowest, least->second) || !e.Fits(*highest, most->second)) return {};
  std::sort(expected.begin(), expected.end());
  std::sort(actual.begin(), actual.end());
  size_t distinct = 1;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (!e.Fits(actual[i], expected[i].second)) return {};
    if (i > 0 && expected[i].first != expected[i - 1].first) ++distinct;
  }
  // Few values that repeat are in another order by chance.
  const bool telling = distinct >= 16 || (distinct >= 4 && distinct * 2 >= actual.size());
  return {{Found(tally.mismatches == 2 ? F::TWO_EXCHANGED : F::ANOTHER_ORDER)},
          CauseOf(telling ? F::WRITTEN_ELSEWHERE : kUnknown)};
}

}  // namespace

Remark WhatWrong(const Evidence& evidence, const Tally& tally) {
  if (tally.first.empty()) return {};
  Remark whole = Whole(evidence, tally);
  if (!whole.observed.empty()) return whole;
  std::vector<Statement> all;
  AddSpecials(evidence, &all);
  const bool numbers = !IsComplex(evidence.actual().dtype) && evidence.actual().dtype != D::bool_;
  if (numbers) {
    AddDisplaced(evidence, &all);
    AddArithmetic(evidence, tally, &all);
  }
  const std::vector<Statement> left = Survivors(evidence, tally, std::move(all));
  if (!left.empty()) {
    const Statement& first = left.front();
    const double chance = first.chance == kOfAnotherPlace ? ChanceOfAnotherPlace(evidence) : first.chance;
    const double confidence = Confidence(chance, tally.mismatches, left.size());
    return {{first.observed}, CauseOf(confidence < kLeastConfidence ? kUnknown : first.cause), confidence};
  }
  return numbers ? Permuted(evidence, tally) : Remark();
}

Remark PatternOf(const Evidence& evidence, const Tally& tally) {
  if (tally.first.empty()) return {};
  if (Remark whole = Whole(evidence, tally); !whole.observed.empty()) return whole;
  Remark where = evidence.Sampled() ? Remark{} : WhereWrong(evidence, tally);
  Remark what = WhatWrong(evidence, tally);
  // A NaN in the tail, where inputs have them on purpose, is lost with all else that lies there.
  if (what.cause.has_value() && what.cause->code() == F::NAN_NOT_PROPAGATED &&
      (!LosesMostNans(evidence, tally) ||
       (evidence.GivenNanPerElement() && (tally.mismatches < 2 || !where.observed.empty())))) {
    what.cause.reset();
  }
  what.observed.insert(what.observed.begin(), where.observed.begin(), where.observed.end());
  if (what.cause.has_value()) return what;
  where.observed = std::move(what.observed);
  return where;
}

}  // namespace diopi::baselines
