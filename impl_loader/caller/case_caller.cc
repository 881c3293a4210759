#include "impl_loader/caller/case_caller.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "impl_loader/caller/call_frame.h"
#include "impl_loader/caller/stream_delay.h"
#include "impl_loader/caller/vendor_library.h"
#include "impl_loader/library/cuda_events.h"

namespace diopi::loader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFewestSamples = 3;
constexpr double kHoldSeconds = 5e-3;  // StreamDelay's longest, where its copies are few enough
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
  CaseCallerImpl(std::unique_ptr<VendorLibrary> vendor, bool exact)
      : vendor_(std::move(vendor)),
        device_(vendor_->functions().HasMemory()
                    ? std::make_unique<runtime::Arena>(vendor_->functions(), &host_, exact)
                    : nullptr),
        context_(&host_, device_.get(), vendor_->functions()),
        exact_(exact),
        delay_(vendor_->functions()) {}

  absl::Status Call(const v1::Case& c, const TensorMap& inputs, int calls) override {
    // A tool that looks for reads of uninitialised memory sees none where the host has put poison.
    context_.fill_required = !exact_;
    return With(c, inputs, [&](Prepared* prepared) {
      absl::Status status;
      for (int i = 0; i < calls && status.ok(); ++i) {
        status = Restore(prepared);
        if (status.ok()) status = CallOnce(*prepared, /*wait=*/true);
      }
      return status;
    });
  }

  absl::StatusOr<CaseTime> Time(const v1::Case& c, const TensorMap& inputs,
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
  absl::Status With(const v1::Case& c, const TensorMap& inputs, F&& body) {
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
      if (code != 0) return Failure("creating a stream", code);
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
    std::vector<InputView> views;
    views.reserve(inputs.size());
    for (const auto& [key, tensor] : inputs) {
      views.push_back({key, tensor.dtype, tensor.shape, tensor.data.data(), tensor.data.size()});
    }
    absl::StatusOr<std::unique_ptr<CallFrame>> frame =
        CallFrame::Build(*prepared.function, c, views, v1::Dtype::unsupported, &context_);
    if (!frame.ok()) return frame.status();
    prepared.frame = *std::move(frame);
    if (exact_) prepared.frame->LeaveOutputs();
    MarkArenas(&prepared);
    if (absl::Status s = AllocateScratch(&prepared); !s.ok()) return s;
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
    return prepared->frame->AllocateScratch(
        [&](const std::vector<ArgValue>& args) { return CallOnce(*prepared, args, /*wait=*/true); });
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
    const absl::StatusOr<CallResult> called =
        CallFunction(prepared.symbol, *prepared.function, &context_, args);
    if (!called.ok()) return called.status();
    absl::Status status = Told(prepared, *called);
    if (wait && status.ok()) status = Wait();
    // The next call, which comes later on the same stream, reuses the memory that this one required.
    context_.ReleaseRequired();
    host_.Rewind(prepared.host);
    if (device_ != nullptr) device_->Rewind(prepared.device);
    return status;
  }

  absl::Status Told(const Prepared& prepared, const CallResult& called) const {
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
    for (int i = 0; i < std::max(options.warmup, 1); ++i) {
      absl::Status status = Restore(prepared);
      const Clock::time_point start = Clock::now();
      if (status.ok()) status = CallOnce(*prepared, /*wait=*/true);
      if (!status.ok()) return status;
      seconds = SecondsSince(start);
    }
    const double wanted = std::ceil(options.sample_seconds / std::max(seconds, 1e-9));
    time->calls =
        static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(std::max(options.max_calls, 1))));
    const std::unique_ptr<CudaEvents> events =
        context_.stream == nullptr ? nullptr : CudaEvents::OfThisProcess();
    time->device_clock = events != nullptr;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < options.samples; ++i) {
      if (i >= kFewestSamples && SecondsSince(start) > options.seconds) break;
      absl::Status status = Sample(prepared, events.get(), time);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Sample(Prepared* prepared, CudaEvents* events, CaseTime* time) {
    absl::Status status = Restore(prepared);
    if (!status.ok()) return status;
    if (events != nullptr) delay_.Hold(context_.stream, kHoldSeconds);
    if (events != nullptr && !events->Start(context_.stream)) return Refused();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < time->calls && status.ok(); ++i) status = CallOnce(*prepared, /*wait=*/false);
    if (!status.ok()) return status;
    const bool late = events != nullptr && events->Started();
    if (events != nullptr && !events->Stop(context_.stream)) return Refused();
    status = Wait();
    double microseconds = SecondsSince(start) * 1e6;
    if (events != nullptr) microseconds = events->Microseconds();
    if (microseconds < 0) return Refused();
    time->late += late ? 1 : 0;
    time->microseconds.push_back(microseconds / time->calls);
    return status;
  }

  static absl::Status Refused() {
    return absl::InternalError("the driver's events cannot be used on this stream");
  }

  std::unique_ptr<VendorLibrary> vendor_;
  runtime::Arena host_;
  std::unique_ptr<runtime::Arena> device_;
  diopiContext context_;
  bool exact_;
  StreamDelay delay_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<CaseCaller>> CaseCaller::Open(const std::string& path, bool exact_memory) {
  absl::StatusOr<std::unique_ptr<VendorLibrary>> vendor = VendorLibrary::Open(path, "");
  if (!vendor.ok()) return vendor.status();
  return std::make_unique<CaseCallerImpl>(*std::move(vendor), exact_memory);
}

}  // namespace diopi::loader
