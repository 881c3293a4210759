// What every ABI function starts with: errors inside become the ABI's error codes and the last-error string.
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
  std::string text;
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

diopiError_t RunGuarded(const char* function, void (*body)(void*), void* argument) noexcept;

// return Guard(__func__, [&] { ... }): runs the body; a failure sets the last-error string to
// "diopiAdd: what was wrong" and gives its code. Nothing is thrown out of it.
template <typename Body>
diopiError_t Guard(const char* function, Body&& body) noexcept {
  using Plain = std::remove_reference_t<Body>;
  return RunGuarded(
      function, [](void* b) { (*static_cast<Plain*>(b))(); }, &body);
}

// The text that diopiGetLastErrorString returns: this thread's last failure.
const char* LastErrorText() noexcept;

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_OP_H_
