#include "impl_loader/worker/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"

namespace diopi::loader {
namespace {

constexpr size_t kPart = 16 << 20;  // of a tensor that is taken

}  // namespace

absl::StatusOr<SharedMemory> SharedMemory::Create(size_t frame_bytes, size_t data_bytes) {
  const auto round_up = [](size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; };
  SharedMemory memory;
  memory.data_offset_ = kFrameOffset + round_up(frame_bytes);
  const size_t bytes = memory.data_offset_ + round_up(data_bytes);
  memory.file_ = Descriptor(memfd_create("diopi-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  void* base = MAP_FAILED;
  if (memory.file_.valid() && ftruncate(memory.file_.get(), static_cast<off_t>(bytes)) == 0 &&
      fcntl(memory.file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.file_.get(), 0);
  }
  if (base == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot share ", bytes, " bytes with the worker: ", std::strerror(errno)));
  }
  memory.base_ = static_cast<char*>(base);
  memory.bytes_ = bytes;
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept {
  *this = std::move(other);
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  file_ = std::move(other.file_);
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(data_offset_, other.data_offset_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

void SharedMemory::PunchHole(size_t from, size_t to) const {
  if (from >= to) return;
  fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
            static_cast<off_t>(to - from));
}

void SharedMemory::Release(size_t frame_bytes, size_t data_bytes) const {
  PunchHole(kFrameOffset + frame_bytes, data_offset_);
  PunchHole(data_offset_ + data_bytes, bytes_);
}

void SharedMemory::Write(size_t offset, std::string_view data) {
  std::memcpy(base_ + offset, data.data(), data.size());
}

absl::StatusOr<TensorView> SharedMemory::View(const v1::ShmTensor& placed, size_t first) const {
  TensorView tensor;
  tensor.dtype = placed.dtype();
  int64_t bytes = ElementSize(placed.dtype());
  for (const int64_t size : placed.shape()) {
    tensor.shape.push_back(size);
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) bytes = -1;
    if (bytes < 0) break;
  }
  size_t end = 0;
  if (bytes < 0 || static_cast<uint64_t>(bytes) != placed.nbytes() || placed.offset() < first ||
      __builtin_add_overflow(placed.offset(), placed.nbytes(), &end) || end > bytes_) {
    return absl::DataLossError(absl::StrCat("the worker placed ", placed.key(), " where it cannot be"));
  }
  tensor.data = {base_ + placed.offset(), placed.nbytes()};
  return tensor;
}

absl::StatusOr<HostTensor> SharedMemory::Take(const v1::ShmTensor& placed, size_t first) const {
  ASSIGN_OR_RETURN(TensorView view, View(placed, first));
  HostTensor tensor{view.dtype, std::move(view.shape), {}};
  if (placed.nbytes() <= kPart) {
    tensor.data.assign(view.data);
    return tensor;
  }
  tensor.data.reserve(placed.nbytes());
  for (size_t at = 0; at < placed.nbytes(); at += kPart) {
    const size_t begin = placed.offset() + at;
    const size_t part = std::min(kPart, placed.nbytes() - at);
    tensor.data.append(base_ + begin, part);
    PunchHole((begin + kPageBytes - 1) / kPageBytes * kPageBytes, (begin + part) / kPageBytes * kPageBytes);
  }
  return tensor;
}

void SharedMemory::ClearCrash() {
  std::memset(base_, 0, offsetof(CrashReport, frames));
  std::memset(base_ + offsetof(CrashReport, maps_bytes), 0, sizeof(uint64_t));
}

SharedMemory::Crash SharedMemory::ReadCrash() const {
  const auto get = [&](size_t offset, auto* value) { std::memcpy(value, base_ + offset, sizeof(*value)); };
  Crash crash;
  int32_t main_thread = 0;
  uint32_t frames = 0;
  uint64_t maps = 0;
  get(offsetof(CrashReport, signal), &crash.signal);
  get(offsetof(CrashReport, address), &crash.address);
  get(offsetof(CrashReport, pc), &crash.pc);
  get(offsetof(CrashReport, main_thread), &main_thread);
  get(offsetof(CrashReport, frame_count), &frames);
  get(offsetof(CrashReport, maps_bytes), &maps);
  crash.main_thread = main_thread == 1;
  crash.frames.resize(std::min<size_t>(frames, kMaxFrames));
  if (!crash.frames.empty()) {
    std::memcpy(crash.frames.data(), base_ + offsetof(CrashReport, frames),
                crash.frames.size() * sizeof(uint64_t));
  }
  crash.maps.assign(base_ + offsetof(CrashReport, maps), std::min<uint64_t>(maps, sizeof(CrashReport::maps)));
  return crash;
}

}  // namespace diopi::loader
