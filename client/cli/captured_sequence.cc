// An output's fingerprint is its type and the hash of its bytes in the order of memory; the newest output
// with a fingerprint is the source of later inputs with it. Values are handed on in that order, too, through
// the strides of both tensors, because the call that uses them may see another shape or order of dimensions.
#include "client/cli/captured_sequence.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/hash.h"
#include "cases/base/layout.h"
#include "cases/base/status_macros.h"
#include "client/profile/tensors.h"

namespace diopi::cli {
namespace {

// The strides of a tensor of the case; those of a dense one where the case does not say.
std::vector<int64_t> StridesOf(const v1::Case& c, const std::string& key, const HostTensor& tensor) {
  std::vector<int64_t> dense = ContiguousStrides(tensor.shape);
  for (const profile::CaseTensor& known : profile::TensorsOf(c)) {
    if (known.key != key || static_cast<size_t>(known.spec->strides_size()) != dense.size()) continue;
    return {known.spec->strides().begin(), known.spec->strides().end()};
  }
  return dense;
}

// The tensor's bytes in the order in which they lay in memory; empty where gaps lie between its elements.
std::string InMemory(const HostTensor& tensor, const std::vector<int64_t>& strides) {
  int64_t last = 0;
  for (size_t i = 0; i < strides.size(); ++i) last += (tensor.shape[i] - 1) * strides[i];
  if (last + 1 != NumElements(tensor.shape)) return "";
  std::string bytes(tensor.data.size(), '\0');
  ScatterToStorage(tensor.data.data(), tensor.shape, strides, 0, ElementSize(tensor.dtype), bytes.data());
  return bytes;
}

bool IsOneNumber(const HostTensor& tensor) {
  const auto element = static_cast<size_t>(ElementSize(tensor.dtype));
  return tensor.data.size() <= element ||
         std::string_view(tensor.data).substr(element) ==
             std::string_view(tensor.data).substr(0, tensor.data.size() - element);
}

// The same for tensors of which one may be the other; empty: no other may be.
std::string Fingerprint(const v1::Case& c, const std::string& key, const HostTensor& tensor) {
  if (IsOneNumber(tensor)) return "";
  const std::string bytes = InMemory(tensor, StridesOf(c, key, tensor));
  return bytes.empty() ? "" : absl::StrCat(std::string(DtypeName(tensor.dtype)), " ", Xxh128Hex(bytes));
}

bool HasJudge(const v1::Case& c, const std::string& key, v1::Judge::Kind kind) {
  return std::any_of(c.judges().begin(), c.judges().end(), [&](const v1::Judge& judge) {
    return judge.kind() == kind && key.substr(0, key.find('.')) == judge.output();
  });
}

}  // namespace

CapturedSequence::CapturedSequence(std::vector<tap::CapturedCall> calls) : calls_(std::move(calls)) {
  std::map<std::string, TensorOfCall> newest;  // by fingerprint
  std::set<TensorOfCall> used;
  for (size_t i = 0; i < calls_.size(); ++i) {
    const tap::CapturedCall& call = calls_[i];
    for (const auto& [key, tensor] : call.inputs) {
      const auto source = newest.find(Fingerprint(call.c, key, tensor));
      if (source == newest.end()) continue;
      sources_[{i, key}] = source->second;
      used.insert(source->second);
    }
    for (const auto& [key, tensor] : call.outputs) {
      const std::string fingerprint = Fingerprint(call.c, key, tensor);
      if (!fingerprint.empty()) newest[fingerprint] = {i, key};
    }
  }
  for (size_t i = 0; i < calls_.size(); ++i) {
    for (const auto& [key, tensor] : calls_[i].outputs) {
      const v1::Case& c = calls_[i].c;
      if (used.contains({i, key}) || IsRandom(c) || HasJudge(c, key, v1::Judge::NOT_JUDGED)) continue;
      ends_.push_back({i, key});
    }
  }
}

std::vector<std::string> CapturedSequence::functions() const {
  std::vector<std::string> names;
  for (const tap::CapturedCall& call : calls_) {
    const bool known = std::find(names.begin(), names.end(), call.c.function()) != names.end();
    if (!known && !IsRandom(call.c)) names.push_back(call.c.function());
  }
  return names;
}

absl::StatusOr<TensorMap> CapturedSequence::OutputsOf(
    size_t call, const Compute& compute, const std::map<TensorOfCall, HostTensor>& computed) const {
  const tap::CapturedCall& captured = calls_[call];
  if (IsRandom(captured.c)) return captured.outputs;
  TensorMap inputs = captured.inputs;
  for (auto& [key, tensor] : inputs) {
    const auto source = sources_.find({call, key});
    if (source == sources_.end()) continue;
    const TensorOfCall& from = source->second;
    const HostTensor& values = computed.at(from);
    const std::string bytes = InMemory(values, StridesOf(calls_[from.call].c, from.key, values));
    GatherFromStorage(bytes.data(), tensor.shape, StridesOf(captured.c, key, tensor), 0,
                      ElementSize(tensor.dtype), tensor.data.data());
  }
  absl::StatusOr<TensorMap> outputs = compute(captured, inputs);
  if (!outputs.ok()) {
    return absl::Status(outputs.status().code(),
                        absl::StrCat(captured.path, ": ", outputs.status().message()));
  }
  for (const auto& [key, tensor] : captured.outputs) {
    const auto output = outputs->find(key);
    if (output == outputs->end() || output->second.dtype != tensor.dtype ||
        output->second.shape != tensor.shape) {
      return absl::InvalidArgumentError(absl::StrCat(captured.path, ": output ", key,
                                                     " has another type or shape than when it was captured"));
    }
  }
  return outputs;
}

absl::StatusOr<std::map<TensorOfCall, HostTensor>> CapturedSequence::Run(const Compute& compute) const {
  std::map<TensorOfCall, HostTensor> computed;
  for (size_t i = 0; i < calls_.size(); ++i) {
    ASSIGN_OR_RETURN(TensorMap outputs, OutputsOf(i, compute, computed));
    for (auto& [key, tensor] : outputs) computed[{i, key}] = std::move(tensor);
  }
  std::map<TensorOfCall, HostTensor> ends;
  for (const TensorOfCall& end : ends_) ends[end] = std::move(computed.at(end));
  return ends;
}

absl::StatusOr<CapturedSequence> ReadSequence(const std::string& capture) {
  ASSIGN_OR_RETURN(const std::vector<std::string> files, tap::CaptureFiles(capture));
  std::set<int64_t> processes;
  std::vector<tap::CapturedCall> calls;
  for (const std::string& file : files) {
    const std::optional<tap::CaptureName> name = tap::ParseCaptureName(file);
    processes.insert(name.has_value() ? name->process : 0);
    ASSIGN_OR_RETURN(tap::CapturedCall call, tap::ReadCapturedCall(file));
    calls.push_back(std::move(call));
  }
  if (processes.size() == 1) return CapturedSequence(std::move(calls));
  return absl::InvalidArgumentError(absl::StrCat(capture, ": holds the calls of ", processes.size(),
                                                 " processes; expected a folder with those of one"));
}

}  // namespace diopi::cli
