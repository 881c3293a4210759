// Makes the case of a piece (slices.h) from the whole call's.
#ifndef CASES_CORE_PIECE_CASE_H_
#define CASES_CORE_PIECE_CASE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::cases {

bool IsOutput(const v1::Argument& arg);
bool IsInput(const v1::Argument& arg);

// Null where nothing judges the output.
const v1::Judge* JudgeOf(const v1::Case& c, const std::string& output);

// The argument of a tensor's key: "tensors" of "tensors.3".
std::string ArgumentOf(const std::string& key);

// Null where the case has no such argument. As long as the case.
const v1::Argument* FindArgument(const v1::Case& c, std::string_view name);
std::vector<int64_t> SpecShape(const v1::TensorSpec& spec);

// Gives the tensor of a piece its shape; its values are a slice, whatever the whole's were made from.
void Reshape(const std::vector<int64_t>& shape, v1::TensorSpec* spec);

// Leaves only these outputs judged. With `only_these`, outputs that nothing judges become null handles.
void JudgeOnly(const std::set<std::string>& arguments, bool only_these, v1::Case* c);

template <typename F>  // f(key, index in its list or -1, spec)
void ForEachTensor(v1::Argument* arg, F&& f) {
  if (arg->has_tensor()) f(arg->name(), -1, arg->mutable_tensor());
  for (int i = 0; i < arg->tensors().tensors_size(); ++i) {
    if (i < arg->tensors().null_size() && arg->tensors().null(i)) continue;
    f(arg->name() + "." + std::to_string(i), i, arg->mutable_tensors()->mutable_tensors(i));
  }
}

}  // namespace diopi::cases

#endif  // CASES_CORE_PIECE_CASE_H_
