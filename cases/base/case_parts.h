// Finds a case's arguments, tensors and judges.
#ifndef CASES_BASE_CASE_PARTS_H_
#define CASES_BASE_CASE_PARTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi {

bool IsOutput(const v1::Argument& arg);
bool IsInput(const v1::Argument& arg);

// Null where nothing judges the output.
const v1::Judge* JudgeOf(const v1::Case& c, const std::string& output);

// The argument of a tensor's key: "tensors" of "tensors.3".
std::string ArgumentOf(const std::string& key);

// Null where the case has no such argument. As long as the case.
const v1::Argument* FindArgument(const v1::Case& c, std::string_view name);
// What operator files call the argument.
const std::string& PointName(const v1::Argument& arg);
std::vector<int64_t> SpecShape(const v1::TensorSpec& spec);
// The argument's tensor, or those of its list; empty for another argument. As long as the argument.
std::vector<const v1::TensorSpec*> SpecsOf(const v1::Argument& arg);
int64_t ElementsOf(const v1::TensorSpec& spec);

// Whether any output is judged by its distribution.
bool IsRandom(const v1::Case& c);

// Random outputs with fewer elements are judged as small calls' are, longer ones block by block.
inline constexpr int64_t kShortestStream = int64_t{1} << 18;

template <typename F>  // f(key, index in its list or -1, spec)
void ForEachTensor(v1::Argument* arg, F&& f) {
  if (arg->has_tensor()) f(arg->name(), -1, arg->mutable_tensor());
  for (int i = 0; i < arg->tensors().tensors_size(); ++i) {
    if (i < arg->tensors().null_size() && arg->tensors().null(i)) continue;
    f(arg->name() + "." + std::to_string(i), i, arg->mutable_tensors()->mutable_tensors(i));
  }
}

}  // namespace diopi

#endif  // CASES_BASE_CASE_PARTS_H_
