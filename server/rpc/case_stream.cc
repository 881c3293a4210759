// The start of a case announces all its tensors; only those that the agent can neither make (RECIPE) nor asks
// for later (ON_REQUEST) follow, inputs before references. Whatever goes wrong with a baseline, the case gets
// its end or `spoilt`, so the agent never waits and the other cases of the lease go on.
#include "server/rpc/case_stream.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "baselines/store/index.h"
#include "cases/base/hash.h"
#include "cases/base/status_macros.h"
#include "cases/core/library_checks.h"
#include "cases/core/reference_key.h"
#include "cases/fill/fill.h"
#include "server/rpc/lease_frame.h"

namespace diopi::server {
namespace {

using baselines::CaseEntry;
using baselines::TensorEntry;

// The baseline of a case, as the index describes it.
struct Found {
  std::shared_ptr<const OpenBaseline> baseline;
  const CaseEntry* entry = nullptr;  // the baseline's; null for a case without tensors or a quarantined one
  std::string quarantined;           // not empty: a reference fails the case; why
};

// True when the device reference was run on this case.
bool UsesDevice(const CaseEntry& entry) {
  return !entry.quarantined.empty() ||
         std::any_of(entry.tensors.begin(), entry.tensors.end(), [](const TensorEntry& t) {
           return t.output && ParseReferenceKey(t.key).part == ReferencePart::kDevice;
         });
}

absl::StatusOr<Found> Find(const v1::Case& c, BaselineCache* baselines, v1::LeaseMessage::CaseStart* start) {
  if (cases::IsLibraryCheck(c)) return Found();  // it has no tensors
  ASSIGN_OR_RETURN(std::shared_ptr<const OpenBaseline> open, baselines->Get(c.operator_()));
  start->set_reference(open->reference);
  RETURN_IF_ERROR(open->Check(c));
  ASSIGN_OR_RETURN(const CaseEntry* entry, open->reader->Find(c.id()));
  if (UsesDevice(*entry)) {
    start->set_reference(absl::StrCat(open->reference, "; ", open->device_reference));
    start->set_device_reference(open->device_name);
  }
  if (!entry->quarantined.empty()) return Found{std::move(open), nullptr, entry->quarantined};
  return Found{std::move(open), entry, ""};
}

// 0 for an invalid checksum, which then matches nothing.
uint64_t ChecksumOf(const TensorEntry& tensor) {
  uint64_t checksum = 0;
  return absl::SimpleHexAtoi(tensor.piece.checksum, &checksum) ? checksum : 0;
}

v1::TensorInfo InfoOf(const TensorEntry& tensor) {
  v1::TensorInfo info;
  info.set_key(tensor.key);
  info.set_dtype(tensor.dtype);
  *info.mutable_shape() = {tensor.shape.begin(), tensor.shape.end()};
  info.set_bytes(static_cast<int64_t>(tensor.piece.nbytes));
  info.set_xxh64(ChecksumOf(tensor));
  info.set_reference(tensor.output);
  return info;
}

std::string Where(const OpenBaseline& baseline, const std::string& case_id, const std::string& key) {
  return absl::StrCat(baseline.path, ": case ", case_id, ", tensor ", key);
}

// Announces the tensors in the order in which they go out: inputs, then references.
void Announce(const v1::Case& c, const CaseEntry& entry, const CaseStreamOptions& options,
              v1::LeaseMessage::CaseStart* start) {
  const std::set<std::string> generated =
      options.generator_version == kGeneratorVersion ? GeneratedInputs(c) : std::set<std::string>();
  for (const bool reference : {false, true}) {
    for (const TensorEntry& tensor : entry.tensors) {
      if (tensor.output != reference) continue;
      v1::TensorInfo& info = *start->add_tensors();
      info = InfoOf(tensor);
      if (!reference && generated.contains(tensor.key)) {
        info.set_how(v1::TensorInfo::RECIPE);
      } else if (options.fetch_above > 0 && info.bytes() > options.fetch_above) {
        info.set_how(v1::TensorInfo::ON_REQUEST);
      }
    }
  }
  const auto references = std::count_if(start->tensors().begin(), start->tensors().end(),
                                        [](const v1::TensorInfo& info) { return info.reference(); });
  start->set_references(static_cast<int32_t>(references));
  start->set_inputs(start->tensors_size() - start->references());
}

// The tensor of this name in the file; null when there is none.
const TensorEntry* TensorOf(const CaseEntry& entry, bool reference, const std::string& key) {
  const auto found = std::find_if(entry.tensors.begin(), entry.tensors.end(), [&](const TensorEntry& t) {
    return t.output == reference && t.key == key;
  });
  return found == entry.tensors.end() ? nullptr : &*found;
}

}  // namespace

bool CaseStream::Send(const v1::LeaseMessage& message) {
  return sink_({EncodeMessage(message), 0, message.has_case_end() || message.has_damaged()});
}

bool CaseStream::End(const absl::Status& status, std::string* problem) {
  if (absl::IsCancelled(status)) return false;
  v1::LeaseMessage end;
  if (status.ok()) {
    end.set_case_end(true);
  } else {
    end.set_damaged(std::string(status.message()));
    if (problem != nullptr) *problem = end.damaged();
  }
  return Send(end);
}

// A tensor without elements is one chunk without data.
absl::Status CaseStream::SendTensor(const OpenBaseline& baseline, const std::string& case_id,
                                    const TensorEntry& tensor) {
  const uint64_t total = tensor.piece.nbytes;
  v1::TensorChunk head;
  head.set_key(tensor.key);
  head.set_dtype(tensor.dtype);
  *head.mutable_shape() = {tensor.shape.begin(), tensor.shape.end()};
  head.set_total_bytes(static_cast<int64_t>(total));
  Xxh64Stream hash;
  uint64_t offset = 0;
  do {
    ChunkPool::Chunk chunk = pool_->Get(std::min<uint64_t>(kChunkBytes, total - offset));
    const size_t size = chunk.size();
    const absl::Status read = baseline.reader->ReadPart(tensor.piece, offset, chunk.data(), size);
    if (!read.ok()) {
      return absl::DataLossError(
          absl::StrCat(read.message(), " (case ", case_id, ", tensor ", tensor.key, ")"));
    }
    hash.Update({chunk.data(), size});
    head.set_offset(static_cast<int64_t>(offset));
    if (!sink_({EncodeChunk(head, tensor.output, chunk.Release()), size, false})) {
      return absl::CancelledError("the agent disconnected");
    }
    offset += size;
  } while (offset < total);
  if (Hex64(hash.Digest()) == tensor.piece.checksum) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(Where(baseline, case_id, tensor.key), " does not match its checksum"));
}

bool CaseStream::SendCase(const v1::Case& c, const CaseStreamOptions& options, std::string* problem) {
  v1::LeaseMessage message;
  v1::LeaseMessage::CaseStart& start = *message.mutable_case_start();
  *start.mutable_case_() = c;
  const absl::StatusOr<Found> found = Find(c, baselines_, &start);
  if (!found.ok() || !found->quarantined.empty()) {
    start.set_quarantined(found.ok());
    start.set_unavailable(found.ok() ? found->quarantined : std::string(found.status().message()));
    if (problem != nullptr) *problem = start.unavailable();
  } else if (found->entry != nullptr) {
    Announce(c, *found->entry, options, &start);
  }
  if (!Send(message)) return false;
  absl::Status status;
  for (const v1::TensorInfo& info : start.tensors()) {
    if (info.how() != v1::TensorInfo::BYTES || !status.ok()) continue;
    status = SendTensor(*found->baseline, c.id(), *TensorOf(*found->entry, info.reference(), info.key()));
  }
  return End(status, problem);
}

bool CaseStream::SendWanted(const v1::Case& c, const v1::FetchRequest::Wanted& wanted, std::string* problem) {
  v1::LeaseMessage::CaseStart unsent;
  const absl::StatusOr<Found> found = Find(c, baselines_, &unsent);
  if (!found.ok()) return End(absl::DataLossError(found.status().message()), problem);
  absl::Status status;
  for (const v1::TensorInfo& info : wanted.tensors()) {
    if (!status.ok()) break;
    const TensorEntry* tensor =
        found->entry == nullptr ? nullptr : TensorOf(*found->entry, info.reference(), info.key());
    if (tensor == nullptr || ChecksumOf(*tensor) != info.xxh64()) {
      status = absl::DataLossError(absl::StrCat("case ", c.id(), ", tensor ", info.key(),
                                                ": its baseline was replaced while the case was handed out"));
    } else {
      status = SendTensor(*found->baseline, c.id(), *tensor);
    }
  }
  return End(status, problem);
}

}  // namespace diopi::server
