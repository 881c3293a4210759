#include "cases/base/case_parts.h"

#include <algorithm>

#include "cases/base/tensor.h"

namespace diopi {

bool IsOutput(const v1::Argument& arg) {
  return !arg.null() && (arg.role() == v1::ROLE_OUTPUT || arg.role() == v1::ROLE_INOUT);
}

bool IsInput(const v1::Argument& arg) {
  return arg.role() == v1::ROLE_INPUT || arg.role() == v1::ROLE_INOUT;
}

const v1::Judge* JudgeOf(const v1::Case& c, const std::string& output) {
  for (const v1::Judge& judge : c.judges()) {
    if (judge.output() == output) return judge.kind() == v1::Judge::NOT_JUDGED ? nullptr : &judge;
  }
  return nullptr;
}

std::string ArgumentOf(const std::string& key) {
  return key.substr(0, key.find('.'));
}

const v1::Argument* FindArgument(const v1::Case& c, std::string_view name) {
  for (const v1::Argument& arg : c.args()) {
    if (arg.name() == name) return &arg;
  }
  return nullptr;
}

const std::string& PointName(const v1::Argument& arg) {
  return arg.alias().empty() ? arg.name() : arg.alias();
}

std::vector<const v1::TensorSpec*> SpecsOf(const v1::Argument& arg) {
  if (arg.has_tensor()) return {&arg.tensor()};
  std::vector<const v1::TensorSpec*> specs;
  for (const v1::TensorSpec& spec : arg.tensors().tensors()) specs.push_back(&spec);
  return specs;
}

std::vector<int64_t> SpecShape(const v1::TensorSpec& spec) {
  return {spec.shape().begin(), spec.shape().end()};
}

int64_t ElementsOf(const v1::TensorSpec& spec) {
  return NumElements(SpecShape(spec));
}

bool IsRandom(const v1::Case& c) {
  return std::any_of(c.judges().begin(), c.judges().end(),
                     [](const v1::Judge& judge) { return judge.kind() == v1::Judge::RANDOM; });
}

}  // namespace diopi
