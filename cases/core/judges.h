// How a case's outputs are judged.
#ifndef CASES_CORE_JUDGES_H_
#define CASES_CORE_JUDGES_H_

#include <algorithm>
#include <cstdint>

#include "diopi/v1/case.pb.h"

namespace diopi::cases {

// Whether any output is judged by its distribution.
inline bool IsRandom(const v1::Case& c) {
  return std::any_of(c.judges().begin(), c.judges().end(),
                     [](const v1::Judge& judge) { return judge.kind() == v1::Judge::RANDOM; });
}

// Random outputs with fewer elements are judged as small calls' are, longer ones block by block.
inline constexpr int64_t kShortestStream = int64_t{1} << 18;

}  // namespace diopi::cases

#endif  // CASES_CORE_JUDGES_H_
