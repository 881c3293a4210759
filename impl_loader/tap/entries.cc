// The entry points of all 538 functions, from the list that the build writes.
//
// Each is one atomic load and a jump. At first the target starts the tap; afterwards it is the vendor's own
// function, or one that says "not implemented" where the library has none, or, for a function that a tool
// watches, one that gathers pointers to the arguments for the tools.
#include <atomic>
#include <cstddef>
#include <utility>

#include "impl_loader/tap/tap.h"
#include "proto/abi/kernels.h"

namespace diopi::tap {
namespace {

using AnyFunction = void (*)();

constexpr int kFunctions = 0
#define DIOPI_ENTRY(index, name) +1
#include "proto/abi/entries.inc"
#undef DIOPI_ENTRY
    ;

extern std::atomic<AnyFunction> g_targets[kFunctions];
extern AnyFunction g_library[kFunctions];  // written by Start, before any target is

// What the entry points of one function need, from its type.
template <int kIndex, typename Function>
struct Entry;

template <int kIndex, typename... P>
struct Entry<kIndex, diopiError_t (*)(P...)> {
  using Function = diopiError_t (*)(P...);

  static Function Target() {
    return reinterpret_cast<Function>(g_targets[kIndex].load(std::memory_order_acquire));
  }
  static diopiError_t First(P... arguments) {
    Start();
    return Target()(arguments...);
  }
  static diopiError_t Missing(P... /*arguments*/) { return diopiNoImplement; }
  static diopiError_t Watched(P... arguments) {
    void* const pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
    const Call call{kIndex, pointers, reinterpret_cast<void*>(g_library[kIndex]), &Invoke};
    return static_cast<diopiError_t>(Tools()->intercept(&call));
  }
  static int32_t Invoke(void* function, void* const* pointers) {
    return Spread(reinterpret_cast<Function>(function), pointers, std::index_sequence_for<P...>());
  }
  template <size_t... kPosition>
  static int32_t Spread(Function function, void* const* pointers, std::index_sequence<kPosition...> /*all*/) {
    return function(*static_cast<P*>(pointers[kPosition])...);
  }
};

#define DIOPI_ENTRY(index, name) reinterpret_cast<AnyFunction>(&Entry<index, decltype(&name)>::First),
std::atomic<AnyFunction> g_targets[kFunctions] = {
#include "proto/abi/entries.inc"
};
#undef DIOPI_ENTRY
AnyFunction g_library[kFunctions] = {};

struct Choice {
  const char* name;
  AnyFunction missing;
  AnyFunction watched;
};
const Choice kChoices[kFunctions] = {
#define DIOPI_ENTRY(index, name)                                                  \
  {#name, reinterpret_cast<AnyFunction>(&Entry<index, decltype(&name)>::Missing), \
   reinterpret_cast<AnyFunction>(&Entry<index, decltype(&name)>::Watched)},
#include "proto/abi/entries.inc"
#undef DIOPI_ENTRY
};

}  // namespace

void SetTargets() {
  for (int i = 0; i < kFunctions; ++i) {
    const Choice& choice = kChoices[i];
    g_library[i] = reinterpret_cast<AnyFunction>(LibrarySymbol(choice.name));
    AnyFunction target = g_library[i] == nullptr ? choice.missing : g_library[i];
    if (Tools() != nullptr && Tools()->watches(i)) target = choice.watched;
    g_targets[i].store(target, std::memory_order_release);
  }
}

}  // namespace diopi::tap

#define DIOPI_ENTRY(index, name)                                                                 \
  extern "C" __attribute__((visibility("default"))) diopiError_t name(DIOPI_PARAMETERS_##name) { \
    return diopi::tap::Entry<index, decltype(&name)>::Target()(DIOPI_ARGUMENTS_##name);          \
  }
#include "proto/abi/entries.inc"
#undef DIOPI_ENTRY

// What a library says about itself. Hosts print it, so the tap forwards it too; a library without the
// function says nothing.
#define DIOPI_ENTRY(name)                                                                      \
  extern "C" __attribute__((visibility("default"))) const char* name() {                       \
    diopi::tap::Start();                                                                       \
    const auto function = reinterpret_cast<decltype(&name)>(diopi::tap::LibrarySymbol(#name)); \
    return function == nullptr ? "" : function();                                              \
  }
DIOPI_ENTRY(diopiGetVendorName)
DIOPI_ENTRY(diopiGetImplVersion)
DIOPI_ENTRY(diopiGetLastErrorString)
#undef DIOPI_ENTRY
