// Calls a library we trust (our references) in this process; the generation of baselines uses it.
#ifndef IMPL_LOADER_CALLER_IN_PROCESS_H_
#define IMPL_LOADER_CALLER_IN_PROCESS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "cases/fill/fill.h"
#include "diopi/v1/case.pb.h"

namespace diopi::loader {

// Never use it for a vendor's library: a crash there would end our program. Not thread-safe.
class InProcessLibrary {
 public:
  static absl::StatusOr<std::unique_ptr<InProcessLibrary>> Open(const std::string& path);
  virtual ~InProcessLibrary() = default;

  // Calls the case's function once on `inputs` (every input, inout and `from` tensor of the case by key) and
  // returns every output, inout and library output by key. The dtype of an input overrides that of the case's
  // spec, which is how the oracle widens a case (outputs of a floating dtype are then allocated in
  // `widened_dtype`, unless that is `unsupported`). Unimplemented: no such symbol, NoImplement.
  // InvalidArgument: DtypeNotSupported. Internal: another error, with the last-error string.
  // Inputs of `left` that are not among them are made in the tensors that the library gets; null: there are
  // none.
  virtual absl::StatusOr<TensorMap> Call(const v1::Case& c, const TensorMap& inputs, const BlockInputs* left,
                                         Dtype widened_dtype) = 0;
  absl::StatusOr<TensorMap> Call(const v1::Case& c, const TensorMap& inputs, Dtype widened_dtype) {
    return Call(c, inputs, nullptr, widened_dtype);
  }

  // Exported beside the ABI's functions; null: there is none. Valid as long as this object.
  virtual void* Symbol(const std::string& name) = 0;
  virtual std::string vendor_name() const = 0;
  virtual std::string impl_version() const = 0;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_IN_PROCESS_H_
