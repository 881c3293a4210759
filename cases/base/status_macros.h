// Two macros for the commonest step of a function that returns absl::Status or absl::StatusOr<T>: it ends
// with the error of a step that failed.
//
//   RETURN_IF_ERROR(Write(path));
//   ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
//
// A declaration whose type contains a comma needs auto. The second macro declares a variable, so it cannot be
// the body of an `if` without braces.
#ifndef CASES_BASE_STATUS_MACROS_H_
#define CASES_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define DIOPI_JOINED_(a, b) a##b
#define DIOPI_JOIN_(a, b) DIOPI_JOINED_(a, b)

#define RETURN_IF_ERROR(...) RETURN_IF_ERROR_(DIOPI_JOIN_(status_, __LINE__), __VA_ARGS__)
#define RETURN_IF_ERROR_(status, ...)    \
  do {                                   \
    absl::Status status = (__VA_ARGS__); \
    if (!status.ok()) return status;     \
  } while (false)

#define ASSIGN_OR_RETURN(declaration, ...) \
  ASSIGN_OR_RETURN_(DIOPI_JOIN_(result_, __LINE__), declaration, __VA_ARGS__)
#define ASSIGN_OR_RETURN_(result, declaration, ...)    \
  auto result = (__VA_ARGS__);                         \
  if (!result.ok()) return std::move(result).status(); \
  declaration = *std::move(result)

#endif  // CASES_BASE_STATUS_MACROS_H_
