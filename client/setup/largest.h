// The cases of a selection that are worth measuring.
#ifndef CLIENT_SETUP_LARGEST_H_
#define CLIENT_SETUP_LARGEST_H_

#include <cstddef>
#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::agent {

// The `count` cases of most weight of each function and dtype, in their original order: contiguous tensors
// weigh more than others, then the number of elements decides.
std::vector<v1::Case> LargestCases(std::vector<v1::Case> cases, size_t count);

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_LARGEST_H_
