#include "client/profile/judged_case.h"

#include <cmath>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "baselines/compare/judging.h"

namespace diopi::profile {
namespace {

// Noise is measured in roundings of the compute type: float64 for float64 (u = 2^-53), float32 for all
// narrower ones (u = 2^-24). To first order it grows with u.
constexpr double kFloat32Noise = 0x1p29;

bool IsNarrower(Dtype handed, Dtype own) {
  return IsFloating(handed) && IsFloating(own) && FormatOf(handed).precision < FormatOf(own).precision;
}

HostTensor Rounded(const HostTensor& tensor, Dtype to) {
  HostTensor result{to, tensor.shape, {}};
  const int64_t elements = NumElements(tensor.shape);
  result.data.resize(static_cast<size_t>(elements * ElementSize(to)));
  for (int64_t i = 0; i < elements; ++i) {
    StoreDouble(to, result.data.data(), i, ElementAsDouble(tensor.dtype, tensor.data.data(), i));
  }
  return result;
}

// As float32, the type that sigma has for outputs narrower than float64.
HostTensor Widened(const HostTensor& sigma, double factor) {
  HostTensor result{v1::Dtype::float32, sigma.shape, {}};
  const int64_t elements = NumElements(sigma.shape);
  result.data.resize(static_cast<size_t>(elements) * sizeof(float));
  for (int64_t i = 0; i < elements; ++i) {
    const double wide = ElementAsDouble(sigma.dtype, sigma.data.data(), i) * factor;
    const double largest = std::numeric_limits<float>::max();  // an unknown noise stays one
    StoreDouble(v1::Dtype::float32, result.data.data(), i, wide > largest ? largest : wide);
  }
  return result;
}

void SetDtype(const std::string& key, Dtype dtype, v1::Case* c) {
  for (v1::Argument& arg : *c->mutable_args()) {
    if (arg.has_tensor() && arg.name() == key) arg.mutable_tensor()->set_dtype(dtype);
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      if (absl::StrCat(arg.name(), ".", i) == key)
        arg.mutable_tensors()->mutable_tensors(i)->set_dtype(dtype);
    }
  }
}

class Narrower {
 public:
  Narrower(const v1::CaseAdaptor& adaptor, JudgedCase* judged) : adaptor_(adaptor), judged_(judged) {}

  void Run() {
    std::map<Dtype, Dtype> narrowed;  // by the case's own
    for (const v1::CaseAdaptor::Conversion& conversion : adaptor_.conversion()) {
      const Dtype own = baselines::OutputDtype(judged_->c, conversion.key());
      if (!IsNarrower(conversion.dtype(), own)) continue;
      narrowed[own] = conversion.dtype();
      SetDtype(conversion.key(), conversion.dtype(), &judged_->c);
      Round(conversion.key(), conversion.dtype(), &judged_->inputs);
      Round(conversion.key(), conversion.dtype(), &judged_->actual);
      NarrowReference(conversion.key(), own, conversion.dtype());
    }
    const auto own = narrowed.find(judged_->c.dtype());
    if (own != narrowed.end()) judged_->c.set_dtype(own->second);
  }

 private:
  static void Round(const std::string& key, Dtype to, TensorMap* tensors) {
    const auto found = tensors->find(key);
    if (found != tensors->end() && IsFloating(found->second.dtype))
      found->second = Rounded(found->second, to);
  }

  void NarrowReference(const std::string& key, Dtype own, Dtype to) {
    TensorMap& references = judged_->references;
    const auto sigma = references.find(key + ".sigma");
    if (sigma == references.end()) {
      Round(key, to, &references);  // bit for bit: the reference has the case's own type
    } else {
      sigma->second = Widened(sigma->second, own == v1::Dtype::float64 ? kFloat32Noise : 1);
    }
    // What float64 arithmetic gives is no matter here.
    references.erase(key + ".low");
    references.erase(key + ".exact");
    references.erase(key + ".device");
  }

  const v1::CaseAdaptor& adaptor_;
  JudgedCase* const judged_;
};

}  // namespace

absl::Status RecomputeExact(loader::InProcessLibrary& reference, const v1::CaseAdaptor& adaptor,
                            JudgedCase* judged) {
  const absl::StatusOr<TensorMap> outputs = reference.Call(judged->c, judged->inputs, v1::Dtype::unsupported);
  if (!outputs.ok()) return outputs.status();
  for (const v1::CaseAdaptor::Conversion& conversion : adaptor.conversion()) {
    const std::string& key = conversion.key();
    const auto output = outputs->find(key);
    const auto own = judged->references.find(key);
    const bool exact = own != judged->references.end() && !judged->references.contains(key + ".sigma");
    if (output != outputs->end() && exact && IsFloating(output->second.dtype)) own->second = output->second;
  }
  return absl::OkStatus();
}

JudgedCase AsHandedOver(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                        const TensorMap& actual, const v1::CaseAdaptor& adaptor) {
  JudgedCase judged{c, inputs, references, actual};
  Narrower(adaptor, &judged).Run();
  return judged;
}

}  // namespace diopi::profile
