// The CPU reference with every function made wrong in the way that $DIOPI_TEST_SPOIL names. A call with
// nothing to make wrong (no float32 or float64 element that could change) returns "not implemented", so that
// no call that counts is correct: not one case may pass.
//
// The build renames the reference's diopiX to good_diopiX. Each diopiX here is an indirect function, whose
// address is that of the template's instance with diopiX's own signature.
#include <type_traits>

#include "client/testing/vendors/spoil.h"

extern "C" decltype(diopiTopk) good_diopiTopk;

namespace {

using diopi::testing::Inputs;
using diopi::testing::Outputs;
using diopi::testing::Spoil;

template <typename Arg>
void Collect(Arg arg, Inputs* inputs, Outputs* outputs) {
  if constexpr (std::is_same_v<Arg, diopiConstTensorHandle_t>) {
    inputs->push_back(arg);
  } else if constexpr (std::is_same_v<Arg, diopiTensorHandle_t>) {
    outputs->push_back(arg);
  }
}

template <typename Call>
diopiError_t CallSpoilt(const Call& call, const Inputs& inputs, const Outputs& outputs) {
  const Spoil spoil = diopi::testing::SpoilFromEnvironment();
  bool spoilt = true;
  diopiError_t error = diopiSuccess;
  if (spoil == Spoil::kComputedOff) {
    const diopi::testing::InputsKept kept(inputs);
    spoilt = diopi::testing::ScaleInputs(inputs, 1e-6);
    error = call();
  } else {
    error = call();
    if (error != diopiSuccess) return error;
    if (spoil == Spoil::kInputOff) spoilt = diopi::testing::ScaleInputs(inputs, 1e-6);
    if (spoil == Spoil::kInputDoubled) spoilt = diopi::testing::DoubleSome(inputs);
    if (spoil == Spoil::kOutputDoubled) spoilt = diopi::testing::DoubleSome({outputs.begin(), outputs.end()});
    if (spoil == Spoil::kOutputNan) spoilt = diopi::testing::MakeOneNan(outputs);
  }
  return error == diopiSuccess && !spoilt ? diopiNoImplement : error;
}

// Only where the order is specified and visible.
diopiError_t TopkReversed(diopiContextHandle_t ctx, diopiTensorHandle_t values, diopiTensorHandle_t indices,
                          diopiConstTensorHandle_t input, int64_t k, int64_t dim, bool largest, bool sorted) {
  const diopiError_t error = good_diopiTopk(ctx, values, indices, input, k, dim, largest, sorted);
  if (error != diopiSuccess) return error;
  const bool changed = diopi::testing::Reverse(values, dim);
  diopi::testing::Reverse(indices, dim);
  return changed && sorted ? diopiSuccess : diopiNoImplement;
}

template <auto kFunction>
struct FunctionTag {};

template <typename Signature>
struct Spoiler;

template <typename... Args>
struct Spoiler<diopiError_t(Args...)> {
  template <diopiError_t (*kGood)(Args...)>
  static diopiError_t Call(Args... args) {
    if constexpr (std::is_same_v<FunctionTag<kGood>, FunctionTag<&good_diopiTopk>>) {
      if (diopi::testing::SpoilFromEnvironment() == Spoil::kTopkReversed) return TopkReversed(args...);
    }
    Inputs inputs;
    Outputs outputs;
    (Collect<Args>(args, &inputs, &outputs), ...);
    return CallSpoilt([&] { return kGood(args...); }, inputs, outputs);
  }
};

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): names that are declared stand in no parentheses.
#define EACH(name)                                       \
  extern "C" decltype(name) good_##name;                 \
  extern "C" decltype(&name) resolve_##name() {          \
    return &Spoiler<decltype(name)>::Call<&good_##name>; \
  }                                                      \
  extern "C" decltype(name) name __attribute__((ifunc("resolve_" #name)));
// NOLINTEND(bugprone-macro-parentheses)
#include "case_functions.inc"
