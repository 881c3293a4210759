#include "impl_loader/worker/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace diopi::loader {

absl::StatusOr<SharedMemory> SharedMemory::Create(size_t bytes) {
  Descriptor file(memfd_create("diopi-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid() || fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return absl::InternalError(absl::StrCat("no shared memory: ", std::strerror(errno)));
  }
  SharedMemory memory(std::move(file));
  if (absl::Status s = memory.Grow(std::max(bytes, kDataOffset)); !s.ok()) return s;
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : file_(std::move(other.file_)),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

absl::Status SharedMemory::Grow(size_t bytes) {
  struct stat file {};
  if (fstat(file_.get(), &file) != 0) return absl::InternalError("shared memory is gone");
  const size_t now = static_cast<size_t>(file.st_size);  // the worker may have made it larger
  if (now < bytes && ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot share ", bytes, " bytes with the worker: ", std::strerror(errno)));
  }
  return bytes > bytes_ ? Map(std::max(bytes, now)) : absl::OkStatus();
}

absl::Status SharedMemory::Map(size_t bytes) {
  void* base = base_ == nullptr ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0)
                                : mremap(base_, bytes_, bytes, MREMAP_MAYMOVE);
  if (base == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot map ", bytes, " shared bytes: ", std::strerror(errno)));
  }
  base_ = static_cast<char*>(base);
  bytes_ = bytes;
  return absl::OkStatus();
}

void SharedMemory::Release(size_t bytes) const {
  struct stat file {};
  if (fstat(file_.get(), &file) != 0 || static_cast<size_t>(file.st_size) <= bytes) return;
  fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(bytes),
            file.st_size - static_cast<off_t>(bytes));
}

void SharedMemory::Write(size_t offset, const std::string& data) {
  std::memcpy(base_ + offset, data.data(), data.size());
}

absl::StatusOr<HostTensor> SharedMemory::Read(const v1::ShmTensor& placed, size_t first) {
  HostTensor tensor;
  tensor.dtype = placed.dtype();
  int64_t bytes = ElementSize(placed.dtype());
  for (const int64_t size : placed.shape()) {
    tensor.shape.push_back(size);
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) bytes = -1;
    if (bytes < 0) break;
  }
  size_t end = 0;
  struct stat file {};
  if (bytes < 0 || static_cast<uint64_t>(bytes) != placed.nbytes() || placed.offset() < first ||
      __builtin_add_overflow(placed.offset(), placed.nbytes(), &end) || fstat(file_.get(), &file) != 0 ||
      end > static_cast<size_t>(file.st_size)) {
    return absl::DataLossError(absl::StrCat("the worker placed ", placed.key(), " where it cannot be"));
  }
  if (end > bytes_) {
    if (absl::Status s = Map(static_cast<size_t>(file.st_size)); !s.ok()) return s;
  }
  tensor.data.assign(base_ + placed.offset(), placed.nbytes());
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
