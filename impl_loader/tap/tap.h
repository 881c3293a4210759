// The tap's own state: the vendor's library, and the tools where a setting asks for one.
#ifndef IMPL_LOADER_TAP_TAP_H_
#define IMPL_LOADER_TAP_TAP_H_

#include "impl_loader/tap/interface.h"

namespace diopi::tap {

// Loads the library that DIOPI_TAP_IMPL names and, where the settings ask for a tool, the tools. The first
// caller does it, others wait; never throws. Problems are lines on standard error.
void Start();

// After Start: a symbol of the vendor's library; null when it has none, or was not loaded.
void* LibrarySymbol(const char* name);

// After Start: null when no tool is on.
const TapTools* Tools();

// Defined beside the entry points: called once, by Start, to decide where each of them leads.
void SetTargets();

}  // namespace diopi::tap

#endif  // IMPL_LOADER_TAP_TAP_H_
