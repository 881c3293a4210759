// Dimensions beyond 65,535: as far as a CUDA grid's second and third dimension go, and 16 bits count.
#ifndef CASES_CORE_LONG_DIMENSIONS_H_
#define CASES_CORE_LONG_DIMENSIONS_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "cases/core/shape_facts.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

inline constexpr int64_t kLong = 65599;               // many elements beyond: one or two may be 0 either way
inline constexpr double kMostLongVisits = 1 << 24;    // operations
inline constexpr int64_t kMostLongBytes = 5 * kLong;  // of the largest tensor: the other dimensions are short

// A dimension of an input, counted from the first, or below 0 from the last. Where tensors are processed
// element by element, all dimensions are dimension 0.
struct Dimension {
  std::string argument;
  int d;
  std::string ClassName() const;  // "long0", "long_m1"
  auto operator<=>(const Dimension&) const = default;
};

// The dimensions of the inputs that the point gives, or with `only_long` those longer than 65,535; each by
// both of its numbers.
std::set<Dimension> DimensionsOf(const v1::Case& c, bool only_long);

// The point of `c` with dimension `d` of the input kLong elements long, sizes that always equal it likewise,
// and all others as short as other cases have them, if the rules allow it; nothing where none fits. `fits`
// says whether the rules allow a point.
std::optional<v1::Point> Lengthened(const v1::FunctionRules& rules, const v1::Case& c, const v1::Point& point,
                                    const Dimension& dimension, const ShapeFacts& facts,
                                    const std::function<bool(const v1::Point&)>& fits);

}  // namespace diopi::cases

#endif  // CASES_CORE_LONG_DIMENSIONS_H_
