// The objects behind the ABI's opaque handles: the host's own view of tensors, contexts and generators.
// libdiopirt.so exports everything here, beside the C functions of diopi/diopirt.h.
#ifndef IMPL_LOADER_RUNTIME_HOST_H_
#define IMPL_LOADER_RUNTIME_HOST_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "diopi/diopirt.h"
#include "impl_loader/runtime/arena.h"
#include "impl_loader/runtime/device_functions.h"

// A dense strided tensor in a buffer of an arena, or a sparse one, which has no buffer, but parts. Neither is
// owned. Sizes and strides do not move during the tensor's life: getters return pointers to them.
struct diopiTensor {
  int32_t dtype = 0;  // a diopiDtype_t, or one of the internal codes
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // elements; as many as shape
  int64_t storage_offset = 0;    // elements
  int64_t numel = 1;
  diopiDevice_t device = diopi_device;
  diopi::runtime::Buffer storage;  // data is the storage's start
  // The parts of a sparse matrix (CSR); null for a dense tensor.
  const diopiTensor* row_starts = nullptr;
  const diopiTensor* columns = nullptr;
  const diopiTensor* values = nullptr;

  // Remembers shape and strides: a library can overwrite both through the pointers it gets.
  void SealLayout();
  // Restores them. True when they had been overwritten since SealLayout.
  bool RestoreLayout();

 private:
  std::vector<int64_t> sealed_shape_;
  std::vector<int64_t> sealed_strides_;
};

// Counter-based generators need no more than these two; the state tensor holds both.
struct diopiGenerator {
  uint64_t seed = 0;
  uint64_t offset = 0;
};

namespace diopi::runtime {

// Bytes per element; 16 and 32 for the internal types 200 and 201; 0 for codes without a dtype.
int64_t ElementBytes(int32_t dtype);

// Row-major strides; a size of 0 counts as 1.
std::vector<int64_t> RowMajorStrides(const std::vector<int64_t>& shape);

// Elements a storage needs for this layout, offset included. False: a negative size or stride, or more
// than an int64_t can count.
bool StorageElements(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t offset,
                     int64_t* elements, int64_t* numel);

// The seed that libraries get when they ask for the state of a generator they were not given.
inline constexpr uint64_t kDefaultSeed = 0x5DEECE66Du;

}  // namespace diopi::runtime

// The context of successive calls. The library may require tensors from several threads at once; everything
// else is for the host's thread.
struct diopiContext {
 public:
  // The arenas and functions must outlive the context. `device` is null for a library that works on host
  // memory.
  diopiContext(diopi::runtime::Arena* host, diopi::runtime::Arena* device,
               const diopi::runtime::DeviceFunctions& functions)
      : host_(host), device_(device), functions_(functions) {}
  diopiContext(const diopiContext&) = delete;
  diopiContext& operator=(const diopiContext&) = delete;

  void* stream = nullptr;
  // Fills required memory, so that nobody waits for what is queued on the call's stream; null: that one does.
  void* fill_stream = nullptr;
  uint8_t poison = 0;  // fills required memory
  // False: required memory gets neither poison nor canaries, and nobody waits for the stream, so that
  // measured times are the library's own.
  bool fill_required = true;

  // A tensor for the library, filled with poison and surrounded by canaries. Null, with `error` set, on
  // failure. Owned by the context until ReleaseRequired.
  diopiTensor* Require(int32_t dtype, std::vector<int64_t> shape, std::vector<int64_t> strides,
                       diopiDevice_t where, diopiError_t* error);

  // Tensors required since the last release.
  std::vector<diopiTensor*> Required() const;
  // Forgets them. Their memory is free once the arenas are rewound.
  void ReleaseRequired();

  // Copy a whole buffer, canaries included, between its mirror and the device; the copies are queued on
  // `stream`. For host memory they do nothing. If they fail, they return the library's own error code.
  int32_t Upload(const diopi::runtime::Buffer& buffer) const;
  int32_t Download(const diopi::runtime::Buffer& buffer) const;
  // The same for the canaries alone.
  int32_t DownloadCanaries(const diopi::runtime::Buffer& buffer) const;
  // Fills the buffer with `poison` and canaries, and queues that on `on`. A workspace can be huge: a large
  // buffer is filled at its two ends only, 4 MiB at each on a device and 32 MiB in host memory.
  int32_t Poison(const diopi::runtime::Buffer& buffer, void* on) const;
  // Queues a copy of the data (no canaries) between device buffers of one size. Only for a library with
  // copy_d2d.
  int32_t CopyOnDevice(const diopi::runtime::Buffer& from, const diopi::runtime::Buffer& to) const;
  // Waits for `stream`. Succeeds for a library without such a function, which counts as synchronous.
  int32_t Synchronize() const;

  // Allocates from the host or the device arena; a library without device memory has only one kind.
  diopi::runtime::Buffer Allocate(size_t bytes, diopiDevice_t where);

 private:
  bool Fill(const diopi::runtime::Buffer& buffer) const;
  int32_t SynchronizeOn(void* on) const;

  diopi::runtime::Arena* host_;
  diopi::runtime::Arena* device_;
  diopi::runtime::DeviceFunctions functions_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<diopiTensor>> required_;
};

#endif  // IMPL_LOADER_RUNTIME_HOST_H_
