// Each call is a file of its own, in the store's format: when Add returns, the file is complete, so a host
// that crashes in the next call loses nothing. The first error ends capturing instead of the host. The facts
// of a call are a line of the file's provenance, which FactsText writes and ParseFacts reads.
#include "baselines/tap/capture.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cases/base/status_macros.h"
#include "cases/core/argument_text.h"

namespace diopi::tap {
namespace {

constexpr char kCaptureReference[] = "capture";  // Provenance.reference of a captured call

// Less than its size where it has holes.
int64_t BytesOnDisk(const std::string& path) {
  constexpr int64_t kBlock = 512;  // of st_blocks
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_blocks * kBlock : 0;
}

// The inverse of FactsText.
std::optional<CallFacts> ParseFacts(const std::string& text) {
  CallFacts facts;
  // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): it is our own text
  const int found = std::sscanf(text.c_str(),
                                "call %" SCNd64 ", step %" SCNd64 ", thread %" SCNd64
                                ", stream %p, at %lf ms, took %lf ms, returned %" SCNd32,
                                &facts.order, &facts.step, &facts.thread, &facts.stream, &facts.start_us,
                                &facts.microseconds, &facts.returned);
  if (found != 7) return std::nullopt;
  facts.start_us *= 1000;
  facts.microseconds *= 1000;
  return facts;
}

absl::StatusOr<std::unique_ptr<baselines::BaselineReader>> OpenCapturedCall(const std::string& path) {
  ASSIGN_OR_RETURN(auto reader, baselines::BaselineReader::Open(path));
  if (reader->provenance().reference != kCaptureReference || reader->case_ids().size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is a file of baselines; expected a captured call"));
  }
  return reader;
}

}  // namespace

std::string FactsText(const CallFacts& facts) {
  return absl::StrFormat("call %d, step %d, thread %d, stream 0x%x, at %.3f ms, took %.3f ms, returned %d",
                         facts.order, facts.step, facts.thread, reinterpret_cast<uintptr_t>(facts.stream),
                         facts.start_us / 1000, facts.microseconds / 1000, facts.returned);
}

absl::Status CaptureFolder::Add(const v1::Case& c, const TensorMap& inputs, const TensorMap& outputs,
                                const CallFacts& facts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ended_) return absl::OkStatus();
  int64_t bytes = 0;
  for (const TensorMap* tensors : {&inputs, &outputs}) {
    for (const auto& [key, tensor] : *tensors) bytes += static_cast<int64_t>(tensor.data.size());
  }
  const std::string path =
      absl::StrFormat("%s/%d-%06d-%s.h5", folder_, static_cast<int>(getpid()), facts.order, c.function());
  absl::Status status;
  if (bytes_ + bytes > limit_) {
    status = absl::ResourceExhaustedError(absl::StrCat("the limit of ", limit_, " bytes is reached"));
  } else {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    status = Write(path, {c, inputs, outputs}, facts);
  }
  ended_ = !status.ok();
  if (!status.ok()) return status;
  bytes_ += std::max(bytes, BytesOnDisk(path));  // small tensors take less than the file around them
  ++files_;
  return absl::OkStatus();
}

absl::Status CaptureFolder::Write(const std::string& path, const baselines::Baseline& call,
                                  const CallFacts& facts) {
  baselines::Provenance provenance;
  provenance.reference = kCaptureReference;
  provenance.library = library_;
  provenance.device = FactsText(facts);
  provenance.created = absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
  ASSIGN_OR_RETURN(auto writer, baselines::BaselineWriter::Create(path, call.c.operator_(), provenance,
                                                                  baselines::Outlives::kProcess));
  absl::Status status = writer->Add(call);
  return status.ok() ? writer->Commit() : status;
}

bool CaptureFolder::full() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ended_;
}

int64_t CaptureFolder::files() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_;
}

absl::StatusOr<std::vector<std::string>> CaptureFiles(const std::string& capture) {
  std::error_code error;
  std::vector<std::string> files;
  if (std::filesystem::is_directory(capture, error)) {
    for (const auto& entry : std::filesystem::directory_iterator(capture, error)) {
      const std::string path = entry.path();
      if (absl::EndsWith(path, ".h5")) files.push_back(path);
    }
  } else if (std::filesystem::exists(capture, error)) {
    files.push_back(capture);
  }
  if (files.empty()) {
    return absl::NotFoundError(
        absl::StrCat(capture, ": no captured calls; expected a folder with *.h5, or one of them"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<CaptureName> ParseCaptureName(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem();
  const std::vector<std::string> parts = absl::StrSplit(stem, '-');
  CaptureName name;
  if (parts.size() != 3 || !absl::EndsWith(path, ".h5") || !absl::SimpleAtoi(parts[0], &name.process) ||
      !absl::SimpleAtoi(parts[1], &name.order)) {
    return std::nullopt;
  }
  name.function = parts[2];
  return name;
}

absl::StatusOr<CapturedCall> ReadCapturedCall(const std::string& path) {
  ASSIGN_OR_RETURN(const auto reader, OpenCapturedCall(path));
  CapturedCall call{path, reader->provenance().device, reader->provenance().library, {}, {}, {}};
  const std::string id = reader->case_ids()[0];
  ASSIGN_OR_RETURN(call.c, reader->ReadCase(id));
  ASSIGN_OR_RETURN(baselines::Baseline tensors, reader->Read(id));
  call.inputs = std::move(tensors.inputs);
  call.outputs = std::move(tensors.references);
  return call;
}

absl::StatusOr<CallSummary> ReadCallSummary(const std::string& path) {
  ASSIGN_OR_RETURN(const auto reader, OpenCapturedCall(path));
  const baselines::Provenance& provenance = reader->provenance();
  const std::optional<CallFacts> facts = ParseFacts(provenance.device);
  if (!facts.has_value()) return absl::DataLossError(absl::StrCat(path, ": says '", provenance.device, "'"));
  ASSIGN_OR_RETURN(v1::Case c, reader->ReadCase(reader->case_ids()[0]));
  return CallSummary{*facts, provenance.library, provenance.created, std::move(c)};
}

void ForgetPlaces(v1::Case* c) {
  const auto forget = [](v1::TensorSpec* spec) {
    spec->clear_storage_offset();
    spec->clear_storage_elements();
  };
  for (v1::Argument& arg : *c->mutable_args()) {
    if (arg.has_tensor()) forget(arg.mutable_tensor());
    if (!arg.has_tensors()) continue;
    for (v1::TensorSpec& spec : *arg.mutable_tensors()->mutable_tensors()) forget(&spec);
  }
}

std::string TensorsText(v1::Case c) {
  ForgetPlaces(&c);
  std::string text;
  for (const cases::ArgumentLine& line : cases::ArgumentLines(c)) {
    if (line.role.empty()) continue;
    absl::StrAppend(&text, text.empty() ? "" : "; ", line.name, " ", line.text);
  }
  return text;
}

}  // namespace diopi::tap
