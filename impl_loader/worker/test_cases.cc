#include "impl_loader/worker/test_cases.h"

#include <algorithm>
#include <cstring>

namespace diopi::loader {

std::string VendorPath(const std::string& name) {
  return std::string(DIOPI_BINARY_DIR) + "/lib/vendors/vendor_" + name + ".so";
}

WorkerOptions OptionsFor(const std::string& name) {
  WorkerOptions options;
  options.worker_program = std::string(DIOPI_BINARY_DIR) + "/bin/diopi-worker";
  options.impl_path = VendorPath(name);
  options.kill_grace = std::chrono::milliseconds(100);
  options.shared_bytes = 1 << 20;
  return options;
}

v1::TensorSpec Spec(Dtype dtype, const std::vector<int64_t>& shape) {
  v1::TensorSpec spec;
  spec.set_dtype(dtype);
  spec.mutable_shape()->Add(shape.begin(), shape.end());
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(1, shape[i]);
  spec.mutable_strides()->Add(strides.begin(), strides.end());
  spec.set_storage_elements(NumElements(shape));
  return spec;
}

v1::Argument TensorArg(const std::string& name, v1::Role role, const v1::TensorSpec& spec) {
  v1::Argument arg;
  arg.set_name(name);
  arg.set_role(role);
  *arg.mutable_tensor() = spec;
  return arg;
}

v1::Case NewCase(const std::string& function) {
  v1::Case c;
  c.set_id("test." + function);
  c.set_function(function);
  c.set_dtype(v1::Dtype::float32);
  return c;
}

v1::Case AddCase(const std::vector<int64_t>& shape, double alpha) {
  v1::Case c = NewCase("diopiAdd");
  const v1::TensorSpec spec = Spec(v1::Dtype::float32, shape);
  *c.add_args() = TensorArg("out", v1::ROLE_OUTPUT, spec);
  *c.add_args() = TensorArg("input", v1::ROLE_INPUT, spec);
  *c.add_args() = TensorArg("other", v1::ROLE_INPUT, spec);
  v1::Argument* arg = c.add_args();
  arg->set_name("alpha");
  arg->mutable_scalar()->set_dtype(v1::Dtype::float64);
  arg->mutable_scalar()->set_f(alpha);
  return c;
}

TensorMap AddInputs(const std::vector<int64_t>& shape) {
  std::vector<float> input;
  std::vector<float> other;
  for (int64_t i = 0; i < NumElements(shape); ++i) {
    input.push_back(static_cast<float>(i + 1));
    other.push_back(static_cast<float>(10 * (i + 1)));
  }
  return {{"input", FloatTensor(shape, input)}, {"other", FloatTensor(shape, other)}};
}

std::vector<float> AddResult(const std::vector<int64_t>& shape, double alpha) {
  std::vector<float> result;
  for (int64_t i = 0; i < NumElements(shape); ++i) {
    result.push_back(static_cast<float>((1 + 10 * alpha) * static_cast<double>(i + 1)));
  }
  return result;
}

HostTensor FloatTensor(const std::vector<int64_t>& shape, const std::vector<float>& values) {
  HostTensor tensor{v1::Dtype::float32, shape, std::string(values.size() * sizeof(float), '\0')};
  if (!values.empty()) std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

std::vector<float> Floats(const HostTensor& tensor) {
  std::vector<float> values(tensor.data.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

}  // namespace diopi::loader
