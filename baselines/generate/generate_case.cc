// One case: its inputs, and the reference library's results for each kind of judge.
//
// Outputs of one case may need different runs of the reference library: native runs for exact kinds, a run on
// noise numbers for mathematics and compositions, three to five float64 runs for accumulations. Each kind of
// run is made at most once and kept (Keep). Saved tensors of a backward come from the reference's own forward
// in the case's dtype, so that the device's forward does not matter.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "baselines/compare/judging.h"
#include "baselines/compare/packed_references.h"
#include "baselines/compare/readings.h"
#include "baselines/compare/sampled_tokens.h"
#include "baselines/generate/exact_data.h"
#include "baselines/generate/generate.h"
#include "baselines/generate/other_readings.h"
#include "baselines/generate/sliced_references.h"
#include "baselines/generate/widen.h"
#include "cases/base/layout.h"
#include "cases/base/status_macros.h"
#include "cases/core/reference_key.h"
#include "cases/fill/fill.h"
#include "cases/slices/slices.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using loader::InProcessLibrary;

// How many runs a judge needs, and on which numbers.
enum class Way { kNative, kNoise, kLinear };

Way WayOf(v1::Judge::Kind kind) {
  if (!HasNoise(kind)) return Way::kNative;
  return kind == v1::Judge::ACCUMULATION ? Way::kLinear : Way::kNoise;
}

template <typename F>
void ForEachSpec(v1::Case* c, F&& f) {
  for (v1::Argument& arg : *c->mutable_args()) {
    if (arg.has_tensor()) f(arg.name(), arg.mutable_tensor());
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      f(absl::StrCat(arg.name(), ".", i), arg.mutable_tensors()->mutable_tensors(i));
    }
  }
}

class CaseGenerator {
 public:
  // `hand_over` outlives the generator.
  CaseGenerator(InProcessLibrary& reference, const v1::Case& c, const HandOver& hand_over)
      : reference_(reference), hand_over_(hand_over) {
    baseline_.c = c;
  }

  absl::StatusOr<Baseline> Inputs() {
    RETURN_IF_ERROR(MakeInputs());
    return std::move(baseline_);
  }

  absl::StatusOr<Baseline> Run() {
    absl::Status status = MakeInputs();
    if (status.ok()) status = AddAll();
    if (!status.ok()) return status;
    return std::move(baseline_);
  }

  absl::StatusOr<TensorMap> References(TensorMap inputs, const BlockInputs* left) {
    baseline_.inputs = std::move(inputs);
    left_ = left;
    RETURN_IF_ERROR(AddAll());
    return std::move(baseline_.references);
  }

 private:
  absl::Status AddAll() {
    if (!slices::IsSliced(baseline_.c)) return AddReferences();
    GivenInputs inputs(baseline_.inputs);
    ASSIGN_OR_RETURN(baseline_.references, SlicedReferences(reference_, baseline_.c, inputs));
    return absl::OkStatus();
  }

  absl::Status AddReferences() {
    const std::string undetermined = WhyUndetermined(baseline_.c, baseline_.inputs);
    if (!undetermined.empty()) return absl::InvalidArgumentError(undetermined);
    absl::Status status = AddOutputs();
    for (const v1::Reading& reading : baseline_.c.readings()) {
      if (!status.ok()) return status;
      if (reading.kind() == v1::Reading::ROUNDED_SCALARS) status = AddRoundedScalars(reading);
      if (reading.kind() == v1::Reading::SPREAD_NAN) status = AddSpreadNan(reading);
    }
    return status;
  }

  absl::Status AddOutputs() {
    for (const v1::Judge& judge : baseline_.c.judges()) {
      if (judge.kind() == v1::Judge::NOT_JUDGED) continue;
      RETURN_IF_ERROR(AddOutput(judge));
    }
    return absl::OkStatus();
  }

  // The references of the call with rounded numbers.
  absl::Status AddRoundedScalars(const v1::Reading& reading) {
    v1::Case rounded = baseline_.c;
    if (!RoundScalars(reading, &rounded)) return absl::OkStatus();
    CaseGenerator other(reference_, rounded, hand_over_);
    other.baseline_.inputs = baseline_.inputs;
    RETURN_IF_ERROR(other.AddOutputs());
    for (auto& [key, tensor] : other.baseline_.references) {
      baseline_.references.emplace(ReadingKey(reading, key), std::move(tensor));
    }
    return absl::OkStatus();
  }

  // One more run, and only where an input is not finite.
  absl::Status AddSpreadNan(const v1::Reading& reading) {
    TensorMap inputs = baseline_.inputs;
    if (!SpreadNan(reading, &inputs)) return absl::OkStatus();
    ASSIGN_OR_RETURN(TensorMap outputs,
                     reference_.Call(baseline_.c, WidenToFloat64(inputs, Power::kOne), D::float64));
    for (const auto& [key, tensor] : outputs) {
      if (!baseline_.references.contains(key) || !IsFloating(tensor.dtype)) continue;
      HostTensor mask = SpreadMask(reading, tensor);
      if (mask.data.find('\1') != std::string::npos) {
        baseline_.references.emplace(ReferenceKey(key, ReferencePart::kSpreadNan), std::move(mask));
      }
    }
    return absl::OkStatus();
  }

  absl::Status MakeInputs() {
    ASSIGN_OR_RETURN(baseline_.inputs, FillInputs(baseline_.c));
    if (hand_over_ != nullptr) hand_over_(&baseline_.c, &baseline_.inputs);
    // The saved tensors of a backward are the reference's own, so that a device's forward has no influence.
    for (const v1::Case& producer : baseline_.c.producers()) {
      CaseGenerator forward(reference_, producer, hand_over_);
      RETURN_IF_ERROR(forward.MakeInputs());
      ASSIGN_OR_RETURN(TensorMap outputs,
                       reference_.Call(forward.baseline_.c, forward.baseline_.inputs, D::unsupported));
      produced_.emplace(producer.function(), std::move(outputs));
    }
    absl::Status status;
    ForEachSpec(&baseline_.c, [&](const std::string& key, v1::TensorSpec* spec) {
      if (status.ok() && !spec->from().empty()) status = Take(key, spec);
    });
    return status;
  }

  absl::Status Take(const std::string& key, v1::TensorSpec* spec) {
    const size_t dot = spec->from().find('.');
    const auto producer = produced_.find(spec->from().substr(0, dot));
    if (producer != produced_.end()) {
      const auto output = producer->second.find(spec->from().substr(dot + 1));
      if (output != producer->second.end()) {
        const HostTensor& tensor = output->second;
        // Tensors that the library allocated have a shape only now.
        spec->mutable_shape()->Assign(tensor.shape.begin(), tensor.shape.end());
        spec->set_dtype(tensor.dtype);
        baseline_.inputs[key] = tensor;
        return ApplyLayout(v1::Layout(), spec);
      }
    }
    return absl::InternalError(absl::StrCat("argument '", key, "': the reference gave no ", spec->from()));
  }

  // The floating type of an output: of complex numbers, that of their parts.
  Dtype FloatOf(const std::string& key) const { return PartOf(OutputDtype(baseline_.c, key)); }

  // The precision whose noise an output has: float64's for float64 outputs, float32's for all narrower ones.
  // A double in host memory was computed in the case's own type.
  Dtype NoiseFor(const std::string& key) const {
    Dtype dtype = FloatOf(key);
    for (const v1::Argument& arg : baseline_.c.args()) {
      if (arg.name() == key && arg.has_host_output()) dtype = baseline_.c.dtype();
    }
    return dtype == D::float64 ? D::noise80 : D::noise64;
  }

  // Attention, but not in place: an output has the noise type.
  bool IsAttention() const {
    const v1::Case& c = baseline_.c;
    return std::any_of(c.judges().begin(), c.judges().end(),
                       [](const v1::Judge& j) { return j.arithmetic() == v1::Judge::ATTENTION; }) &&
           std::none_of(c.args().begin(), c.args().end(),
                        [](const v1::Argument& arg) { return arg.role() == v1::ROLE_INOUT; });
  }

  // Each kind of run is made once and kept.
  absl::StatusOr<TensorMap*> Keep(std::optional<TensorMap>* kept, const TensorMap& inputs, Dtype widened) {
    if (!kept->has_value()) {
      ASSIGN_OR_RETURN(TensorMap outputs, reference_.Call(baseline_.c, inputs, left_, widened));
      *kept = std::move(outputs);
    }
    return &**kept;
  }
  absl::StatusOr<const TensorMap*> Noise(Dtype type) {
    std::optional<TensorMap>* kept = type == D::noise80 ? &noise80_ : &noise64_;
    if (kept->has_value()) return Keep(kept, TensorMap(), type);
    TensorMap inputs = WidenToNoise(baseline_.inputs, type);
    // Attention kernels ask for the type of their 16-bit inputs, whose products they compute exactly.
    for (const auto& [key, tensor] : baseline_.inputs) {
      if (IsAttention() && ElementSize(tensor.dtype) == 2) inputs[key] = tensor;
    }
    return Keep(kept, inputs, type);
  }
  absl::StatusOr<const TensorMap*> Float64(std::optional<TensorMap>* kept, Power power) {
    return Keep(kept, kept->has_value() ? TensorMap() : WidenToFloat64(baseline_.inputs, power), D::float64);
  }

  absl::Status AddOutput(const v1::Judge& judge) {
    const Way way = WayOf(judge.kind());
    if (way == Way::kNative) return AddNative(judge);
    return way == Way::kLinear ? AddLinear(judge) : AddNoise(judge);
  }

  // Outputs are handed over: no other judge has them.
  absl::Status AddNative(const v1::Judge& judge) {
    ASSIGN_OR_RETURN(auto* outputs, Keep(&native_, baseline_.inputs, D::unsupported));
    bool any = false;
    for (auto& [key, tensor] : *outputs) {
      if (!BelongsTo(key, judge.output())) continue;
      any = true;
      baseline_.references[key] = std::move(tensor);
    }
    return any ? absl::OkStatus() : NoOutput(judge);
  }

  absl::Status AddNoise(const v1::Judge& judge) {
    ASSIGN_OR_RETURN(const TensorMap* outputs, Noise(NoiseFor(judge.output())));
    bool any = false;
    for (const auto& [key, tensor] : *outputs) {
      if (!BelongsTo(key, judge.output())) continue;
      any = true;
      if (!IsFloating(tensor.dtype)) {
        baseline_.references[key] = tensor;
        continue;
      }
      RETURN_IF_ERROR(Store(key, SplitNoise(tensor, FloatOf(key))));
      if (IsAttention() && ElementSize(OutputDtype(baseline_.c, key)) == 2)
        RETURN_IF_ERROR(AddPlainSigma(key));
    }
    return any ? absl::OkStatus() : NoOutput(judge);
  }

  // Adds the sigma of the kernels that see no 16-bit tensors. Contracts widen this part alone.
  absl::Status AddPlainSigma(const std::string& key) {
    ASSIGN_OR_RETURN(
        const TensorMap* outputs,
        Keep(&plain_, plain_.has_value() ? TensorMap() : WidenToNoise(baseline_.inputs, D::noise64),
             D::noise64));
    ASSIGN_OR_RETURN(Expected expected, SplitNoise(outputs->at(key), FloatOf(key)));
    baseline_.references[ReferenceKey(key, ReferencePart::kPlainSigma)] = std::move(expected.sigma);
    return absl::OkStatus();
  }

  absl::Status AddLinear(const v1::Judge& judge) {
    // 80-bit values where the output itself has the precision of float64.
    ASSIGN_OR_RETURN(const TensorMap* r, NoiseFor(judge.output()) == D::noise80
                                             ? Noise(D::noise80)
                                             : Float64(&one_, Power::kOne));
    ASSIGN_OR_RETURN(const TensorMap* q2, Float64(&two_, Power::kTwo));
    ASSIGN_OR_RETURN(const TensorMap* n, Float64(&zero_, Power::kZero));
    bool any = false;
    for (const auto& [key, tensor] : *r) {
      if (!BelongsTo(key, judge.output())) continue;
      any = true;
      absl::StatusOr<Expected> expected =
          LinearNoise(tensor, q2->at(key), n->at(key), OutputDtype(baseline_.c, key));
      absl::Status status = expected.ok() ? AddDrift(judge, key, n->at(key), &*expected) : expected.status();
      if (status.ok()) status = Store(key, std::move(expected));
      if (!status.ok()) return status;
      // Needed by a contract: 16-bit sums may be declared for every sum.
      const Dtype dtype = OutputDtype(baseline_.c, key);
      if (judge.arithmetic() != v1::Judge::PLAIN || dtype == D::float16 || dtype == D::bfloat16) {
        baseline_.references[ReferenceKey(key, ReferencePart::kTerms)] = ToFloat32(n->at(key));
      }
      RETURN_IF_ERROR(MarkExact(key, tensor));
    }
    return any ? absl::OkStatus() : NoOutput(judge);
  }

  // One more run, and only where the terms' roundings may not be independent.
  absl::Status AddDrift(const v1::Judge& judge, const std::string& key, const HostTensor& n,
                        Expected* expected) {
    double most = 0;
    for (int64_t i = 0; i < NumElements(n.shape); ++i)
      most = std::max(most, ElementAsDouble(n.dtype, n.data.data(), i));
    if (!MayDrift(baseline_.c, baseline_.inputs, most)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const TensorMap* noise, Noise(NoiseFor(judge.output())));
    ASSIGN_OR_RETURN(Expected other, SplitNoise(noise->at(key), OutputDtype(baseline_.c, key)));
    WidenSigma(other, expected);
    return absl::OkStatus();
  }

  // Two more runs, and only where the data may be exact.
  absl::Status MarkExact(const std::string& key, const HostTensor& r) {
    if (!HasIntegerData(baseline_.c, baseline_.inputs)) return absl::OkStatus();
    if (!magnitude_.has_value()) {
      ASSIGN_OR_RETURN(magnitude_,
                       reference_.Call(WithMagnitudes(baseline_.c),
                                       WidenToFloat64(baseline_.inputs, Power::kAbs), D::float64));
    }
    ASSIGN_OR_RETURN(const TensorMap* probe, Float64(&probe_, Power::kProbe));
    const LinearRuns runs{r, two_->at(key), zero_->at(key), magnitude_->at(key), probe->at(key)};
    if (IsExact(runs, OutputDtype(baseline_.c, key))) {
      baseline_.references[ReferenceKey(key, ReferencePart::kExact)] =
          HostTensor{D::uint8, {}, std::string(1, '\1')};
    }
    return absl::OkStatus();
  }

  absl::Status Store(const std::string& key, absl::StatusOr<Expected> expected) {
    if (!expected.ok()) return expected.status();
    baseline_.references[key] = std::move(expected->r);
    baseline_.references[ReferenceKey(key, ReferencePart::kSigma)] = std::move(expected->sigma);
    if (expected->has_low)
      baseline_.references[ReferenceKey(key, ReferencePart::kLow)] = std::move(expected->low);
    return absl::OkStatus();
  }

  static absl::Status NoOutput(const v1::Judge& judge) {
    return absl::InternalError(absl::StrCat("the reference gave no output '", judge.output(), "'"));
  }

  InProcessLibrary& reference_;
  const HandOver& hand_over_;
  Baseline baseline_;
  const BlockInputs* left_ = nullptr;          // inputs that are not among the baseline's
  std::map<std::string, TensorMap> produced_;  // by function
  std::optional<TensorMap> native_, noise64_, noise80_, plain_, zero_, one_, two_, magnitude_, probe_;
};

}  // namespace

absl::StatusOr<Baseline> GenerateInputs(InProcessLibrary& reference, const v1::Case& c,
                                        const HandOver& hand_over) {
  return CaseGenerator(reference, c, hand_over).Inputs();
}

absl::StatusOr<Baseline> GenerateCase(InProcessLibrary& reference, const v1::Case& c) {
  const HandOver as_it_is;
  return CaseGenerator(reference, c, as_it_is).Run();
}

absl::StatusOr<Baseline> GenerateStored(InProcessLibrary& reference, const v1::Case& c) {
  Baseline stored{.c = c, .inputs = {}, .references = {}};
  if (slices::IsSliced(c)) {
    MadeInputs inputs(reference, c);
    ASSIGN_OR_RETURN(TensorMap references, SlicedReferences(reference, c, inputs));
    stored.references = PackReferences(c, std::move(references));
    return stored;
  }
  absl::StatusOr<Baseline> baseline = GenerateCase(reference, c);
  if (baseline.ok() && slices::IsLarge(c)) baseline->inputs.clear();
  return baseline;
}

absl::StatusOr<TensorMap> GenerateReferences(InProcessLibrary& reference, const v1::Case& c, TensorMap inputs,
                                             const BlockInputs* left) {
  const HandOver as_it_is;
  return CaseGenerator(reference, c, as_it_is).References(std::move(inputs), left);
}

}  // namespace diopi::baselines
