// The arguments of a case as text for people.
#ifndef CASES_CORE_ARGUMENT_TEXT_H_
#define CASES_CORE_ARGUMENT_TEXT_H_

#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::cases {

struct ArgumentLine {
  std::string name;  // "input"; of a list "tensors.0"
  std::string role;  // "in", "out", "in/out", "library", or "" for an attribute
  std::string text;  // "float32 (2, 3), strides (1, 2)", "0.5", "true"
};

// One per argument, or per tensor of a list, in the ABI's order.
std::vector<ArgumentLine> ArgumentLines(const v1::Case& c);

}  // namespace diopi::cases

#endif  // CASES_CORE_ARGUMENT_TEXT_H_
