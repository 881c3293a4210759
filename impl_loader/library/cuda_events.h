// Time stamps on a CUDA stream, where the loaded library uses NVIDIA's driver.
#ifndef IMPL_LOADER_LIBRARY_CUDA_EVENTS_H_
#define IMPL_LOADER_LIBRARY_CUDA_EVENTS_H_

#include <cstdint>
#include <memory>

namespace diopi::loader {

// A pair of the driver's events (libcuda.so.1, cuEventRecord etc.). It neither links nor loads the driver: it
// uses one that is already in this process. Not thread-safe.
class CudaEvents {
 public:
  // Null if no library of this process has loaded the driver, or the driver has no context on this thread.
  static std::unique_ptr<CudaEvents> OfThisProcess();
  ~CudaEvents();
  CudaEvents(const CudaEvents&) = delete;
  CudaEvents& operator=(const CudaEvents&) = delete;

  // Queue a time stamp on a CUDA stream. False: the driver refused.
  bool Start(void* stream);
  bool Stop(void* stream);
  // Whether the device has reached the stamp of Start.
  bool Started() const;
  // Waits for the stamp of Stop. Returns the time between the two by the device's clock; negative when the
  // driver refused.
  double Microseconds() const;

 private:
  struct Driver;
  explicit CudaEvents(std::unique_ptr<Driver> driver);
  std::unique_ptr<Driver> driver_;
  void* start_ = nullptr;
  void* stop_ = nullptr;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_LIBRARY_CUDA_EVENTS_H_
