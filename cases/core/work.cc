#include "cases/core/work.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/dtype.h"
#include "cases/base/tensor.h"
#include "cases/core/expression.h"

namespace diopi::cases {
namespace {

// One argument that is a tensor or a list of them.
struct Tensors {
  const v1::Argument* argument;
  std::vector<const v1::TensorSpec*> specs;  // without those that are null

  int64_t elements() const {
    int64_t sum = 0;
    for (const v1::TensorSpec* spec : specs) sum += NumElements({spec->shape().begin(), spec->shape().end()});
    return sum;
  }
  int64_t bytes() const {
    int64_t sum = 0;
    for (const v1::TensorSpec* spec : specs) sum += StoredElements(*spec) * ElementSize(spec->dtype());
    return sum;
  }

 private:
  // An expanded tensor has its elements once.
  static int64_t StoredElements(const v1::TensorSpec& spec) {
    std::vector<int64_t> shape(spec.shape().begin(), spec.shape().end());
    for (int i = 0; i < spec.strides_size(); ++i) {
      if (spec.strides(i) == 0)
        shape[static_cast<size_t>(i)] = std::min<int64_t>(shape[static_cast<size_t>(i)], 1);
    }
    return NumElements(shape);
  }
};

bool Reads(const Tensors& tensors) {
  return tensors.argument->role() == v1::ROLE_INPUT || tensors.argument->role() == v1::ROLE_INOUT;
}
bool Writes(const Tensors& tensors) {
  return tensors.argument->role() != v1::ROLE_INPUT;
}

class Evaluator {
 public:
  Evaluator(const v1::OperatorFile& op, const v1::Case& c) : op_(op), c_(c) {
    for (const v1::Argument& argument : c.args()) {
      const bool dim = argument.name() == "dim" || argument.name() == "axis";
      if (dim && argument.value_case() == v1::Argument::kI) dim_ = argument.i();
    }
    for (const v1::Argument& argument : c.args()) Add(argument);
    int64_t in = 0, out = 0;
    for (const Tensors& each : tensors_) {
      in += Reads(each) ? each.elements() : 0;
      out += Writes(each) ? each.elements() : 0;
      for (const v1::TensorSpec* spec : each.specs) {
        largest_ = std::max(largest_, NumElements({spec->shape().begin(), spec->shape().end()}));
      }
    }
    Set("in", in);
    Set("out", out);
    Set("largest", largest_);
  }

  absl::StatusOr<v1::CallWork> Run() {
    v1::CallWork work;
    const v1::Work* rule = WorkRuleOf(op_, c_.function());
    static const v1::Work defaults;
    if (rule == nullptr) rule = &defaults;
    const absl::StatusOr<double> operations = rule->operations().empty()
                                                  ? absl::StatusOr<double>(static_cast<double>(largest_))
                                                  : Value(rule->operations());
    if (!operations.ok()) return operations.status();
    work.set_operations(std::max(*operations, 0.0));
    for (const Tensors& each : tensors_) {
      if (Reads(each)) {
        const absl::StatusOr<double> bytes = Moved(each, rule->read());
        if (!bytes.ok()) return bytes.status();
        work.set_read_bytes(work.read_bytes() + *bytes);
      }
      if (Writes(each)) {
        const absl::StatusOr<double> bytes = Moved(each, rule->written());
        if (!bytes.ok()) return bytes.status();
        work.set_written_bytes(work.written_bytes() + *bytes);
      }
    }
    return work;
  }

 private:
  void Set(const std::string& name, int64_t value) { variables_[name] = absl::StrCat(value); }

  // The size along the function's dimension.
  void SetDim(const std::string& name, const v1::TensorSpec& spec) {
    const int64_t rank = spec.shape_size();
    int64_t size = NumElements({spec.shape().begin(), spec.shape().end()});
    if (dim_.has_value() && *dim_ >= -rank && *dim_ < rank) {
      size = spec.shape(static_cast<int>(*dim_ < 0 ? *dim_ + rank : *dim_));
    }
    Set(name + "_dim", size);
  }

  template <typename Sizes>
  void SetSizes(const std::string& name, const Sizes& sizes) {
    const int rank = static_cast<int>(sizes.size());
    Set(name + "_rank", rank);
    for (int i = 0; i < rank; ++i) {
      Set(absl::StrCat(name, "_", i), sizes.Get(i));
      Set(absl::StrCat(name, "_m", rank - i), sizes.Get(i));
    }
  }

  void Add(const v1::Argument& argument) {
    Name(argument, argument.name());
    if (!argument.alias().empty()) Name(argument, argument.alias());
    if (argument.has_tensor()) {
      tensors_.push_back({&argument, {&argument.tensor()}});
    } else if (argument.has_tensors()) {
      tensors_.push_back({&argument, Present(argument.tensors())});
    } else if (argument.role() == v1::ROLE_LIBRARY_OUTPUT) {
      tensors_.push_back({&argument, {}});
    }
  }

  static std::vector<const v1::TensorSpec*> Present(const v1::TensorList& list) {
    std::vector<const v1::TensorSpec*> present;
    for (int i = 0; i < list.tensors_size(); ++i) {
      if (i >= list.null_size() || !list.null(i)) present.push_back(&list.tensors(i));
    }
    return present;
  }

  void Name(const v1::Argument& argument, const std::string& name) {
    switch (argument.value_case()) {
      case v1::Argument::kTensor:
        Set(name, Tensors{&argument, {&argument.tensor()}}.elements());
        Set(name + "_count", 1);
        SetSizes(name, argument.tensor().shape());
        SetDim(name, argument.tensor());
        break;
      case v1::Argument::kTensors: {
        const Tensors tensors{&argument, Present(argument.tensors())};
        Set(name, tensors.elements());
        Set(name + "_count", static_cast<int64_t>(tensors.specs.size()));
        if (!tensors.specs.empty()) SetSizes(name, tensors.specs.front()->shape());
        break;
      }
      case v1::Argument::kSizes: {
        int64_t product = 1;
        for (const int64_t size : argument.sizes().values()) product *= size;
        Set(name, product);
        SetSizes(name, argument.sizes().values());
        break;
      }
      case v1::Argument::kI:
        Set(name, argument.i());
        break;
      case v1::Argument::kB:
        Set(name, argument.b() ? 1 : 0);
        break;
      case v1::Argument::kF:
        Set(name, Truncated(argument.f()));
        break;
      case v1::Argument::kScalar:
        Set(name, argument.scalar().has_i() ? argument.scalar().i() : Truncated(argument.scalar().f()));
        break;
      case v1::Argument::kS:
        Set(absl::StrCat(name, "_", argument.s()), 1);
        texts_.push_back(name + "_");
        break;
      default:  // null, or a tensor that the library allocates
        Set(name, 0);
        Set(name + "_count", 0);
    }
  }

  static int64_t Truncated(double value) {
    constexpr double kLargest = 1e15;
    return value > -kLargest && value < kLargest ? static_cast<int64_t>(value) : 0;
  }

  absl::StatusOr<double> Value(const std::string& expression) const {
    Variables variables = variables_;
    for (const std::string& word : VariablesIn(expression)) {
      // Another value of a text.
      if (std::any_of(texts_.begin(), texts_.end(),
                      [&word](const std::string& text) { return absl::StartsWith(word, text); })) {
        variables.emplace(word, "0");
      }
    }
    const absl::StatusOr<std::optional<int64_t>> value = Evaluate(expression, variables);
    std::string problem;
    if (!value.ok()) problem = std::string(value.status().message());
    if (value.ok() && !value->has_value()) problem = "a variable has no value";
    if (problem.empty()) return static_cast<double>(**value);
    return absl::InvalidArgumentError(absl::StrCat(op_.operator_(), ": work of ", c_.function(), " in ",
                                                   c_.id(), ": '", expression, "': ", problem));
  }

  template <typename Moves>
  absl::StatusOr<double> Moved(const Tensors& tensors, const Moves& moves) const {
    for (const v1::Work::Moved& moved : moves) {
      if (moved.tensor() != tensors.argument->name()) continue;
      const absl::StatusOr<double> elements = Value(moved.elements());
      if (!elements.ok()) return elements;
      // What the library allocates has the case's dtype as far as is known.
      const Dtype dtype = tensors.specs.empty() ? c_.dtype() : tensors.specs.front()->dtype();
      return std::max(*elements, 0.0) * static_cast<double>(ElementSize(dtype));
    }
    return static_cast<double>(tensors.bytes());
  }

  const v1::OperatorFile& op_;
  const v1::Case& c_;
  std::vector<Tensors> tensors_;
  std::optional<int64_t> dim_;  // the attribute dim or axis
  int64_t largest_ = 0;
  Variables variables_;
  std::vector<std::string> texts_;  // the names of attributes that are texts, with "_"
};

std::string Short(double value) {
  if (value >= 1e12) return absl::StrFormat("%.3g T", value * 1e-12);
  if (value >= 1e9) return absl::StrFormat("%.3g G", value * 1e-9);
  if (value >= 1e6) return absl::StrFormat("%.3g M", value * 1e-6);
  if (value >= 1e3) return absl::StrFormat("%.3g k", value * 1e-3);
  return absl::StrFormat("%.0f ", value);
}

}  // namespace

const v1::Work* WorkRuleOf(const v1::OperatorFile& op, const std::string& function) {
  const v1::Work* general = nullptr;
  for (const v1::Work& rule : op.work()) {
    const auto& names = rule.functions();
    if (std::find(names.begin(), names.end(), function) != names.end()) return &rule;
    if (names.empty() && general == nullptr) general = &rule;
  }
  return general;
}

absl::StatusOr<v1::CallWork> WorkOf(const v1::OperatorFile& op, const v1::Case& c) {
  return Evaluator(op, c).Run();
}

std::string WorkText(const v1::CallWork& work) {
  const double bytes = work.read_bytes() + work.written_bytes();
  std::string text = absl::StrCat("reads ", Short(work.read_bytes()), "B, writes ",
                                  Short(work.written_bytes()), "B, ", Short(work.operations()), "operations");
  if (bytes > 0) absl::StrAppendFormat(&text, " (%.3g per byte)", work.operations() / bytes);
  return text;
}

}  // namespace diopi::cases
