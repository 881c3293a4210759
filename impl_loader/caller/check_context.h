// A context with tensors for the calls of library checks, which are not cases.
#ifndef IMPL_LOADER_CALLER_CHECK_CONTEXT_H_
#define IMPL_LOADER_CALLER_CHECK_CONTEXT_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "diopi/v1/verdict.pb.h"
#include "impl_loader/call/call.h"
#include "impl_loader/caller/vendor_library.h"
#include "impl_loader/runtime/host.h"

namespace diopi::loader {

// Memory, a context and a stream of its own. Not thread-safe; several may be used at once, one a thread.
class CheckContext {
 public:
  // `vendor` must outlive it.
  explicit CheckContext(VendorLibrary* vendor);
  ~CheckContext();
  CheckContext(const CheckContext&) = delete;
  CheckContext& operator=(const CheckContext&) = delete;

  // Makes the stream, if the library has streams. Returns the library's error code.
  int32_t MakeStream();

  // A dense tensor in the library's memory, with undefined values; null when there is no memory.
  diopiTensor* NewTensor(const std::vector<int64_t>& shape, diopiDtype_t dtype = diopi_dtype_float32);
  // Queue copies between the tensor and its mirror.
  int32_t Upload(const diopiTensor& tensor) const { return context_.Upload(tensor.storage); }
  int32_t Download(const diopiTensor& tensor) const { return context_.Download(tensor.storage); }
  diopiContext& context() { return context_; }

 private:
  const runtime::DeviceFunctions& functions_;
  runtime::Arena host_;
  std::unique_ptr<runtime::Arena> device_;
  diopiContext context_;
  std::deque<diopiTensor> tensors_;
  bool has_stream_ = false;
};

// One function of the library, found before any thread calls it.
struct CheckedFunction {
  const abi::Function* function = nullptr;
  void* symbol = nullptr;  // null: the library has none of the functions asked for
  const std::string& name() const { return function->name(); }
};
// The first of `names` that the library exports.
CheckedFunction FindFirst(VendorLibrary* vendor, const std::vector<std::string>& names);

// How a call of a check ended.
struct CheckedCall {
  v1::Outcome outcome = v1::OUTCOME_PASS;  // ERROR, NOT_IMPLEMENTED, HARNESS_ERROR otherwise
  v1::Finding found;                       // when not PASS
  int32_t error_code = 0;
};
// `dtype`: of the arguments, for the finding.
CheckedCall CallChecked(const CheckedFunction& function, CheckContext* context,
                        const std::vector<ArgValue>& args, const char* dtype = "float32");

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_CHECK_CONTEXT_H_
