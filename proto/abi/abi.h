// The ABI's signatures at run time, from the textproto beside this file (embedded by the build).
#ifndef PROTO_ABI_ABI_H_
#define PROTO_ABI_ABI_H_

#include <string>
#include <string_view>
#include <vector>

#include "proto/abi/schema/abi.pb.h"

namespace diopi::abi {

// All operator functions, in header order: 538. Immutable, built on first use, thread-safe.
const std::vector<const Function*>& Functions();

// An operator function by name; null when the ABI has no such function.
const Function* FindFunction(std::string_view name);

// What the host provides (diopiGetTensorData, ...), what a library may provide for devices
// (device_malloc, ...), and diopiGetVendorName and similar functions.
const std::vector<const Function*>& RuntimeFunctions();
const std::vector<const Function*>& DeviceFunctions();
const std::vector<const Function*>& MetaFunctions();

// "functions.h" for diopiAdd; empty when unknown.
std::string_view HeaderOf(std::string_view function);

// The parameter of that name, or null.
const Param* FindParam(const Function& function, std::string_view name);

}  // namespace diopi::abi

#endif  // PROTO_ABI_ABI_H_
