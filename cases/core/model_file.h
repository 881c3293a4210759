// Reads cases/suites/models/<model>.calls: the calls that one model makes, at their true size. The format is
// described in cases/suites/models/README.md.
#ifndef CASES_CORE_MODEL_FILE_H_
#define CASES_CORE_MODEL_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/dtype.h"
#include "cases/core/expression.h"
#include "diopi/v1/finding.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// A file's name, without its extension, and its text.
struct ModelText {
  std::string_view name;
  std::string_view text;
};

// One line of the file: an operator at one point, and how often a step of the model calls it.
struct ModelCall {
  std::string place;  // "FILE:LINE"
  std::string text;   // the line
  // "train", "prefill", "decode". Empty where the calls were captured: the capture does not say which of them
  // belong to a step, nor how often a step makes them, and `times` means nothing.
  std::string stage;
  int64_t times = 1;
  std::string name;       // an operator, or a function of the ABI
  bool in_place = false;  // the operator's functions that write into an operand, instead of those that do not
  bool backward = false;  // those of the backward, too
  Dtype dtype = v1::Dtype::float32;
  v1::Point point;  // every size a number; without a label
};

struct Model {
  std::string name;
  v1::Finding about;  // the `about` line, with where the calls are from and the stages
  std::vector<ModelCall> calls;
};

// `parts`: what `use NAME` includes, at that place and with the variables set so far. `sizes` replace what
// the file's `let` lines give to variables of the same names, "batch" for instance. InvalidArgument with
// "FILE:LINE: what is wrong, what was expected"; NotFound for a variable in `sizes` that the file does not
// have.
absl::StatusOr<Model> ParseModel(const ModelText& text, const std::vector<ModelText>& parts = {},
                                 const Variables& sizes = {});

}  // namespace diopi::cases

#endif  // CASES_CORE_MODEL_FILE_H_
