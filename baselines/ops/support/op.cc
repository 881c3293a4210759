#include "baselines/ops/support/op.h"

#include <cstdio>
#include <exception>
#include <utility>

namespace diopi::ops {
namespace {

// The ABI's last-error string is state of the calling thread by its contract. A plain array: nothing to
// destroy when a thread ends after the library was unloaded.
thread_local char last_error[1024] = "";

void SetLastError(const char* function, const char* text) noexcept {
  std::snprintf(last_error, sizeof(last_error), "%s: %s", function, text);
}

}  // namespace

void FailWith(diopiError_t code, std::string text) {
  throw Failure{code, std::move(text)};
}

diopiError_t Report(const char* function, const Failure& failure) noexcept {
  if (!failure.text.empty()) SetLastError(function, failure.text.c_str());
  return failure.code;
}

diopiError_t RunGuarded(const char* function, void (*body)(void*), void* argument) noexcept {
  try {
    body(argument);
    return diopiSuccess;
  } catch (const Failure& failure) {
    return Report(function, failure);
  } catch (const std::exception& error) {  // out of memory
    SetLastError(function, error.what());
    return diopiErrorOccurred;
  } catch (...) {
    SetLastError(function, "unknown failure");
    return diopiErrorOccurred;
  }
}

const char* LastErrorText() noexcept {
  return last_error;
}

}  // namespace diopi::ops
