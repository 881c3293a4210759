// "Device memory" that the host cannot touch: host memory at addresses with a high bit set.
#ifndef IMPL_LOADER_TESTDATA_FAKE_DEVICE_H_
#define IMPL_LOADER_TESTDATA_FAKE_DEVICE_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>

inline constexpr uint64_t kDeviceBit = uint64_t{1} << 62;

// NOLINTBEGIN(performance-no-int-to-ptr): such addresses are numbers
template <typename T>
T* FromDevice(T* pointer) {
  return reinterpret_cast<T*>(reinterpret_cast<uint64_t>(pointer) & ~kDeviceBit);
}
inline void* FakeMalloc(uint64_t bytes) {
  void* memory = std::malloc(bytes);
  return memory == nullptr ? nullptr
                           : reinterpret_cast<void*>(reinterpret_cast<uint64_t>(memory) | kDeviceBit);
}
inline void FakeFree(void* pointer) {
  std::free(FromDevice(pointer));
}

// Streams are numbers. Work is not queued, but a copy on a stream that was never created fails.
inline bool IsStream(const void* stream) {
  return (reinterpret_cast<uint64_t>(stream) >> 32) == 0xD10;
}
inline void* NewStream() {
  static uint64_t count = 0;
  return reinterpret_cast<void*>((uint64_t{0xD10} << 32) + ++count);
}
// NOLINTEND(performance-no-int-to-ptr)
inline int32_t FakeCopy(const void* stream, void* dst, const void* src, uint64_t bytes) {
  if (!IsStream(stream)) return 1;
  std::memcpy(dst, src, bytes);
  return 0;
}

#endif  // IMPL_LOADER_TESTDATA_FAKE_DEVICE_H_
