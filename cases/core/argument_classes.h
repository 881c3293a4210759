// The classes of arguments that are the same for every function, of which common_classes.h makes points: what
// a call has, what it may have, and how a point gets it.
#ifndef CASES_CORE_ARGUMENT_CLASSES_H_
#define CASES_CORE_ARGUMENT_CLASSES_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

enum ClassId {
  kTransposed,
  kStrided,
  kOffset,
  kExpanded,
  kNhwc,  // the last layout
  kNear24,
  kNear31,
  kNear53,
  kWide,
  kFine24,
  kFine53,
  kDetour,
  kNonFinite,
  kPayload,
  kZeroTimes,
  kFar,
  kPermuted,
  kMixed,
  kMixed0d
};

inline bool IsLayout(int id) {
  return id <= kNhwc;
}
// An argument of a class; `with`: beside which attribute, "diagonal > 1".
struct ArgumentClass {
  std::string argument;
  int id;
  std::string with = "";
  auto operator<=>(const ArgumentClass&) const = default;
};

std::string NameOf(const ArgumentClass& key);  // "near24", "nonfinite with diagonal > 1"

// Those that the case has, or with `may` those that it does not have but may get.
std::set<ArgumentClass> ClassesOf(const v1::FunctionRules& rules, const v1::Case& c, bool may);

// Gives the point, of which the case was made, class `id` of the argument. `negative`: numbers below zero.
void Change(const v1::Case& c, const v1::Argument& arg, int id, bool negative, v1::Point* point);

// Whether equal elements of a tensor of this family's operators leave the result defined: they do not where
// they decide what comes first, is kept or is drawn, or make a matrix singular.
bool MayRepeat(const std::string& family);

// Whether every output is the reference's bit for bit: values are moved, chosen or compared.
bool MovesOnly(const v1::FunctionRules& rules);

// Whether the argument holds NaN; with `infinite`, or infinity.
bool HoldsNan(const v1::Argument& arg, bool infinite);

// Whether NaN is defined wherever it is at all.
bool MayBeNonFinite(const std::string& family);

// Values of a tensor of this dtype that its type alone can hold: pattern 0 is the type's whole range, the
// others are the neighbours of 2^24, 2^31 and 2^53 and of their negatives. Nothing where the type is no int32
// or int64, is too narrow for the pattern, or where `before` does not leave the values open: sizes of the
// call may then limit them.
inline constexpr int64_t kDigitPatterns = 7;
std::optional<v1::Fill> DigitsFill(v1::Dtype::Code dtype, int64_t pattern, const v1::Fill& before);

}  // namespace diopi::cases

#endif  // CASES_CORE_ARGUMENT_CLASSES_H_
