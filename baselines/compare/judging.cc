#include "baselines/compare/judging.h"

#include <algorithm>

namespace diopi::baselines {
namespace {

bool IsOutput(const v1::Argument& argument) {
  return argument.role() == v1::ROLE_OUTPUT || argument.role() == v1::ROLE_INOUT ||
         argument.role() == v1::ROLE_LIBRARY_OUTPUT;
}

void AddOutputs(const v1::Argument& argument, const v1::Judge& judge, std::vector<JudgedOutput>* outputs) {
  const bool library_allocated = argument.role() == v1::ROLE_LIBRARY_OUTPUT;
  const auto add = [&](std::string key, Dtype dtype) {
    const v1::Judge::Kind kind = EffectiveKind(judge.kind(), dtype);
    const bool in_parts = IsComplex(dtype) && HasNoise(kind);
    outputs->push_back(
        {std::move(key), in_parts ? PartOf(dtype) : dtype, kind, &judge, library_allocated, in_parts});
  };
  switch (argument.value_case()) {
    case v1::Argument::kTensor:
      add(argument.name(), argument.tensor().dtype());
      break;
    case v1::Argument::kTensors:
      for (int i = 0; i < argument.tensors().tensors_size(); ++i) {
        if (i < argument.tensors().null_size() && argument.tensors().null(i)) continue;
        add(argument.name() + "." + std::to_string(i), argument.tensors().tensors(i).dtype());
      }
      break;
    case v1::Argument::kHostOutput:
      add(argument.name(), argument.host_output().dtype());
      break;
    default:
      break;  // null
  }
}

}  // namespace

v1::Judge::Kind EffectiveKind(v1::Judge::Kind kind, Dtype dtype) {
  return HasNoise(kind) && !IsFloating(dtype) && !IsComplex(dtype) ? v1::Judge::EXACT : kind;
}

Dtype PartOf(Dtype dtype) {
  switch (dtype) {
    case v1::Dtype::complex32:
      return v1::Dtype::float16;
    case v1::Dtype::complex64:
      return v1::Dtype::float32;
    case v1::Dtype::complex128:
      return v1::Dtype::float64;
    default:
      return dtype;
  }
}

HostTensor PartsOf(const HostTensor& complex) {
  HostTensor parts{PartOf(complex.dtype), complex.shape, complex.data};
  parts.shape.push_back(2);
  return parts;
}

const HostTensor& AsJudged(const JudgedOutput& output, const HostTensor& tensor, HostTensor* parts) {
  if (!output.in_parts) return tensor;
  *parts = PartsOf(tensor);
  return *parts;
}

bool HasNoise(v1::Judge::Kind kind) {
  return kind == v1::Judge::MATH || kind == v1::Judge::ACCUMULATION || kind == v1::Judge::COMPOSITION;
}

bool BelongsTo(std::string_view key, std::string_view output) {
  if (key == output) return true;
  if (key.size() <= output.size() + 1 || key.substr(0, output.size()) != output) return false;
  return key[output.size()] == '.' &&
         key.find_first_not_of("0123456789", output.size() + 1) == std::string_view::npos;
}

Dtype OutputDtype(const v1::Case& c, std::string_view key) {
  for (const v1::Argument& arg : c.args()) {
    if (!BelongsTo(key, arg.name())) continue;
    if (arg.has_tensor()) return arg.tensor().dtype();
    if (arg.has_host_output()) return arg.host_output().dtype();
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      if (key == arg.name() + "." + std::to_string(i)) return arg.tensors().tensors(i).dtype();
    }
    if (arg.tensors().tensors_size() > 0) return arg.tensors().tensors(0).dtype();
  }
  return c.dtype();
}

std::vector<JudgedOutput> JudgedOutputs(const v1::Case& c) {
  std::vector<JudgedOutput> outputs;
  const auto judged_by_name = [&](const std::string& name) {
    return std::any_of(c.judges().begin(), c.judges().end(),
                       [&](const v1::Judge& judge) { return judge.output() == name; });
  };
  for (const v1::Judge& judge : c.judges()) {
    if (judge.kind() == v1::Judge::NOT_JUDGED) continue;
    for (const v1::Argument& argument : c.args()) {
      const bool named = judge.output() == argument.name();
      const bool covered = judge.output().empty() && IsOutput(argument) && !judged_by_name(argument.name());
      if (named || covered) AddOutputs(argument, judge, &outputs);
    }
  }
  return outputs;
}

v1::Case WithoutJudging(const v1::Case& c, const google::protobuf::RepeatedPtrField<std::string>& keys) {
  v1::Case result = c;
  for (v1::Judge& judge : *result.mutable_judges()) {
    const bool left_out = std::any_of(keys.begin(), keys.end(), [&judge](const std::string& key) {
      return BelongsTo(key, judge.output());
    });
    if (left_out) judge.set_kind(v1::Judge::NOT_JUDGED);
  }
  return result;
}

bool NumberOf(const v1::Case& c, std::string_view name, double* value) {
  const v1::Argument* argument = FindArgument(c, name);
  if (argument == nullptr) return false;
  switch (argument->value_case()) {
    case v1::Argument::kI:
      *value = static_cast<double>(argument->i());
      return true;
    case v1::Argument::kF:
      *value = argument->f();
      return true;
    case v1::Argument::kB:
      *value = argument->b() ? 1 : 0;
      return true;
    case v1::Argument::kScalar:
      *value = argument->scalar().value_case() == v1::ScalarValue::kI
                   ? static_cast<double>(argument->scalar().i())
                   : argument->scalar().f();
      return true;
    default:
      return false;
  }
}

}  // namespace diopi::baselines
