// Rules are evaluated for every candidate of a cover, so facts about values are read off the fills, without
// drawing. Only NAME_full_lines and NAME_distinct draw, and only where the shape and the fill leave the
// answer open. Where a fill says nothing, the bounds are the widest and the sum is -1.
#include "cases/core/call_variables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/tensor.h"
#include "cases/core/operand_classes.h"
#include "cases/fill/fill.h"

namespace diopi::cases {
namespace {

std::vector<const v1::TensorSpec*> Present(const v1::TensorList& list) {
  std::vector<const v1::TensorSpec*> present;
  for (int i = 0; i < list.tensors_size(); ++i) {
    if (i >= list.null_size() || !list.null(i)) present.push_back(&list.tensors(i));
  }
  return present;
}

// How many elements have a value of their own, drawn or listed.
int64_t FreeValues(const v1::Fill& fill) {
  if (fill.has_constant()) return 1;
  if (fill.has_range()) return 2;
  return fill.has_values() ? fill.values().values_size() : std::numeric_limits<int64_t>::max();
}

constexpr int64_t kMostDrawn = int64_t{1} << 20;  // elements of a tensor
constexpr char kFullLines[] = "_full_lines", kDistinct[] = "_distinct";

int64_t Truncated(double value) {
  return value > -kBeyondValues && value < kBeyondValues ? static_cast<int64_t>(value) : 0;
}

// Whether an integer type of at most 16 bits has the number; true for all other types.
bool FitsNarrow(Dtype dtype, int64_t number) {
  switch (dtype) {
    case v1::Dtype::uint8:
      return number >= 0 && number < 256;
    case v1::Dtype::int8:
      return number >= -128 && number < 128;
    case v1::Dtype::int16:
      return number >= -32768 && number < 32768;
    default:
      return true;
  }
}

// What a fill says about `count` values, in lines of `length`, without drawing any.
FillFacts FactsOf(const v1::Fill& fill, int64_t count, int64_t length) {
  const auto n = static_cast<double>(count);
  if (count == 0) return {kBeyondValues, -kBeyondValues, 0, 0};  // whatever is said of its values holds
  if (fill.has_constant()) {
    const double value = fill.constant().value();
    return {value, value, value * n};
  }
  if (fill.has_range()) {
    const double step = fill.range().has_step() ? fill.range().step() : 1;
    const double first = fill.range().start(), last = first + step * (n - 1);
    return {std::min(first, last), std::max(first, last), (first + last) / 2 * n, std::max(first, step)};
  }
  if (fill.has_permutation()) {
    const auto start = static_cast<double>(fill.permutation().start()), size = static_cast<double>(length);
    return {start, start + size - 1, (start + (size - 1) / 2) * n};
  }
  if (fill.has_uniform()) return {fill.uniform().low(), fill.uniform().high(), -1};
  if (fill.has_integers()) {
    return {static_cast<double>(fill.integers().low()), static_cast<double>(fill.integers().high()), -1};
  }
  const auto& values = fill.values().values();
  if (values.empty() || fill.has_specials()) return {};
  FillFacts facts{kBeyondValues, -kBeyondValues, 0, 0};
  const int64_t times = count / values.size(), rest = count % values.size();
  for (int i = 0; i < values.size(); ++i) {
    const int64_t uses = times + (i < rest ? 1 : 0);
    if (uses == 0) break;
    facts.least = std::min(facts.least, values[i]);
    facts.greatest = std::max(facts.greatest, values[i]);
    facts.sum += values[i] * static_cast<double>(uses);
    facts.step = std::max(facts.step, i == 0 ? values[i] : values[i] - values[i - 1]);
  }
  return facts;
}

}  // namespace

int64_t CallTensors::elements() const {
  int64_t sum = 0;
  for (const v1::TensorSpec* spec : specs) sum += ElementsOf(*spec);
  return sum;
}
bool CallTensors::read() const {
  return IsInput(*argument);
}
bool CallTensors::written() const {
  return argument->role() != v1::ROLE_INPUT;
}

CallVariables::CallVariables(const v1::Case& c) : case_(c) {
  for (const v1::Argument& argument : c.args()) {
    const bool dim = argument.name() == "dim" || argument.name() == "axis";
    if (dim && argument.value_case() == v1::Argument::kI) dim_ = argument.i();
  }
  for (const v1::Argument& argument : c.args()) Add(argument);
  int64_t in = 0, out = 0;
  for (const CallTensors& each : tensors_) {
    in += each.read() ? each.elements() : 0;
    out += each.written() ? each.elements() : 0;
    for (const v1::TensorSpec* spec : each.specs) largest_ = std::max(largest_, ElementsOf(*spec));
  }
  Set("in", in);
  Set("out", out);
  Set("largest", largest_);
  NameText("dtype", std::string(DtypeName(c.dtype())));
}

void CallVariables::Set(const std::string& name, int64_t value) {
  variables_[name] = absl::StrCat(value);
}

void CallVariables::Add(const v1::Argument& argument) {
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

template <typename Sizes>
void CallVariables::NameSizes(const std::string& name, const Sizes& sizes) {
  const int rank = static_cast<int>(sizes.size());
  Set(name + "_rank", rank);
  for (int i = 0; i < rank; ++i) {
    Set(absl::StrCat(name, "_", i), sizes.Get(i));
    Set(absl::StrCat(name, "_m", rank - i), sizes.Get(i));
  }
}

void CallVariables::NameTensor(const std::string& name, const v1::TensorSpec& spec) {
  const int rank = spec.shape_size();
  int64_t along = ElementsOf(spec);
  Set(name, along);
  Set(name + "_count", 1);
  NameSizes(name, spec.shape());
  if (dim_.has_value() && *dim_ >= -rank && *dim_ < rank) {
    along = spec.shape(static_cast<int>(*dim_ < 0 ? *dim_ + rank : *dim_));
  }
  Set(name + "_dim", along);
  Set(name + "_integers", spec.fill().has_integers() ? 1 : 0);
  Set(name + "_listed", spec.fill().has_values() ? 1 : 0);
  Set(name + "_lognormal", spec.fill().has_lognormal() ? 1 : 0);
  Set(name + "_permutation", spec.fill().has_permutation() ? 1 : 0);
  const bool constant = spec.fill().has_constant() && !std::isfinite(spec.fill().constant().value());
  Set(name + "_specials", spec.fill().specials().values_size() + (constant ? 1 : 0));
  Set(name + "_patterned", FreeValues(spec.fill()) < ElementsOf(spec) ? 1 : 0);
  const int64_t length = spec.shape().empty() ? 1 : spec.shape(rank - 1);
  NameFacts(name, FactsOf(spec.fill(), ElementsOf(spec), length),
            std::find(spec.strides().begin(), spec.strides().end(), 0) != spec.strides().end());
  bool any = false;
  for (int i = 0; i < rank; ++i) {
    const bool expanded = i < spec.strides_size() && spec.strides(i) == 0 && spec.shape(i) > 1;
    Set(absl::StrCat(name, "_expanded_m", rank - i), expanded ? 1 : 0);
    any = any || expanded;
  }
  Set(name + "_expanded", any ? 1 : 0);
}

void CallVariables::NameFacts(const std::string& name, const FillFacts& facts, bool expanded) {
  const auto set = [&](const char* suffix, double value) {
    Set(absl::StrCat(name, suffix), static_cast<int64_t>(std::clamp(value, -kBeyondValues, kBeyondValues)));
  };
  set("_least", facts.least);
  set("_greatest", facts.greatest);
  // An expanded tensor has some of the values several times.
  set("_sum", expanded ? -1 : facts.sum);
  set("_step", facts.step);
}

void CallVariables::NameNumber(const std::string& name, double value) {
  NameTruncated(name, Truncated(value));
  Set(name + "_inf", std::isinf(value) ? 1 : 0);
  Set(name + "_whole", value == std::trunc(value) ? 1 : 0);
  int exponent = 0;
  Set(name + "_power2", std::fabs(std::frexp(value, &exponent)) == 0.5 ? 1 : 0);
}

void CallVariables::NameTruncated(const std::string& name, int64_t value) {
  Set(name, value);
  Set(name + "_fits", FitsNarrow(case_.dtype(), value) ? 1 : 0);
}

void CallVariables::NameText(const std::string& name, const std::string& text) {
  Set(absl::StrCat(name, "_", text), 1);
  texts_.push_back(name + "_");
}

void CallVariables::Name(const v1::Argument& argument, const std::string& name) {
  switch (argument.value_case()) {
    case v1::Argument::kTensor:
      NameTensor(name, argument.tensor());
      break;
    case v1::Argument::kTensors: {
      const CallTensors tensors{&argument, Present(argument.tensors())};
      Set(name, tensors.elements());
      Set(name + "_count", static_cast<int64_t>(tensors.specs.size()));
      if (!tensors.specs.empty()) NameSizes(name, tensors.specs.front()->shape());
      break;
    }
    case v1::Argument::kSizes: {
      const auto& sizes = argument.sizes().values();
      Set(name, NumElements({sizes.begin(), sizes.end()}));
      NameSizes(name, sizes);
      v1::Fill listed;
      for (const int64_t size : sizes) listed.mutable_values()->add_values(static_cast<double>(size));
      NameFacts(name, FactsOf(listed, sizes.size(), sizes.size()), false);
      break;
    }
    case v1::Argument::kI:
      Set(name, argument.i());
      break;
    case v1::Argument::kB:
      Set(name, argument.b() ? 1 : 0);
      break;
    case v1::Argument::kF:
      NameNumber(name, argument.f());
      break;
    case v1::Argument::kScalar:
      if (argument.scalar().has_i()) {
        NameNumber(name, static_cast<double>(argument.scalar().i()));
        NameTruncated(name, argument.scalar().i());
      } else {
        NameNumber(name, argument.scalar().f());
      }
      break;
    case v1::Argument::kS:
      NameText(name, argument.s());
      break;
    default:  // null, or a tensor that the library allocates
      Set(name, 0);
      Set(name + "_count", 0);
  }
}

// The generated tensor of that name in the ABI or in points; null if there is none or it is too large.
const v1::Argument* CallVariables::GeneratedTensor(const std::string& name) const {
  for (const v1::Argument& argument : case_.args()) {
    if (!argument.has_tensor() || (argument.name() != name && PointName(argument) != name)) continue;
    const v1::TensorSpec& spec = argument.tensor();
    return ElementsOf(spec) > kMostDrawn || !spec.from().empty() ? nullptr : &argument;
  }
  return nullptr;
}

std::optional<std::vector<double>> CallVariables::Draw(const v1::Argument& argument) const {
  const v1::TensorSpec& spec = argument.tensor();
  const absl::StatusOr<HostTensor> tensor = FillTensor(spec, GeneratorKey(case_, PointName(argument)));
  if (!tensor.ok()) return std::nullopt;  // CheckInputs reports it
  std::vector<double> values;
  for (int64_t i = 0; i < ElementsOf(spec); ++i) values.push_back(ElementAsDouble(*tensor, i));
  return values;
}

// Lines of the tensor without a 0.
int64_t CallVariables::FullLines(const std::string& name) const {
  const v1::Argument* argument = GeneratedTensor(name);
  const auto values = argument == nullptr ? std::nullopt : Draw(*argument);
  if (!values.has_value()) return 0;
  const auto& shape = argument->tensor().shape();
  const int64_t length = shape.empty() ? 1 : shape.Get(shape.size() - 1);
  int64_t full = 0;
  for (auto line = values->begin(); line != values->end(); line += length)
    full += std::find(line, line + length, 0.0) == line + length ? 1 : 0;
  return full;
}

// Whether no line along `dim_` has a value twice. Draws the values only where the shape and the fill leave it
// open: rules are evaluated for every candidate of a cover.
bool CallVariables::IsDistinct(const std::string& name) const {
  const v1::Argument* argument = GeneratedTensor(name);
  if (argument == nullptr || !dim_.has_value()) return false;
  const v1::TensorSpec& spec = argument->tensor();
  const auto& shape = spec.shape();
  if (*dim_ < -shape.size() || *dim_ >= shape.size() || ElementsOf(spec) == 0) return true;
  const auto dim = static_cast<int>(*dim_ < 0 ? *dim_ + shape.size() : *dim_);
  const int64_t length = shape.Get(dim);
  if (length == 1 ||
      (spec.fill().has_permutation() && dim == shape.size() - 1 && !spec.fill().has_specials()))
    return true;
  const FillFacts facts = FactsOf(spec.fill(), ElementsOf(spec), shape.Get(shape.size() - 1));
  const bool few = facts.greatest - facts.least + 1 < static_cast<double>(length);
  if (few && IsInteger(spec.dtype()) && !spec.fill().has_specials()) return false;
  const auto values = Draw(*argument);
  if (!values.has_value()) return false;
  int64_t stride = 1;
  for (int i = dim + 1; i < shape.size(); ++i) stride *= shape.Get(i);
  std::vector<std::pair<int64_t, double>> seen;  // the line's first element, and a value
  seen.reserve(values->size());
  for (int64_t i = 0; i < ElementsOf(spec); ++i)
    seen.emplace_back(i / (stride * length) * stride + i % stride, (*values)[static_cast<size_t>(i)]);
  std::sort(seen.begin(), seen.end());
  return std::adjacent_find(seen.begin(), seen.end()) == seen.end();
}

absl::StatusOr<int64_t> CallVariables::Value(const std::string& expression) const {
  Variables variables = variables_;
  for (const std::string& word : VariablesIn(expression)) {
    // Another value of a text.
    if (std::any_of(texts_.begin(), texts_.end(),
                    [&word](const std::string& text) { return absl::StartsWith(word, text); })) {
      variables.emplace(word, "0");
    }
    absl::string_view name = word;
    if (absl::ConsumeSuffix(&name, kFullLines))
      variables.emplace(word, absl::StrCat(FullLines(std::string(name))));
    if (absl::ConsumeSuffix(&name, kDistinct))
      variables.emplace(word, IsDistinct(std::string(name)) ? "1" : "0");
  }
  const absl::StatusOr<std::optional<int64_t>> value = Evaluate(expression, variables);
  std::string problem;
  if (!value.ok()) problem = std::string(value.status().message());
  if (value.ok() && !value->has_value()) problem = "a variable has no value";
  if (problem.empty()) return **value;
  return absl::InvalidArgumentError(absl::StrCat("'", expression, "': ", problem));
}

}  // namespace diopi::cases
