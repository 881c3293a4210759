// For the tests of this folder: makes tensors and one-output cases in one line.
#ifndef BASELINES_COMPARE_TESTING_H_
#define BASELINES_COMPARE_TESTING_H_

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "baselines/compare/compare.h"
#include "cases/base/tensor.h"
#include "cases/findings/finding_text.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline float Single(double x) {
  return static_cast<float>(x);
}

// Rounded to TF32 from float32.
inline float Tf32(float x) {
  const uint32_t b = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((b + 0xfff + ((b >> 13) & 1)) & ~0x1fffU);
}

inline HostTensor Tensor(Dtype dtype, std::vector<int64_t> shape, const std::vector<double>& values) {
  HostTensor tensor{dtype, std::move(shape), {}};
  tensor.data.resize(values.size() * static_cast<size_t>(ElementSize(dtype)));
  for (size_t i = 0; i < values.size(); ++i) {
    StoreDouble(dtype, tensor.data.data(), static_cast<int64_t>(i), values[i]);
  }
  return tensor;
}

inline HostTensor Row(Dtype dtype, const std::vector<double>& values) {
  return Tensor(dtype, {static_cast<int64_t>(values.size())}, values);
}

inline v1::Case OneOutput(Dtype dtype, v1::Judge::Kind kind, double kf = 0) {
  v1::Case c;
  c.set_id("op.case");
  c.set_hash("h");
  c.set_function("diopiOp");
  c.set_dtype(dtype);
  v1::Argument* out = c.add_args();
  out->set_name("out");
  out->set_role(v1::ROLE_OUTPUT);
  out->mutable_tensor()->set_dtype(dtype);
  v1::Judge* judge = c.add_judges();
  judge->set_output("out");
  judge->set_kind(kind);
  judge->set_kf(kf);
  return c;
}

inline v1::Argument* AddInput(v1::Case* c, const std::string& name, Dtype dtype) {
  v1::Argument* argument = c->add_args();
  argument->set_name(name);
  argument->set_role(v1::ROLE_INPUT);
  argument->mutable_tensor()->set_dtype(dtype);
  return argument;
}

inline void AddInt(v1::Case* c, const std::string& name, int64_t value) {
  v1::Argument* argument = c->add_args();
  argument->set_name(name);
  argument->set_i(value);
}

inline void AddNumber(v1::Case* c, const std::string& name, double value) {
  v1::Argument* argument = c->add_args();
  argument->set_name(name);
  argument->set_f(value);
}

// r, sigma and perhaps low of one output "out".
inline TensorMap Oracle(const std::vector<int64_t>& shape, const std::vector<double>& r,
                        const std::vector<double>& sigma, const std::vector<double>& low = {}) {
  TensorMap references;
  references["out"] = Tensor(v1::Dtype::float64, shape, r);
  references["out.sigma"] = Tensor(v1::Dtype::float64, shape, sigma);
  if (!low.empty()) references["out.low"] = Tensor(v1::Dtype::float64, shape, low);
  return references;
}

// Judges `actual` by the pointwise rule against r and one sigma for all.
inline v1::Verdict Pointwise(const HostTensor& actual, const std::vector<double>& r, double sigma,
                             double kf = 0) {
  const std::vector<double> sigmas(r.size(), sigma);
  return CompareCase(OneOutput(actual.dtype, v1::Judge::MATH, kf), {}, Oracle(actual.shape, r, sigmas),
                     {{"out", actual}});
}

// What a check found, in words.
inline std::string TextOf(const std::optional<v1::Finding>& found) {
  return found.has_value() ? FindingText(*found) : "";
}

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_TESTING_H_
