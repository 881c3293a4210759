#include "impl_loader/library/cuda_events.h"

#include <dlfcn.h>

#include <utility>

namespace diopi::loader {

// The functions of the driver's API that are needed; 0 is CUDA_SUCCESS.
struct CudaEvents::Driver {
  explicit Driver(void* library) : handle(library) {}
  ~Driver() { dlclose(handle); }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  template <typename F>
  bool Take(const char* name, F* slot) const {
    *slot = reinterpret_cast<F>(dlsym(handle, name));
    return *slot != nullptr;
  }
  bool Complete() {
    return Take("cuEventCreate", &create) && Take("cuEventDestroy_v2", &destroy) &&
           Take("cuEventRecord", &record) && Take("cuEventQuery", &query) &&
           Take("cuEventSynchronize", &synchronize) && Take("cuEventElapsedTime", &elapsed);
  }

  void* handle;
  int (*create)(void** event, unsigned flags) = nullptr;
  int (*destroy)(void* event) = nullptr;
  int (*record)(void* event, void* stream) = nullptr;
  int (*query)(void* event) = nullptr;
  int (*synchronize)(void* event) = nullptr;
  int (*elapsed)(float* milliseconds, void* start, void* stop) = nullptr;
};

CudaEvents::CudaEvents(std::unique_ptr<Driver> driver) : driver_(std::move(driver)) {}

CudaEvents::~CudaEvents() {
  if (start_ != nullptr) driver_->destroy(start_);
  if (stop_ != nullptr) driver_->destroy(stop_);
}

std::unique_ptr<CudaEvents> CudaEvents::OfThisProcess() {
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  auto driver = std::make_unique<Driver>(handle);
  if (!driver->Complete()) return nullptr;
  std::unique_ptr<CudaEvents> events(new CudaEvents(std::move(driver)));
  const bool made =
      events->driver_->create(&events->start_, 0) == 0 && events->driver_->create(&events->stop_, 0) == 0;
  return made ? std::move(events) : nullptr;
}

bool CudaEvents::Start(void* stream) {
  return driver_->record(start_, stream) == 0;
}

bool CudaEvents::Stop(void* stream) {
  return driver_->record(stop_, stream) == 0;
}

bool CudaEvents::Started() const {
  return driver_->query(start_) == 0;
}

double CudaEvents::Microseconds() const {
  float milliseconds = 0;
  if (driver_->synchronize(stop_) != 0 || driver_->elapsed(&milliseconds, start_, stop_) != 0) return -1;
  return static_cast<double>(milliseconds) * 1000;
}

}  // namespace diopi::loader
