// Writes the list from which libdiopi_tap.so makes its entry points (impl_loader/tap).
#include "proto/abi/codegen/emit.h"

namespace diopi::abi {

std::string EntryList(const Abi& abi) {
  std::string text =
      "// Written by the build from proto/abi; do not edit. DIOPI_ENTRY(index, function) for every operator\n"
      "// function, in header order, which is the order of abi::Functions().\n";
  int index = 0;
  for (const Header& header : abi.operators()) {
    for (const Function& function : header.function()) {
      text += "DIOPI_ENTRY(" + std::to_string(index++) + ", " + function.name() + ")\n";
    }
  }
  return text;
}

}  // namespace diopi::abi
