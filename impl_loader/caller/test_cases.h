// Builds cases by hand, for the tests of impl_loader.
#ifndef IMPL_LOADER_CALLER_TEST_CASES_H_
#define IMPL_LOADER_CALLER_TEST_CASES_H_

#include <string>
#include <vector>

#include "cases/base/dtype.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::loader {

// build/lib/vendors/vendor_NAME.so.
std::string VendorPath(const std::string& name);

v1::TensorSpec Spec(Dtype dtype, const std::vector<int64_t>& shape);
v1::Argument TensorArg(const std::string& name, v1::Role role, const v1::TensorSpec& spec);

// A case of `function` with an id and no arguments.
v1::Case NewCase(const std::string& function);

// Builds a case, argument by argument.
class CaseBuilder {
 public:
  explicit CaseBuilder(const std::string& function) : case_(NewCase(function)) {}
  CaseBuilder& Tensor(const std::string& name, v1::Role role, const v1::TensorSpec& spec);
  // A null handle for every element of `null` that is true.
  CaseBuilder& Tensors(const std::string& name, v1::Role role, const std::vector<v1::TensorSpec>& specs,
                       const std::vector<bool>& null = {});
  CaseBuilder& LibraryOutput(const std::string& name);
  CaseBuilder& HostOutput(const std::string& name, Dtype dtype);
  CaseBuilder& Null(const std::string& name);
  CaseBuilder& Int(const std::string& name, int64_t value);
  CaseBuilder& Float(const std::string& name, double value);
  CaseBuilder& Bool(const std::string& name, bool value);
  CaseBuilder& Sizes(const std::string& name, const std::vector<int64_t>& values);
  CaseBuilder& Scalar(const std::string& name, Dtype dtype, double value);
  CaseBuilder& IntScalar(const std::string& name, Dtype dtype, int64_t value);
  CaseBuilder& Generator(const std::string& name, uint64_t seed, uint64_t offset);
  v1::Case Done() const { return case_; }

 private:
  v1::Argument* Add(const std::string& name);
  v1::Case case_;
};

// diopiAdd(out, input, other, alpha) on float32 tensors of `shape`.
v1::Case AddCase(const std::vector<int64_t>& shape, double alpha = 1);
// Its inputs: input[i] = i + 1, other[i] = 10 * (i + 1). They stay where they are until the program ends.
const TensorMap& AddInputs(const std::vector<int64_t>& shape);
// The result: (1 + 10 alpha) * (i + 1).
std::vector<float> AddResult(const std::vector<int64_t>& shape, double alpha = 1);

HostTensor FloatTensor(const std::vector<int64_t>& shape, const std::vector<float>& values);
std::vector<float> Floats(const HostTensor& tensor);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_TEST_CASES_H_
