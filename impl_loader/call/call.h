// Calls an ABI function by its signature, through libffi.
#ifndef IMPL_LOADER_CALL_CALL_H_
#define IMPL_LOADER_CALL_CALL_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "diopi/diopirt.h"
#include "proto/abi/abi.h"

namespace diopi::loader {

// One argument as the ABI passes it. Pointers are not owned and must outlive the call.
struct ArgNull {};  // null handle or pointer
using ArgValue = std::variant<ArgNull,
                              int64_t,       // INT, INT32, INT64, enums
                              double,        // FLOAT, DOUBLE
                              bool,          // BOOL
                              void*,         // every handle and pointer, arrays included
                              diopiSize_t>;  // SIZE by value

struct CallResult {
  enum class Kind { kReturned, kException };
  Kind kind = Kind::kReturned;
  int32_t error_code = 0;  // diopiError_t
  std::string exception;   // its text and type
};

// Calls `symbol`, which must have the signature `function`, with `context` first and then `args` (one for
// each further parameter, in order). A C++ exception that leaves the library is caught and reported.
// InvalidArgument, naming the parameter, when an argument does not fit its kind; the call is then not made.
// Thread-safe.
absl::StatusOr<CallResult> CallFunction(void* symbol, const abi::Function& function,
                                        diopiContextHandle_t context, const std::vector<ArgValue>& args);

// "diopiErrorOccurred": the ABI's name of an error code; the number of a code without a name.
std::string ErrorName(int32_t code);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALL_CALL_H_
