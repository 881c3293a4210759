#include "impl_loader/caller/check_context.h"

#include <cstring>

#include "cases/findings/finding.h"
#include "impl_loader/caller/text.h"

namespace diopi::loader {

CheckContext::CheckContext(VendorLibrary* vendor)
    : functions_(vendor->functions()),
      device_(functions_.HasMemory() ? std::make_unique<runtime::Arena>(functions_, &host_) : nullptr),
      context_(&host_, device_.get(), functions_) {}

CheckContext::~CheckContext() {
  context_.ReleaseRequired();
  if (has_stream_ && functions_.stream_destroy != nullptr) functions_.stream_destroy(context_.stream);
}

int32_t CheckContext::MakeStream() {
  if (functions_.stream_create == nullptr) return 0;
  const int32_t code = functions_.stream_create(&context_.stream);
  has_stream_ = code == 0;
  return code;
}

diopiTensor* CheckContext::NewTensor(const std::vector<int64_t>& shape, diopiDtype_t dtype) {
  diopiTensor& tensor = tensors_.emplace_back();
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.strides = runtime::RowMajorStrides(shape);
  for (const int64_t size : shape) tensor.numel *= size;
  tensor.storage =
      context_.Allocate(static_cast<size_t>(tensor.numel * runtime::ElementBytes(dtype)), diopi_device);
  if (tensor.storage.data == nullptr) return nullptr;
  runtime::WriteCanaries(tensor.storage);
  std::memset(tensor.storage.mirror, 0, tensor.storage.bytes);
  return &tensor;
}

CheckedFunction FindFirst(VendorLibrary* vendor, const std::vector<std::string>& names) {
  CheckedFunction found;
  for (const std::string& name : names) {
    found.function = abi::FindFunction(name);
    found.symbol = found.function == nullptr ? nullptr : vendor->Symbol(name);
    if (found.symbol != nullptr) break;
  }
  return found;
}

CheckedCall CallChecked(const CheckedFunction& function, CheckContext* context,
                        const std::vector<ArgValue>& args, const char* dtype) {
  CheckedCall call;
  const absl::StatusOr<CallResult> called =
      CallFunction(function.symbol, *function.function, &context->context(), args);
  if (!called.ok()) {
    call.outcome = v1::OUTCOME_HARNESS_ERROR;
    call.found =
        Found(v1::Finding::HARNESS).Word("call_impossible").Said(std::string(called.status().message()));
  } else if (called->kind == CallResult::Kind::kException) {
    call.outcome = v1::OUTCOME_ERROR;
    call.found = Found(v1::Finding::THREW).Name(function.name()).Said(PrintableText(called->exception));
  } else if (called->error_code != diopiSuccess) {
    call.error_code = called->error_code;
    const bool absent = call.error_code == diopiNoImplement || call.error_code == diopiForceFallbackToCPU ||
                        call.error_code == diopiDtypeNotSupported;
    call.outcome = absent ? v1::OUTCOME_NOT_IMPLEMENTED : v1::OUTCOME_ERROR;
    call.found =
        Found(v1::Finding::RETURNED).Name(function.name()).Got(dtype).Word(ErrorName(call.error_code));
  }
  return call;
}

}  // namespace diopi::loader
