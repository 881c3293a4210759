// How an ABI function is defined: DIOPI_KERNEL and DIOPI_FORMS make the C function around a kernel, check its
// arguments for null handles, and turn errors inside into the ABI's error codes and the last-error string.
//
//   DIOPI_KERNEL(diopiGather, a) {    // a: diopiGatherArgs, the arguments by the ABI's names
//     const Tensor out(a.out), x(a.input), index(a.index);
//     ...
//   }
//
//   template <typename Args>          // the forms of one operator: in place, with a scalar, ...
//   void Add(const Args& a) { ... }
//   DIOPI_FORMS(Add, diopiAdd, diopiAddInp, diopiAddScalar, diopiAddInpScalar)
#ifndef BASELINES_OPS_SUPPORT_OP_H_
#define BASELINES_OPS_SUPPORT_OP_H_

#include <sstream>
#include <string>
#include <type_traits>

#include "baselines/ops/support/abi.h"

namespace diopi::ops {

// Ends a function with an error. Private control flow of this library: thrown by Fail, caught by Guard,
// never seen by the host.
struct Failure {
  diopiError_t code;
  std::string text;  // empty: the last-error string stays as it is
};

template <typename... Parts>
std::string Text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

[[noreturn]] void FailWith(diopiError_t code, std::string text);

// diopiErrorOccurred with the text made of `parts`.
template <typename... Parts>
[[noreturn]] void Fail(const Parts&... parts) {
  FailWith(diopiErrorOccurred, Text(parts...));
}

template <typename... Parts>
[[noreturn]] void FailDtype(const Parts&... parts) {
  FailWith(diopiDtypeNotSupported, Text(parts...));
}

template <typename... Parts>
void Check(bool condition, const Parts&... parts) {
  if (!condition) Fail(parts...);
}

// The error code that a function returns after a failure, which it reports in the last-error string.
diopiError_t Report(const char* function, const Failure& failure) noexcept;

diopiError_t RunGuarded(const char* function, void (*body)(void*), void* argument) noexcept;

// return Guard(__func__, [&] { ... }): runs the body; a failure sets the last-error string to
// "diopiAdd: what was wrong" and gives its code. Nothing is thrown out of it.
template <typename Body>
diopiError_t Guard(const char* function, Body&& body) noexcept {
  using Plain = std::remove_reference_t<Body>;
  return RunGuarded(
      function, [](void* b) { (*static_cast<Plain*>(b))(); }, &body);
}

// An entry point: checks that no argument is null that must not be ("diopiAdd: argument 'other' is null"),
// then calls kernel(args) inside Guard.
template <typename Args, typename Kernel>
diopiError_t Enter(const char* function, const Args& args, Kernel kernel) noexcept {
  return Guard(function, [&] {
    const char* missing = args.Missing();
    Check(missing == nullptr, "argument '", missing == nullptr ? "" : missing, "' is null");
    kernel(args);
  });
}

// The output of an operator's form: `out`, or in place the input.
template <typename Args>
diopiTensorHandle_t OutOf(const Args& args) {
  if constexpr (requires { args.out; })
    return args.out;
  else
    return args.input;
}

// The text that diopiGetLastErrorString returns: this thread's last failure.
const char* LastErrorText() noexcept;

}  // namespace diopi::ops

// Defines the ABI function; the body of its kernel follows. `a`: the name of its arguments there.
// NOLINTBEGIN(bugprone-macro-parentheses): a name is no expression
#define DIOPI_KERNEL(function, a)                                                                        \
  static void function##Kernel(const function##Args&);                                                   \
  DIOPI_API diopiError_t function(DIOPI_PARAMETERS_##function) {                                         \
    return ::diopi::ops::Enter(#function, function##Args{DIOPI_ARGUMENTS_##function}, function##Kernel); \
  }                                                                                                      \
  static void function##Kernel(const function##Args& a)
// NOLINTEND(bugprone-macro-parentheses)

// Defines the ABI function, whose kernel is kernel(arguments).
#define DIOPI_FORM(kernel, function)                                                  \
  DIOPI_API diopiError_t function(DIOPI_PARAMETERS_##function) {                      \
    return ::diopi::ops::Enter(#function, function##Args{DIOPI_ARGUMENTS_##function}, \
                               [](const function##Args& a) { kernel(a); });           \
  }
// The same of up to eight functions.
#define DIOPI_FORMS(kernel, function, ...) \
  DIOPI_FORM(kernel, function) __VA_OPT__(DIOPI_FORMS_2(kernel, __VA_ARGS__))
#define DIOPI_FORMS_2(kernel, function, ...) \
  DIOPI_FORM(kernel, function) __VA_OPT__(DIOPI_FORMS_3(kernel, __VA_ARGS__))
#define DIOPI_FORMS_3(kernel, function, ...) \
  DIOPI_FORM(kernel, function) __VA_OPT__(DIOPI_FORMS_4(kernel, __VA_ARGS__))
#define DIOPI_FORMS_4(kernel, function, ...) \
  DIOPI_FORM(kernel, function) __VA_OPT__(DIOPI_FORMS_5(kernel, __VA_ARGS__))
#define DIOPI_FORMS_5(kernel, function, ...) \
  DIOPI_FORM(kernel, function) __VA_OPT__(DIOPI_FORMS_6(kernel, __VA_ARGS__))
#define DIOPI_FORMS_6(kernel, function, ...) \
  DIOPI_FORM(kernel, function) __VA_OPT__(DIOPI_FORMS_7(kernel, __VA_ARGS__))
#define DIOPI_FORMS_7(kernel, function, ...) \
  DIOPI_FORM(kernel, function) __VA_OPT__(DIOPI_FORMS_8(kernel, __VA_ARGS__))
#define DIOPI_FORMS_8(kernel, function) DIOPI_FORM(kernel, function)

#endif  // BASELINES_OPS_SUPPORT_OP_H_
