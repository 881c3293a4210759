// A bug is applied to the reference's own outputs in the case's dtype, so it is the only difference from a
// correct library. A bug that changes no bit of a case is left out: no method could catch it there.
#include "client/proof/generic_bugs.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/diagnose/alter.h"
#include "cases/core/reference_key.h"
#include "cases/fill/fill.h"
#include "cases/findings/finding_text.h"

namespace diopi::proof {
namespace {

using D = v1::Dtype;

void Put(HostTensor* tensor, int64_t i, double value) {
  StoreDouble(tensor->dtype, tensor->data.data(), i, value);
}

// Puts a bug's error into one output; `oracle` is r in float64 where the output has noise, else null.
using Corruption = std::function<void(const HostTensor* oracle, HostTensor* output)>;

// A loop over whole vectors that forgets the rest.
Corruption LoseTail(int64_t width) {
  return [width](const HostTensor*, HostTensor* output) {
    const int64_t count = NumElements(output->shape);
    if (count < width) return;
    const int64_t bytes = ElementSize(output->dtype);
    std::memset(output->data.data() + (count - count % width) * bytes, 0,
                static_cast<size_t>(count % width * bytes));
  };
}

// Replaces every element for which `f` returns another value.
template <typename F>
Corruption ForEach(F f) {
  return [f](const HostTensor*, HostTensor* output) {
    if (!IsFloating(output->dtype)) return;
    const int64_t count = NumElements(output->shape);
    for (int64_t i = 0; i < count; ++i) {
      const double before = ElementAsDouble(*output, i);
      const double after = f(*output, before);
      if (std::bit_cast<uint64_t>(before) != std::bit_cast<uint64_t>(after)) Put(output, i, after);
    }
  };
}

// A value's neighbour in its dtype, toward zero or away from it.
double Step(Dtype dtype, double value, bool away) {
  HostTensor one{dtype, {}, std::string(static_cast<size_t>(ElementSize(dtype)), '\0')};
  Put(&one, 0, value);
  uint64_t bits = 0;
  std::memcpy(&bits, one.data.data(), one.data.size());
  bits += away ? 1 : -1;  // sign and magnitude: changes the magnitude, whatever the sign
  std::memcpy(one.data.data(), &bits, one.data.size());
  return ElementAsDouble(one, 0);
}

// Rounds toward zero where rounding to nearest went away from it.
void Truncate(const HostTensor* oracle, HostTensor* output) {
  if (oracle == nullptr || !IsFloating(output->dtype) || output->dtype == D::float64) return;
  const int64_t count = NumElements(output->shape);
  for (int64_t i = 0; i < count; ++i) {
    const double r = ElementAsDouble(*oracle, i);
    const double y = ElementAsDouble(*output, i);
    if (std::isfinite(r) && std::isfinite(y) && y != 0 && std::fabs(y) > std::fabs(r)) {
      Put(output, i, Step(output->dtype, y, false));
    }
  }
}

// Makes one element, in the middle, wrong by two units in the last place.
void MissOne(const HostTensor*, HostTensor* output) {
  const int64_t i = NumElements(output->shape) / 2;
  if (!IsFloating(output->dtype) || i >= NumElements(output->shape)) return;
  const double value = ElementAsDouble(*output, i);
  if (!std::isfinite(value) || value == 0) return;
  Put(output, i, Step(output->dtype, Step(output->dtype, value, true), true));
}

void TrueIsAllBits(const HostTensor*, HostTensor* output) {
  if (output->dtype != D::bool_) return;
  for (char& byte : output->data) byte = byte == 0 ? '\0' : '\xff';
}

double Largest(Dtype dtype) {
  switch (dtype) {
    case D::float16:
      return 65504;
    case D::bfloat16:
      return 0x1.fep127;
    case D::float32:
      return double{std::numeric_limits<float>::max()};
    default:
      return std::numeric_limits<double>::max();
  }
}

struct NamedCorruption {
  std::string name;
  Corruption corrupt;
};

std::vector<NamedCorruption> MakeCorruptions() {
  std::vector<NamedCorruption> corruptions;
  for (const int64_t width : {4, 8, 16, 32, 64, 128, 256, 1024}) {
    corruptions.push_back({absl::StrCat("the tail after vectors of ", width, " lost"), LoseTail(width)});
  }
  corruptions.push_back(
      {"NaN lost", ForEach([](const HostTensor&, double v) { return std::isnan(v) ? 0 : v; })});
  corruptions.push_back({"Inf saturates", ForEach([](const HostTensor& t, double v) {
                           return std::isinf(v) ? std::copysign(Largest(t.dtype), v) : v;
                         })});
  corruptions.push_back({"float16 subnormals flushed", ForEach([](const HostTensor& t, double v) {
                           return t.dtype == D::float16 && std::fabs(v) < 0x1p-14 ? std::copysign(0.0, v) : v;
                         })});
  corruptions.push_back({"truncation instead of rounding", Truncate});
  corruptions.push_back({"one element two ulps off", MissOne});
  corruptions.push_back({"true as 0xFF", TrueIsAllBits});
  return corruptions;
}

bool Same(const TensorMap& a, const TensorMap& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, tensor] : a) {
    const auto other = b.find(key);
    if (other == b.end() || other->second.shape != tensor.shape || other->second.dtype != tensor.dtype ||
        other->second.data != tensor.data) {
      return false;
    }
  }
  return true;
}

// Narrows every float32 input to the 11 significant bits of TF32.
TensorMap NarrowInputs(const TensorMap& inputs) {
  TensorMap narrow = inputs;
  for (auto& [key, tensor] : narrow) {
    if (tensor.dtype != D::float32) continue;
    for (size_t i = 0; i + 4 <= tensor.data.size(); i += 4) {
      uint32_t bits = 0;
      std::memcpy(&bits, tensor.data.data() + i, 4);
      if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & 0xffffe000u;
      std::memcpy(tensor.data.data() + i, &bits, 4);
    }
  }
  return narrow;
}

class Mutator {
 public:
  Mutator(const baselines::Baseline& baseline, const TensorMap& native, loader::InProcessLibrary* reference)
      : baseline_(baseline), native_(native), reference_(reference) {}

  std::vector<Mutated> Run() {
    static const std::vector<NamedCorruption> corruptions = MakeCorruptions();
    for (const NamedCorruption& each : corruptions) AddCorrupted(each);
    AddCall("inputs narrowed to TF32", baseline_.c, NarrowInputs(baseline_.inputs));
    for (const baselines::AlteredCase& altered : baselines::AlterArguments(baseline_.c)) {
      // Saved tensors of a forward stay unchanged; the generator makes the rest.
      TensorMap inputs = baseline_.inputs;
      absl::StatusOr<TensorMap> generated = FillInputs(altered.c);
      if (!generated.ok()) continue;
      for (auto& [key, tensor] : *generated) inputs[key] = std::move(tensor);
      AddCall(FindingText(altered.found), altered.c, inputs);
    }
    return std::move(mutated_);
  }

 private:
  void AddCorrupted(const NamedCorruption& each) {
    TensorMap outputs = native_;
    for (auto& [key, tensor] : outputs) {
      const auto oracle = baseline_.references.find(key);
      const bool noisy = baseline_.references.count(ReferenceKey(key, ReferencePart::kSigma)) != 0;
      each.corrupt(noisy ? &oracle->second : nullptr, &tensor);
    }
    Add(each.name, std::move(outputs));
  }

  void AddCall(const std::string& name, const v1::Case& c, const TensorMap& inputs) {
    absl::StatusOr<TensorMap> outputs = reference_->Call(c, inputs, D::unsupported);
    if (outputs.ok()) Add(name, *std::move(outputs));
  }

  void Add(const std::string& name, TensorMap outputs) {
    if (!Same(outputs, native_)) mutated_.push_back({name, std::move(outputs)});
  }

  const baselines::Baseline& baseline_;
  const TensorMap& native_;
  loader::InProcessLibrary* const reference_;
  std::vector<Mutated> mutated_;
};

}  // namespace

std::vector<Mutated> GenericBugs(const baselines::Baseline& baseline, const TensorMap& native,
                                 loader::InProcessLibrary* reference) {
  return Mutator(baseline, native, reference).Run();
}

}  // namespace diopi::proof
