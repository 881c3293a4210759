#include "cases/core/piece_case.h"

#include "cases/base/layout.h"

namespace diopi::cases {

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

std::vector<int64_t> SpecShape(const v1::TensorSpec& spec) {
  return {spec.shape().begin(), spec.shape().end()};
}

void Reshape(const std::vector<int64_t>& shape, v1::TensorSpec* spec) {
  spec->mutable_shape()->Assign(shape.begin(), shape.end());
  spec->clear_from();
  spec->clear_fill();
  (void)ApplyLayout(v1::Layout(), spec);  // a dense layout fits every shape
}

void JudgeOnly(const std::set<std::string>& arguments, bool only_these, v1::Case* c) {
  for (v1::Judge& judge : *c->mutable_judges()) {
    if (!arguments.contains(judge.output())) judge.set_kind(v1::Judge::NOT_JUDGED);
  }
  for (v1::Argument& arg : *c->mutable_args()) {
    if (only_these && arg.role() == v1::ROLE_OUTPUT && !arguments.contains(arg.name())) arg.set_null(true);
  }
  c->clear_producers();
}

}  // namespace diopi::cases
