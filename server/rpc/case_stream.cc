#include "server/rpc/case_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/core/library_checks.h"
#include "cases/core/tensor.h"

namespace diopi::server {
namespace {

// A tensor without elements is one chunk without data.
bool SendTensor(const std::string& key, const HostTensor& tensor, bool is_input, const MessageSink& sink) {
  size_t offset = 0;
  do {
    const size_t bytes = std::min(kChunkBytes, tensor.data.size() - offset);
    v1::LeaseMessage message;
    v1::TensorChunk& chunk = is_input ? *message.mutable_input() : *message.mutable_reference();
    chunk.set_key(key);
    chunk.set_dtype(tensor.dtype);
    *chunk.mutable_shape() = {tensor.shape.begin(), tensor.shape.end()};
    chunk.set_offset(static_cast<int64_t>(offset));
    chunk.set_total_bytes(static_cast<int64_t>(tensor.data.size()));
    chunk.set_data(tensor.data.data() + offset, bytes);
    if (!sink(message)) return false;
    offset += bytes;
  } while (offset < tensor.data.size());
  return true;
}

// Each tensor is let go as soon as it is sent.
bool SendTensors(TensorMap tensors, bool is_input, const MessageSink& sink) {
  while (!tensors.empty()) {
    const auto node = tensors.extract(tensors.begin());
    if (!SendTensor(node.key(), node.mapped(), is_input, sink)) return false;
  }
  return true;
}

// True when the device reference was run on this case.
bool UsesDevice(const baselines::Baseline& baseline) {
  return !baseline.quarantined.empty() ||
         std::any_of(baseline.references.begin(), baseline.references.end(),
                     [](const auto& entry) { return absl::EndsWith(entry.first, ".device"); });
}

absl::StatusOr<baselines::Baseline> ReadBaseline(const v1::Case& c, BaselineCache* baselines,
                                                 std::string* reference) {
  if (cases::IsLibraryCheck(c)) return baselines::Baseline();  // it has no tensors
  const absl::StatusOr<std::shared_ptr<const OpenBaseline>> open = baselines->Get(c.operator_());
  if (!open.ok()) return open.status();
  *reference = (*open)->reference;
  absl::Status status = (*open)->Check(c);
  if (!status.ok()) return status;
  absl::StatusOr<baselines::Baseline> baseline = (*open)->reader->Read(c.id());
  if (!baseline.ok()) return baseline;
  if (UsesDevice(*baseline)) absl::StrAppend(reference, "; ", (*open)->device_reference);
  if (!baseline->quarantined.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(baselines::kQuarantined, baseline->quarantined));
  }
  return baseline;
}

}  // namespace

bool SendCase(const v1::Case& c, BaselineCache* baselines, const MessageSink& sink,
              std::string* unavailable) {
  v1::LeaseMessage message;
  v1::LeaseMessage::CaseStart& start = *message.mutable_case_start();
  *start.mutable_case_() = c;
  absl::StatusOr<baselines::Baseline> baseline = ReadBaseline(c, baselines, start.mutable_reference());
  if (baseline.ok()) {
    start.set_inputs(static_cast<int32_t>(baseline->inputs.size()));
    start.set_references(static_cast<int32_t>(baseline->references.size()));
  } else {
    start.set_unavailable(std::string(baseline.status().message()));
    if (unavailable != nullptr) *unavailable = start.unavailable();
  }
  if (!sink(message)) return false;
  if (baseline.ok() && (!SendTensors(std::move(baseline->inputs), true, sink) ||
                        !SendTensors(std::move(baseline->references), false, sink))) {
    return false;
  }
  message.set_case_end(true);
  return sink(message);
}

}  // namespace diopi::server
