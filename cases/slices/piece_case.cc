#include "cases/slices/piece_case.h"

#include "cases/base/layout.h"

namespace diopi::slices {

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

}  // namespace diopi::slices
