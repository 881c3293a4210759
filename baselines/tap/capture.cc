#include "baselines/tap/capture.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace diopi::tap {
namespace {

constexpr char kCaptureReference[] = "capture";  // Provenance.reference of a captured call

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
  absl::Status status;
  if (bytes_ + bytes > limit_) {
    status = absl::ResourceExhaustedError(absl::StrCat("the limit of ", limit_, " bytes is reached"));
  } else {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    const std::string path =
        absl::StrFormat("%s/%d-%06d-%s.h5", folder_, static_cast<int>(getpid()), facts.order, c.function());
    status = Write(path, {c, inputs, outputs}, facts);
  }
  ended_ = !status.ok();
  if (!status.ok()) return status;
  bytes_ += bytes;
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
  auto writer =
      baselines::BaselineWriter::Create(path, call.c.operator_(), provenance, baselines::Outlives::kProcess);
  if (!writer.ok()) return writer.status();
  absl::Status status = (*writer)->Add(call);
  return status.ok() ? (*writer)->Commit() : status;
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

absl::StatusOr<CapturedCall> ReadCapturedCall(const std::string& path) {
  auto reader = baselines::BaselineReader::Open(path);
  if (!reader.ok()) return reader.status();
  const std::vector<std::string> ids = (*reader)->case_ids();
  if ((*reader)->provenance().reference != kCaptureReference || ids.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is a file of baselines; expected a captured call"));
  }
  CapturedCall call{path, (*reader)->provenance().device, (*reader)->provenance().library, {}, {}, {}};
  absl::StatusOr<v1::Case> c = (*reader)->ReadCase(ids[0]);
  if (!c.ok()) return c.status();
  call.c = *std::move(c);
  absl::StatusOr<baselines::Baseline> tensors = (*reader)->Read(ids[0]);
  if (!tensors.ok()) return tensors.status();
  call.inputs = std::move(tensors->inputs);
  call.outputs = std::move(tensors->references);
  return call;
}

}  // namespace diopi::tap
