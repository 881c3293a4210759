// Compiled into every library with switches; DIOPI_INJECTED_SWITCH names its environment variable.
#include "baselines/injected/injected.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace diopi::injected {
namespace {

std::string& Listing() {
  static std::string listing;
  return listing;
}

}  // namespace

Switch::Switch(const char* name, int catalogue, const char* functions, const char* contracts,
               const char* text) {
  const char* chosen = std::getenv(DIOPI_INJECTED_SWITCH);
  on_ = chosen != nullptr && std::strcmp(chosen, name) == 0;
  Listing() += std::string(name) + '\t' + std::to_string(catalogue) + '\t' + functions + '\t' + contracts +
               '\t' + text + '\n';
}

}  // namespace diopi::injected

extern "C" __attribute__((visibility("default"))) const char* diopiInjected() {
  return diopi::injected::Listing().c_str();
}
