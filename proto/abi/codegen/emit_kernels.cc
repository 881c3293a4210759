// Writes the header that kernels include: per function, its arguments as a struct, and the two lists that
// DIOPI_KERNEL (baselines/ops/support/op.h) needs to define the C function.
#include <string_view>

#include "proto/abi/codegen/emit.h"

namespace diopi::abi {
namespace {

constexpr char kKernelsPrologue[] = R"(// Written by the build from proto/abi; do not edit.
//
// For each function: diopiXArgs, its arguments by the ABI's names; DIOPI_PARAMETERS_diopiX, its parameter list;
// DIOPI_ARGUMENTS_diopiX, the parameters' names. Missing() returns the name of the first tensor or scalar that is
// null although the ABI does not allow it, or null if there is none.
#ifndef DIOPI_KERNELS_H_
#define DIOPI_KERNELS_H_

)";

// Whether Missing() checks it. An array may be null where its count is 0, and a string has a default.
bool IsChecked(const Param& param) {
  const Kind kind = param.kind();
  return !param.nullable() &&
         (kind == TENSOR || kind == CONST_TENSOR || kind == TENSOR_POINTER || kind == SCALAR_POINTER);
}

std::string Missing(const Function& function) {
  std::string text = "  const char* Missing() const { return ";
  for (const Param& param : function.param()) {
    if (IsChecked(param)) text += param.name() + " == nullptr ? \"" + param.name() + "\" : ";
  }
  return text + "nullptr; }\n";
}

std::string Kernel(const Function& function) {
  std::string fields, parameters, names;
  std::string_view separator;
  for (const Param& param : function.param()) {
    const std::string declared = param.c_type() + " " + param.name();
    fields += "  " + declared + ";\n";
    parameters.append(separator).append(declared);
    names.append(separator).append(param.name());
    separator = ", ";
  }
  return "struct " + function.name() + "Args {\n" + fields + Missing(function) + "};\n" +
         "#define DIOPI_PARAMETERS_" + function.name() + " " + parameters + "\n#define DIOPI_ARGUMENTS_" +
         function.name() + " " + names + "\n\n";
}

}  // namespace

std::string KernelHeader(const Abi& abi) {
  std::string text = kKernelsPrologue;
  for (const Header& header : abi.operators()) text += "#include <diopi/" + header.file() + ">\n";
  text += "\n";
  for (const Header& header : abi.operators()) {
    for (const Function& function : header.function()) text += Kernel(function);
  }
  return text + "#endif  // DIOPI_KERNELS_H_\n";
}

}  // namespace diopi::abi
