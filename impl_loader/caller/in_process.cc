#include "impl_loader/caller/in_process.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/shared_memory.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "impl_loader/caller/case_runner.h"
#include "impl_loader/caller/made_inputs.h"
#include "impl_loader/caller/vendor_library.h"

namespace diopi::loader {
namespace {

class InProcessLibraryImpl : public InProcessLibrary {
 public:
  explicit InProcessLibraryImpl(std::unique_ptr<VendorLibrary> vendor)
      : vendor_(std::move(vendor)), runner_(vendor_.get()) {}

  absl::StatusOr<TensorMap> Call(const v1::Case& c, const TensorMap& inputs, const BlockInputs* left,
                                 Dtype widened) override {
    if (cases::SharesMemory(c)) {
      v1::Case apart = c;
      cases::SeparateOutputs(&apart);
      return Call(apart, inputs, left, widened);
    }
    std::vector<InputView> views;
    for (const auto& [key, tensor] : inputs) {
      views.push_back({key, tensor.dtype, tensor.shape, tensor.data.data(), tensor.data.size()});
    }
    if (left != nullptr) AddMadeInputs(*left, &views);
    RunOptions options;
    options.calls = 1;
    options.alone = false;
    options.widened = widened;
    RunResult run = runner_.Run(c, views, options);
    RETURN_IF_ERROR(ToStatus(c, run));
    TensorMap outputs;
    for (OutputTensor& output : run.outputs) {
      outputs.emplace(std::move(output.key), HostTensor{static_cast<Dtype>(output.dtype),
                                                        std::move(output.shape), std::move(output.data)});
    }
    return outputs;
  }

  void* Symbol(const std::string& name) override { return vendor_->Symbol(name); }
  std::string vendor_name() const override { return vendor_->VendorName(); }
  std::string impl_version() const override { return vendor_->ImplVersion(); }

 private:
  static absl::Status ToStatus(const v1::Case& c, const RunResult& run) {
    const v1::WorkerReply& reply = run.reply;
    const std::string text =
        absl::StrCat(c.function(), ": ", reply.text(),
                     FindingsText(reply.failed_size() > 0 ? reply.failed() : reply.findings()));
    switch (reply.status()) {
      case v1::WorkerReply::RETURNED:
        break;
      case v1::WorkerReply::SYMBOL_ABSENT:
        return absl::UnimplementedError(FindingText(Found(v1::Finding::NOT_EXPORTED).Name(c.function())));
      default:
        return absl::InternalError(text);
    }
    switch (reply.error_code()) {
      case diopiSuccess:
        break;
      case diopiNoImplement:
        return absl::UnimplementedError(text);
      case diopiDtypeNotSupported:
        return absl::InvalidArgumentError(text);
      default:
        return absl::InternalError(absl::StrCat(text, " (error ", reply.error_code(), ")"));
    }
    // A reference that damages memory must not make baselines.
    return reply.failed().empty() && reply.findings().empty() ? absl::OkStatus() : absl::InternalError(text);
  }

  std::unique_ptr<VendorLibrary> vendor_;
  CaseRunner runner_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<InProcessLibrary>> InProcessLibrary::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<VendorLibrary> vendor, VendorLibrary::Open(path, ""));
  return std::make_unique<InProcessLibraryImpl>(std::move(vendor));
}

}  // namespace diopi::loader
