// Cases made by hand, for the tests of this folder.
#ifndef IMPL_LOADER_WORKER_TEST_CASES_H_
#define IMPL_LOADER_WORKER_TEST_CASES_H_

#include <string>
#include <vector>

#include "cases/core/tensor.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/worker/worker.h"

namespace diopi::loader {

// build/lib/vendors/vendor_NAME.so.
std::string VendorPath(const std::string& name);

// For vendor_NAME with the worker of this build, and deadlines fit for tests.
WorkerOptions OptionsFor(const std::string& name);

v1::TensorSpec Spec(Dtype dtype, const std::vector<int64_t>& shape);
v1::Argument TensorArg(const std::string& name, v1::Role role, const v1::TensorSpec& spec);

// A case of `function` with an id and no arguments.
v1::Case NewCase(const std::string& function);

// diopiAdd(out, input, other, alpha) on float32 tensors of `shape`.
v1::Case AddCase(const std::vector<int64_t>& shape, double alpha = 1);
// Its inputs: input[i] = i + 1, other[i] = 10 * (i + 1).
TensorMap AddInputs(const std::vector<int64_t>& shape);
// What comes out: (1 + 10 alpha) * (i + 1).
std::vector<float> AddResult(const std::vector<int64_t>& shape, double alpha = 1);

HostTensor FloatTensor(const std::vector<int64_t>& shape, const std::vector<float>& values);
std::vector<float> Floats(const HostTensor& tensor);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_TEST_CASES_H_
