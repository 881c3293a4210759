// Makes the case of a piece (slices.h) from the whole call's.
#ifndef CASES_SLICES_PIECE_CASE_H_
#define CASES_SLICES_PIECE_CASE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::slices {

// Gives the tensor of a piece its shape; its values are a slice, whatever the whole's were made from.
void Reshape(const std::vector<int64_t>& shape, v1::TensorSpec* spec);

// Leaves only these outputs judged. With `only_these`, outputs that nothing judges become null handles.
void JudgeOnly(const std::set<std::string>& arguments, bool only_these, v1::Case* c);

}  // namespace diopi::slices

#endif  // CASES_SLICES_PIECE_CASE_H_
