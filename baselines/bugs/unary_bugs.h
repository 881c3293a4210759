// Injected bugs of every function in a DIOPI_UNARY line (baselines/ops/elementwise/unary.h), made from that
// line: the build compiles the files with such lines once more with this header before them. Each function
// becomes good_diopiX, which corrupts the reference's reference_diopiX when one of its switches is on, and
// diopiX, unless a bug of the function's own overrides that.
#ifndef BASELINES_BUGS_UNARY_BUGS_H_
#define BASELINES_BUGS_UNARY_BUGS_H_

#include <cctype>
#include <optional>
#include <string>

#include "baselines/bugs/support.h"

// Before unary.h, which otherwise defines the functions themselves. Gradients have no bugs of this kind.
#define DIOPI_UNARY(Name, Kind, ...)                                                    \
  DIOPI_UNARY_FORMULA(Name##Of, (const C& x), __VA_ARGS__)                              \
  static const ::diopi::bugs::UnaryBugs Name##Bugs(#Name, ::diopi::bugs::kExact##Kind); \
  DIOPI_UNDER_OVERRIDE(diopi##Name, Name##Bugs, Name##Of)                               \
  DIOPI_UNDER_OVERRIDE(diopi##Name##Inp, Name##Bugs, Name##Of)
#define DIOPI_UNARY_GRAD(Name, ...)
#define DIOPI_UNARY_INPUT_GRAD(Name, ...)

#include "baselines/ops/elementwise/unary.h"

namespace diopi::bugs {

// Whether results of this kind are representable, so that no rounding changes them.
inline constexpr bool kExactFloatUnary = false, kExactNumericUnary = true, kExactAnyUnary = true,
                      kExactAnySign = true;

// The switches of one function.
class UnaryBugs {
 public:
  UnaryBugs(const char* name, bool exact)
      : tail_stale_(Named(name, "_tail_stale").c_str(), 1, Functions(name).c_str(), "",
                    "elements after the last whole vector of four are never written"),
        strides_ignored_(Named(name, "_strides_ignored").c_str(), 53, Functions(name, false).c_str(), "",
                         "the input is read as if it were contiguous") {
    if (exact) return;
    bf16_truncated_.emplace(Named(name, "_bf16_truncated").c_str(), 5, Functions(name).c_str(), "",
                            "bfloat16 results are truncated instead of rounded");
  }

  // The reference's function, corrupted. formula(x) is in double.
  template <typename Args, typename Formula>
  void Apply(Args a, diopiError_t (*reference)(const Args&), const Formula& formula) const {
    const diopiTensorHandle_t out = ops::OutOf(a);
    if constexpr (requires { a.out; }) {
      if (strides_ignored_) a.input = ReadWithoutStrides(a.ctx, a.input);
    }
    std::vector<double> exact;
    if (bf16_truncated_ && *bf16_truncated_ && IsBfloat16(out)) exact = Load<double>(Tensor(a.input));
    const std::vector<unsigned char> tail = tail_stale_ ? Tail(out) : std::vector<unsigned char>();
    OrFail(reference(a));
    if (!exact.empty()) {
      Change(out, [&](double y, int64_t i) {
        return std::isfinite(y) ? TruncatedTo(diopi_dtype_bfloat16, formula(exact[static_cast<size_t>(i)]))
                                : y;
      });
    }
    if (!tail.empty()) Restore(out, tail);
  }

 private:
  static std::string Named(const char* name, const char* bug) {
    std::string snake;
    for (const char* c = name; *c != '\0'; ++c) {
      if (std::isupper(static_cast<unsigned char>(*c)) != 0 && c != name) snake += '_';
      snake += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    }
    return snake + bug;
  }
  static std::string Functions(const char* name, bool in_place = true) {
    const std::string function = std::string("diopi") + name;
    return in_place ? function + " " + function + "Inp" : function;
  }

  static int64_t TailStart(diopiConstTensorHandle_t out) { return NumElements(out) / 4 * 4; }
  static std::vector<unsigned char> Tail(diopiTensorHandle_t out) {
    std::vector<unsigned char> bytes;
    for (int64_t i = TailStart(out); i < NumElements(out); ++i) {
      const unsigned char* element = ElementAt(out, i);
      bytes.insert(bytes.end(), element, element + BytesPerElement(out));
    }
    return bytes;
  }
  static void Restore(diopiTensorHandle_t out, const std::vector<unsigned char>& tail) {
    const auto size = static_cast<size_t>(BytesPerElement(out));
    for (size_t i = 0; i * size < tail.size(); ++i) {
      std::memcpy(ElementAt(out, TailStart(out) + static_cast<int64_t>(i)), tail.data() + i * size, size);
    }
  }

  injected::Switch tail_stale_, strides_ignored_;
  std::optional<injected::Switch> bf16_truncated_;
};

}  // namespace diopi::bugs

#define DIOPI_UNDER_OVERRIDE(function, bugs, formula)                                   \
  extern "C" diopiError_t reference_##function(DIOPI_PARAMETERS_##function);            \
  static diopiError_t Reference(const function##Args& args) {                           \
    const auto& [DIOPI_ARGUMENTS_##function] = args;                                    \
    return reference_##function(DIOPI_ARGUMENTS_##function);                            \
  }                                                                                     \
  static void function##Corrupted(function##Args a) {                                   \
    (bugs).Apply(a, Reference, formula());                                              \
  }                                                                                     \
  extern "C" diopiError_t good_##function(DIOPI_PARAMETERS_##function);                 \
  extern "C" diopiError_t good_##function(DIOPI_PARAMETERS_##function) {                \
    return ::diopi::injected::Run(#function, function##Corrupted,                       \
                                  function##Args{DIOPI_ARGUMENTS_##function});          \
  }                                                                                     \
  extern "C" __attribute__((weak)) diopiError_t function(DIOPI_PARAMETERS_##function) { \
    return good_##function(DIOPI_ARGUMENTS_##function);                                 \
  }

#endif  // BASELINES_BUGS_UNARY_BUGS_H_
