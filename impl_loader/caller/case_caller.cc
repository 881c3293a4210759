#include "impl_loader/caller/case_caller.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "cases/base/median.h"
#include "cases/base/status_macros.h"
#include "impl_loader/caller/call_frame.h"
#include "impl_loader/caller/samples.h"
#include "impl_loader/caller/stream_delay.h"
#include "impl_loader/caller/vendor_library.h"
#include "impl_loader/library/cuda_events.h"

namespace diopi::loader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kHoldSeconds = 5e-3;  // StreamDelay's longest, where its copies are few enough

std::vector<InputView> Views(const TensorMap& inputs) {
  std::vector<InputView> views;
  views.reserve(inputs.size());
  for (const auto& [key, tensor] : inputs) {
    views.push_back({key, tensor.dtype, tensor.shape, tensor.data.data(), tensor.data.size()});
  }
  return views;
}

// How often this thread lost the processor although it wanted to go on.
int64_t Preemptions() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

constexpr size_t kUnknownCache = size_t{256} << 20;
constexpr size_t kLargestCache = size_t{1} << 30;       // of a processor
constexpr uint64_t kDeviceCache = uint64_t{128} << 20;  // more than today's devices have

// Displaces what the processor's caches hold: reads and writes a line in every 64 bytes of DisplacedBytes().
// The memory stays with the process, because touching it for the first time takes longer than most calls. One
// thread at a time.
void SweepCaches() {
  constexpr size_t kLine = 64;
  static auto* const memory = new std::vector<uint8_t>(DisplacedBytes());
  volatile uint8_t* const bytes = memory->data();
  for (size_t i = 0; i < memory->size(); i += kLine) bytes[i] = static_cast<uint8_t>(bytes[i] + 1);
}

// Displaces what a device's caches hold by a copy between two blocks of its memory, each as large as they
// are.
class DeviceSweep {
 public:
  // The functions must outlive it.
  explicit DeviceSweep(const runtime::DeviceFunctions& functions) : functions_(functions) {}
  DeviceSweep(const DeviceSweep&) = delete;
  ~DeviceSweep() {
    for (void* block : {from_, to_}) {
      if (block != nullptr && functions_.memory_free != nullptr) functions_.memory_free(block);
    }
  }
  // Queues the copy. False: there is no memory for it, or no copy.
  bool Run(void* stream) {
    if (functions_.copy_d2d == nullptr) return false;
    for (void** block : {&from_, &to_}) {
      if (*block == nullptr) *block = functions_.memory_malloc(kDeviceCache);
      if (*block == nullptr) return false;
    }
    return functions_.copy_d2d(stream, to_, from_, kDeviceCache) == 0;
  }

 private:
  const runtime::DeviceFunctions& functions_;
  void* from_ = nullptr;
  void* to_ = nullptr;
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A case ready to be called, and its stream.
struct Prepared {
  const abi::Function* function = nullptr;
  void* symbol = nullptr;
  std::unique_ptr<CallFrame> frame;
  runtime::Arena::Mark host;
  runtime::Arena::Mark device;
};

class CaseCallerImpl : public CaseCaller {
 public:
  CaseCallerImpl(VendorLibrary* vendor, std::unique_ptr<VendorLibrary> owned, bool exact)
      : owned_(std::move(owned)),
        vendor_(vendor),
        device_(vendor_->functions().HasMemory()
                    ? std::make_unique<runtime::Arena>(vendor_->functions(), &host_, exact)
                    : nullptr),
        context_(&host_, device_.get(), vendor_->functions()),
        exact_(exact),
        delay_(vendor_->functions()),
        device_sweep_(vendor_->functions()) {}

  absl::Status Call(const v1::Case& c, const TensorMap& inputs, int calls) override {
    // A tool that looks for reads of uninitialised memory sees none where the host has put poison.
    context_.fill_required = !exact_;
    return With(c, Views(inputs), [&](Prepared* prepared) {
      absl::Status status;
      for (int i = 0; i < calls && status.ok(); ++i) {
        status = Restore(prepared);
        if (status.ok()) status = CallOnce(*prepared, /*wait=*/true);
      }
      return status;
    });
  }

  using CaseCaller::Time;
  absl::StatusOr<CaseTime> Time(const v1::Case& c, const std::vector<InputView>& inputs,
                                const TimeOptions& options) override {
    context_.fill_required = false;
    CaseTime time;
    absl::Status status =
        With(c, inputs, [&](Prepared* prepared) { return Measure(prepared, options, &time); });
    if (!status.ok()) return status;
    return time;
  }

  std::string vendor_name() const override { return vendor_->VendorName(); }
  std::string impl_version() const override { return vendor_->ImplVersion(); }

 private:
  template <typename F>
  absl::Status With(const v1::Case& c, const std::vector<InputView>& inputs, F&& body) {
    Prepared prepared;
    prepared.function = abi::FindFunction(c.function());
    if (prepared.function == nullptr) {
      return absl::InternalError(absl::StrCat("the ABI has no function ", c.function()));
    }
    prepared.symbol = vendor_->Symbol(c.function());
    if (prepared.symbol == nullptr) {
      return absl::UnimplementedError(absl::StrCat("the library does not export ", c.function()));
    }
    const runtime::DeviceFunctions& functions = vendor_->functions();
    if (functions.stream_create != nullptr) {
      const int32_t code = functions.stream_create(&context_.stream);
      if (code != 0) return absl::UnavailableError(Failure("creating a stream", code).message());
    }
    const absl::Cleanup end = [this, &functions, &prepared] {
      prepared.frame.reset();
      context_.ReleaseRequired();
      host_.Rewind({});
      if (device_ != nullptr) device_->Rewind({});
      if (context_.stream != nullptr && functions.stream_destroy != nullptr) {
        functions.stream_destroy(context_.stream);
      }
      context_.stream = nullptr;
    };
    ASSIGN_OR_RETURN(prepared.frame,
                     CallFrame::Build(*prepared.function, c, inputs, v1::Dtype::unsupported, &context_));
    if (exact_) prepared.frame->LeaveOutputs();
    MarkArenas(&prepared);
    RETURN_IF_ERROR(AllocateScratch(&prepared));
    MarkArenas(&prepared);
    return body(&prepared);
  }

  void MarkArenas(Prepared* prepared) const {
    prepared->host = host_.mark();
    if (device_ != nullptr) prepared->device = device_->mark();
  }

  absl::Status AllocateScratch(Prepared* prepared) {
    if (prepared->frame->scratch().empty()) return absl::OkStatus();
    if (const int32_t code = prepared->frame->Prepare(0); code != 0) {
      return Failure("copying the inputs to the device", code);
    }
    v1::Finding wrong;
    return prepared->frame->AllocateScratch(
        [&](const std::vector<ArgValue>& args) { return CallOnce(*prepared, args, /*wait=*/true); }, &wrong);
  }

  absl::Status Failure(const std::string& what, int32_t code) const {
    return absl::InternalError(absl::StrCat(what, " failed with ", code, " ", vendor_->LastError()));
  }

  absl::Status Wait() const {
    const int32_t code = context_.Synchronize();
    return code == 0 ? absl::OkStatus() : Failure("synchronising the stream", code);
  }

  absl::Status Restore(Prepared* prepared) {
    const int32_t code = prepared->frame->Prepare(0);
    absl::Status status = code == 0 ? Wait() : Failure("copying the inputs to the device", code);
    const std::vector<ArgValue>& preparing = prepared->frame->preparing_args();
    if (status.ok() && !preparing.empty()) status = CallOnce(*prepared, preparing, /*wait=*/true);
    return status;
  }

  absl::Status CallOnce(const Prepared& prepared, bool wait) {
    return CallOnce(prepared, prepared.frame->args(), wait);
  }

  absl::Status CallOnce(const Prepared& prepared, const std::vector<ArgValue>& args, bool wait) {
    ASSIGN_OR_RETURN(const CallResult called,
                     CallFunction(prepared.symbol, *prepared.function, &context_, args));
    absl::Status status = StatusOf(prepared, called);
    if (wait && status.ok()) status = Wait();
    // The next call, which comes later on the same stream, reuses the memory that this one required.
    context_.ReleaseRequired();
    host_.Rewind(prepared.host);
    if (device_ != nullptr) device_->Rewind(prepared.device);
    return status;
  }

  absl::Status StatusOf(const Prepared& prepared, const CallResult& called) const {
    const std::string& name = prepared.function->name();
    if (called.kind == CallResult::Kind::kException) {
      return absl::InternalError(absl::StrCat(name, " threw ", called.exception));
    }
    switch (called.error_code) {
      case diopiSuccess:
        return absl::OkStatus();
      case diopiNoImplement:
        return absl::UnimplementedError(absl::StrCat(name, ": ", vendor_->LastError()));
      case diopiDtypeNotSupported:
        return absl::InvalidArgumentError(absl::StrCat(name, ": ", vendor_->LastError()));
      default:
        return Failure(name, called.error_code);
    }
  }

  absl::Status Measure(Prepared* prepared, const TimeOptions& options, CaseTime* time) {
    double seconds = 0;
    // A call that alone takes all the time is not repeated more often than it must be.
    for (int i = 0; i < std::max(options.warmup, 1) && (i < 2 || seconds < options.seconds); ++i) {
      absl::Status status = Restore(prepared);
      const Clock::time_point start = Clock::now();
      if (status.ok()) status = CallOnce(*prepared, /*wait=*/true);
      if (!status.ok()) return status;
      seconds = SecondsSince(start);
      if (i == 0) time->first_us = seconds * 1e6;
    }
    const double wanted = std::ceil(options.sample_seconds / std::max(seconds, 1e-9));
    time->calls =
        static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(std::max(options.max_calls, 1))));
    const std::unique_ptr<CudaEvents> events =
        context_.stream == nullptr ? nullptr : CudaEvents::OfThisProcess();
    time->device_clock = events != nullptr;
    absl::Status status = Samples(prepared, options, {events.get(), time->calls, /*cold=*/false}, time);
    TimeOptions cold = options;
    const bool possible = device_ == nullptr ? DisplacedBytes() > 0 : device_sweep_.Run(context_.stream);
    cold.samples = possible ? options.cold_samples : 0;
    cold.seconds = options.seconds / 2;
    cold.relative_interval = 0;
    if (status.ok()) status = Samples(prepared, cold, {events.get(), 1, /*cold=*/true}, time);
    return status;
  }

  // How samples are taken.
  struct Sampling {
    CudaEvents* events = nullptr;
    int calls = 1;
    bool cold = false;
  };

  absl::Status Samples(Prepared* prepared, const TimeOptions& options, const Sampling& sampling,
                       CaseTime* time) {
    SampleSet samples(options.samples, options.fewest_samples);
    const Clock::time_point start = Clock::now();
    while (!samples.Complete()) {
      if (samples.EnoughTaken() && SecondsSince(start) > options.seconds) break;
      const int64_t before = Preemptions();
      ASSIGN_OR_RETURN(const double microseconds, Sample(prepared, sampling, time));
      samples.Add(microseconds,
                  options.repeat_disturbed && sampling.events == nullptr && Preemptions() > before);
      if (options.relative_interval > 0 && samples.EnoughUndisturbed() &&
          IntervalOfMedian(samples.undisturbed()).RelativeWidth() <= options.relative_interval) {
        break;
      }
    }
    (sampling.cold ? time->cold_microseconds : time->microseconds) =
        std::move(samples).Take(&time->disturbed);
    return absl::OkStatus();
  }

  // Microseconds of one call.
  absl::StatusOr<double> Sample(Prepared* prepared, const Sampling& sampling, CaseTime* time) {
    CudaEvents* const events = sampling.events;
    absl::Status status = Restore(prepared);
    if (!status.ok()) return status;
    if (sampling.cold && device_ == nullptr) SweepCaches();
    if (sampling.cold && device_ != nullptr && !device_sweep_.Run(context_.stream)) return Refused();
    const bool hold = events != nullptr || (sampling.cold && device_ != nullptr);
    if (hold) delay_.Hold(context_.stream, kHoldSeconds);
    if (hold && events == nullptr) status = Wait();
    if (!status.ok()) return status;
    if (events != nullptr && !events->Start(context_.stream)) return Refused();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < sampling.calls && status.ok(); ++i) status = CallOnce(*prepared, /*wait=*/false);
    if (!status.ok()) return status;
    const double submitted = SecondsSince(start) * 1e6 / sampling.calls;
    const bool late = events != nullptr && events->Started();
    if (events != nullptr && !events->Stop(context_.stream)) return Refused();
    status = Wait();
    double microseconds = SecondsSince(start) * 1e6;
    if (events != nullptr) microseconds = events->Microseconds();
    if (microseconds < 0) return Refused();
    if (!status.ok()) return status;
    time->late += late ? 1 : 0;
    time->submit_us = time->submit_us > 0 ? std::min(time->submit_us, submitted) : submitted;
    return microseconds / sampling.calls;
  }

  static absl::Status Refused() {
    return absl::InternalError("the driver's events cannot be used on this stream");
  }

  const std::unique_ptr<VendorLibrary> owned_;  // null: somebody else owns it
  VendorLibrary* const vendor_;
  runtime::Arena host_;
  std::unique_ptr<runtime::Arena> device_;
  diopiContext context_;
  bool exact_;
  StreamDelay delay_;
  DeviceSweep device_sweep_;
};

}  // namespace

size_t DisplacedBytes() {
  int64_t cache = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE})
    cache = std::max<int64_t>(cache, sysconf(level));
  const size_t known = cache > 0 ? static_cast<size_t>(cache) : kUnknownCache;
  return known <= kLargestCache ? 2 * known : 0;
}

absl::StatusOr<std::unique_ptr<CaseCaller>> CaseCaller::Open(const std::string& path, bool exact_memory) {
  ASSIGN_OR_RETURN(std::unique_ptr<VendorLibrary> vendor, VendorLibrary::Open(path, ""));
  VendorLibrary* const library = vendor.get();
  return std::make_unique<CaseCallerImpl>(library, std::move(vendor), exact_memory);
}

std::unique_ptr<CaseCaller> CaseCaller::On(VendorLibrary* vendor, bool exact_memory) {
  return std::make_unique<CaseCallerImpl>(vendor, nullptr, exact_memory);
}

absl::StatusOr<CaseTime> CaseCaller::Time(const v1::Case& c, const TensorMap& inputs,
                                          const TimeOptions& options) {
  return Time(c, Views(inputs), options);
}

}  // namespace diopi::loader
