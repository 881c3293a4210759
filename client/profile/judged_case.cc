// Narrowing decides once which tensors the library gets in a narrower floating type, and applies that to a
// case and to its forward alike: a tensor that only the forward has is converted like others of its type.
// Integers that the library's type cannot hold are given the expected value before the comparison, so no
// judge needs to know of them; they are counted and reported as not asked.
#include "client/profile/judged_case.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "baselines/compare/judging.h"
#include "baselines/generate/generate.h"
#include "cases/base/status_macros.h"
#include "cases/findings/finding.h"
#include "client/profile/tensors.h"
#include "impl_loader/adaptor/convert.h"

namespace diopi::profile {
namespace {

bool IsNarrower(Dtype given, Dtype own) {
  return IsFloating(given) && IsFloating(own) && FormatOf(given).precision < FormatOf(own).precision;
}

HostTensor Converted(const HostTensor& tensor, Dtype to) {
  HostTensor result{to, tensor.shape, {}};
  const int64_t elements = NumElements(tensor.shape);
  result.data.resize(static_cast<size_t>(elements * ElementSize(to)));
  loader::Convert(tensor.dtype, tensor.data.data(), to, result.data.data(), elements);
  return result;
}

// Which tensors of a case and of its forward the library gets in a narrower floating type.
class Narrowing {
 public:
  Narrowing(const v1::Case& c, const v1::CaseAdaptor& adaptor) {
    for (const CaseTensor& tensor : TensorsOf(c)) keys_.insert(tensor.key);
    for (const v1::CaseAdaptor::Conversion& conversion : adaptor.conversion()) {
      const Dtype own = baselines::OutputDtype(c, conversion.key());
      if (!IsNarrower(conversion.dtype(), own)) continue;
      by_key_[conversion.key()] = conversion.dtype();
      by_dtype_[own] = conversion.dtype();
    }
  }

  bool empty() const { return by_key_.empty(); }

  // Converts specs and values of the case or of its forward. A tensor that only the forward has is converted
  // like others of its type.
  void Apply(v1::Case* c, TensorMap* tensors) const {
    for (v1::Argument& arg : *c->mutable_args()) {
      if (arg.has_tensor()) Apply(arg.name(), arg.mutable_tensor(), tensors);
      for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
        Apply(absl::StrCat(arg.name(), ".", i), arg.mutable_tensors()->mutable_tensors(i), tensors);
      }
    }
    const auto own = by_dtype_.find(c->dtype());
    if (own != by_dtype_.end()) c->set_dtype(own->second);
  }

  // Converts only the values of the case.
  void Apply(TensorMap* tensors) const {
    for (const auto& [key, dtype] : by_key_) Convert(key, dtype, tensors);
  }

 private:
  void Apply(const std::string& key, v1::TensorSpec* spec, TensorMap* tensors) const {
    const auto narrowed = keys_.contains(key) ? by_key_.find(key) : by_key_.end();
    const auto typed = keys_.contains(key) ? by_dtype_.end() : by_dtype_.find(spec->dtype());
    if (narrowed == by_key_.end() && typed == by_dtype_.end()) return;
    const Dtype dtype = narrowed != by_key_.end() ? narrowed->second : typed->second;
    spec->set_dtype(dtype);
    Convert(key, dtype, tensors);
  }

  static void Convert(const std::string& key, Dtype dtype, TensorMap* tensors) {
    const auto found = tensors->find(key);
    if (found == tensors->end() || !IsFloating(found->second.dtype)) return;
    found->second = Converted(found->second, dtype);
  }

  std::set<std::string> keys_;  // of the case's own tensors
  std::map<std::string, Dtype> by_key_;
  std::map<Dtype, Dtype> by_dtype_;
};

// The elements of an output that `handed` cannot hold and that are therefore not judged.
struct LeftOut {
  int64_t elements = 0;
  int64_t count = 0;
  int64_t first = -1;
};

LeftOut LeaveOut(const HostTensor& reference, Dtype given, HostTensor* actual) {
  const HostTensor back = Converted(Converted(reference, given), reference.dtype);
  const auto size = static_cast<size_t>(ElementSize(reference.dtype));
  LeftOut left{NumElements(reference.shape), 0, -1};
  for (int64_t i = 0; i < left.elements; ++i) {
    const size_t at = static_cast<size_t>(i) * size;
    if (std::memcmp(back.data.data() + at, reference.data.data() + at, size) == 0) continue;
    if (left.count++ == 0) left.first = i;
    std::memcpy(actual->data.data() + at, reference.data.data() + at, size);
  }
  return left;
}

std::string NumberText(const v1::ScalarValue& scalar) {
  return scalar.value_case() == v1::ScalarValue::kF ? absl::StrCat(scalar.f()) : absl::StrCat(scalar.i());
}

bool Fits(const v1::ScalarValue& scalar, Dtype dtype) {
  const bool is_float = scalar.value_case() == v1::ScalarValue::kF;
  const double f = scalar.f();
  const int64_t i = scalar.i();
  uint64_t target = 0;
  return loader::Convert(is_float ? v1::Dtype::float64 : v1::Dtype::int64,
                         is_float ? static_cast<const void*>(&f) : &i, dtype, &target, 1)
             .lost == 0;
}

// Whether the function draws numbers that `handed` cannot hold: random_ without an upper limit, or with a
// large one.
bool DrawsBeyond(const v1::Case& c, const std::string& key, Dtype given) {
  const bool drawn = std::any_of(c.judges().begin(), c.judges().end(), [&key](const v1::Judge& judge) {
    return judge.output() == key && judge.distribution() == v1::Judge::UNIFORM;
  });
  if (!drawn || IsFloating(given)) return false;
  bool limited = true;  // functions that draw integers by other arguments (randperm) have no such limits
  for (const v1::Argument& arg : c.args()) {
    if (arg.name() != "from" && arg.name() != "to") continue;
    v1::ScalarValue limit;
    limit.set_i(arg.i());
    limited = limited && arg.value_case() == v1::Argument::kI && Fits(limit, given);
  }
  return !limited;
}

bool HasComplex(const v1::Case& c) {
  const std::vector<CaseTensor> tensors = TensorsOf(c);
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const CaseTensor& tensor) { return IsComplex(tensor.spec->dtype()); });
}

}  // namespace

bool NarrowsFloats(const v1::Case& c, const v1::CaseAdaptor& adaptor) {
  return !Narrowing(c, adaptor).empty();
}

std::string WhyNotAsked(const v1::Case& c, const v1::CaseAdaptor& adaptor) {
  for (const v1::CaseAdaptor::Conversion& conversion : adaptor.conversion()) {
    const Dtype own = baselines::OutputDtype(c, conversion.key());
    if (IsFloating(own) && own != conversion.dtype() && HasComplex(c)) {
      return absl::StrCat("complex numbers are not converted, and their parts would be ",
                          std::string(DtypeName(conversion.dtype())));
    }
    if (DrawsBeyond(c, conversion.key(), conversion.dtype())) {
      return absl::StrCat("the function draws numbers that do not fit in ",
                          std::string(DtypeName(conversion.dtype())));
    }
    if (own != c.dtype() || own == conversion.dtype()) continue;
    for (const v1::Argument& arg : c.args()) {
      // The adaptor does not affect a scalar that the elements' own type cannot hold either.
      if (!arg.has_scalar() || !Fits(arg.scalar(), own) || Fits(arg.scalar(), conversion.dtype())) continue;
      return absl::StrCat("the scalar ", arg.name(), ", ", NumberText(arg.scalar()), ", does not fit in ",
                          std::string(DtypeName(conversion.dtype())));
    }
  }
  return "";
}

absl::Status HandOverSavedTensors(loader::InProcessLibrary& reference, const v1::Case& c,
                                  const v1::CaseAdaptor& adaptor, TensorMap* inputs) {
  const Narrowing narrowing(c, adaptor);
  const absl::StatusOr<baselines::Baseline> generated = baselines::GenerateInputs(
      reference, c, [&narrowing](v1::Case* one, TensorMap* tensors) { narrowing.Apply(one, tensors); });
  if (!generated.ok()) return generated.status();
  for (const CaseTensor& tensor : TensorsOf(c)) {
    const auto saved = generated->inputs.find(tensor.key);
    const auto own = inputs->find(tensor.key);
    if (tensor.spec->from().empty() || saved == generated->inputs.end() || own == inputs->end()) continue;
    own->second = Converted(saved->second, own->second.dtype);
  }
  return absl::OkStatus();
}

JudgedCase AsConverted(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                       const TensorMap& actual, const v1::CaseAdaptor& adaptor) {
  JudgedCase judged{c, inputs, references, actual, {}};
  const Narrowing narrowing(c, adaptor);
  narrowing.Apply(&judged.c, &judged.inputs);
  narrowing.Apply(&judged.actual);
  return judged;
}

absl::Status RecomputeReferences(loader::InProcessLibrary& reference, JudgedCase* judged) {
  ASSIGN_OR_RETURN(judged->references, baselines::GenerateReferences(reference, judged->c, judged->inputs));
  return absl::OkStatus();
}

bool LeaveOutWhatDoesNotFit(const v1::CaseAdaptor& adaptor, JudgedCase* judged) {
  const std::vector<baselines::JudgedOutput> outputs = baselines::JudgedOutputs(judged->c);
  bool anything_left = outputs.empty();
  for (const baselines::JudgedOutput& output : outputs) {
    Dtype given = output.dtype;
    for (const v1::CaseAdaptor::Conversion& conversion : adaptor.conversion()) {
      if (conversion.key() == output.key) given = conversion.dtype();
    }
    const auto reference = judged->references.find(output.key);
    const auto actual = judged->actual.find(output.key);
    const bool known = reference != judged->references.end() && actual != judged->actual.end() &&
                       actual->second.dtype == reference->second.dtype &&
                       actual->second.shape == reference->second.shape;
    if (!known || given == output.dtype || output.kind != v1::Judge::EXACT || IsFloating(output.dtype)) {
      anything_left = true;
      continue;
    }
    const LeftOut left = LeaveOut(reference->second, given, &actual->second);
    anything_left = anything_left || left.count < left.elements || left.elements == 0;
    if (left.count == 0) continue;
    judged->not_asked.push_back(Found(v1::Finding::NOT_ASKED)
                                    .Name(output.key)
                                    .Count(left.count)
                                    .Of(left.elements)
                                    .Got(std::string(DtypeName(given)))
                                    .Index(left.first));
  }
  return anything_left;
}

}  // namespace diopi::profile
