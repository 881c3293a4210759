#include "impl_loader/caller/test_cases.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "build_paths.h"

namespace diopi::loader {

std::string VendorPath(const std::string& name) {
  return std::string(DIOPI_BINARY_DIR) + "/lib/vendors/vendor_" + name + ".so";
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

v1::Argument* CaseBuilder::Add(const std::string& name) {
  v1::Argument* arg = case_.add_args();
  arg->set_name(name);
  return arg;
}

CaseBuilder& CaseBuilder::Tensor(const std::string& name, v1::Role role, const v1::TensorSpec& spec) {
  *case_.add_args() = TensorArg(name, role, spec);
  return *this;
}

CaseBuilder& CaseBuilder::Tensors(const std::string& name, v1::Role role,
                                  const std::vector<v1::TensorSpec>& specs, const std::vector<bool>& null) {
  v1::Argument* arg = Add(name);
  arg->set_role(role);
  for (const v1::TensorSpec& spec : specs) *arg->mutable_tensors()->add_tensors() = spec;
  for (const bool is_null : null) arg->mutable_tensors()->add_null(is_null);
  return *this;
}

CaseBuilder& CaseBuilder::LibraryOutput(const std::string& name) {
  Add(name)->set_role(v1::ROLE_LIBRARY_OUTPUT);
  return *this;
}

CaseBuilder& CaseBuilder::HostOutput(const std::string& name, Dtype dtype) {
  v1::Argument* arg = Add(name);
  arg->set_role(v1::ROLE_OUTPUT);
  arg->mutable_host_output()->set_dtype(dtype);
  return *this;
}

CaseBuilder& CaseBuilder::Null(const std::string& name) {
  Add(name)->set_null(true);
  return *this;
}

CaseBuilder& CaseBuilder::Int(const std::string& name, int64_t value) {
  Add(name)->set_i(value);
  return *this;
}

CaseBuilder& CaseBuilder::Float(const std::string& name, double value) {
  Add(name)->set_f(value);
  return *this;
}

CaseBuilder& CaseBuilder::Bool(const std::string& name, bool value) {
  Add(name)->set_b(value);
  return *this;
}

CaseBuilder& CaseBuilder::Sizes(const std::string& name, const std::vector<int64_t>& values) {
  Add(name)->mutable_sizes()->mutable_values()->Add(values.begin(), values.end());
  return *this;
}

CaseBuilder& CaseBuilder::Scalar(const std::string& name, Dtype dtype, double value) {
  v1::ScalarValue* scalar = Add(name)->mutable_scalar();
  scalar->set_dtype(dtype);
  scalar->set_f(value);
  return *this;
}

CaseBuilder& CaseBuilder::IntScalar(const std::string& name, Dtype dtype, int64_t value) {
  v1::ScalarValue* scalar = Add(name)->mutable_scalar();
  scalar->set_dtype(dtype);
  scalar->set_i(value);
  return *this;
}

CaseBuilder& CaseBuilder::Generator(const std::string& name, uint64_t seed, uint64_t offset) {
  v1::GeneratorValue* generator = Add(name)->mutable_generator();
  generator->set_seed(seed);
  generator->set_offset(offset);
  return *this;
}

v1::Case AddCase(const std::vector<int64_t>& shape, double alpha) {
  const v1::TensorSpec spec = Spec(v1::Dtype::float32, shape);
  return CaseBuilder("diopiAdd")
      .Tensor("out", v1::ROLE_OUTPUT, spec)
      .Tensor("input", v1::ROLE_INPUT, spec)
      .Tensor("other", v1::ROLE_INPUT, spec)
      .Scalar("alpha", v1::Dtype::float64, alpha)
      .Done();
}

const TensorMap& AddInputs(const std::vector<int64_t>& shape) {
  static std::mutex mutex;
  static std::map<std::vector<int64_t>, TensorMap> made;
  const std::lock_guard lock(mutex);
  if (const auto known = made.find(shape); known != made.end()) return known->second;
  std::vector<float> input;
  std::vector<float> other;
  for (int64_t i = 0; i < NumElements(shape); ++i) {
    input.push_back(static_cast<float>(i + 1));
    other.push_back(static_cast<float>(10 * (i + 1)));
  }
  return made[shape] = {{"input", FloatTensor(shape, input)}, {"other", FloatTensor(shape, other)}};
}

std::vector<float> AddResult(const std::vector<int64_t>& shape, double alpha) {
  std::vector<float> result(static_cast<size_t>(NumElements(shape)));
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<float>((1 + 10 * alpha) * static_cast<double>(i + 1));
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
