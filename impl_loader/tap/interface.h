// What libdiopi_tap.so and its tools (baselines/tap, libdiopi_tap_tools.so) hand each other. Both are built
// together, and nobody else uses it. Plain data, so that neither side needs the other's C++ libraries.
#ifndef IMPL_LOADER_TAP_INTERFACE_H_
#define IMPL_LOADER_TAP_INTERFACE_H_

#include <cstdint>

namespace diopi::tap {

// A call, as an entry point received it.
struct Call {
  int index = 0;                     // of the function in abi::Functions()
  void* const* arguments = nullptr;  // a pointer to each argument, the context's first
  void* function = nullptr;          // the library's; null: it has none
  // Calls a function of this signature with the arguments and returns its diopiError_t.
  int32_t (*invoke)(void* function, void* const* arguments) = nullptr;
};

// What the tap gives its tools. Valid until the process ends. Thread-safe.
struct TapHost {
  // A setting's value, from the environment or the file DIOPI_TAP_CONFIG; null: not set.
  const char* (*setting)(const char* name) = nullptr;
  // A function of the host, as libdiopi_tap.so sees it; null: the host has none.
  void* (*host_symbol)(const char* name) = nullptr;
  const char* library = nullptr;  // the path of the vendor's library
  const char* folder = nullptr;   // of libdiopi_tap.so
};

// What the tools give the tap. Valid until the process ends. Thread-safe.
struct TapTools {
  // Whether `intercept` gets the calls of this function. Asked once for each, before any call.
  bool (*watches)(int index) = nullptr;
  // Makes the call, or answers it, and returns its diopiError_t. Never throws anything but what the library
  // threw.
  int32_t (*intercept)(const Call* call) = nullptr;
};

// The only symbol of libdiopi_tap_tools.so. Null, after a message on standard error, when the settings ask
// for nothing that can be done: all calls are then forwarded.
inline constexpr char kToolsSymbol[] = "diopiTapTools";
using ToolsFunction = const TapTools* (*)(const TapHost*);

// The settings that turn a tool on. Without any of them the tools are not loaded.
inline constexpr const char* kToolSettings[] = {"OP_CAPTURE_LIST",
                                                "OP_CAPTURE_DISABLE_LIST",
                                                "OP_FALLBACK_LIST",
                                                "OP_FALLBACK_DISABLE_LIST",
                                                "DIPU_FORCE_FALLBACK_OPS_LIST",
                                                "OP_AUTOCOMPARE_LIST",
                                                "OP_AUTOCOMPARE_DISABLE_LIST",
                                                "DIPU_AUTOCOMPARE_OPS_LIST",
                                                "OP_TIME_MEASURE_LIST",
                                                "OP_TIME_MEASURE_DISABLE_LIST",
                                                "DIPU_DUMP_OP_ARGS",
                                                "DIOPI_TAP_TRACE",
                                                "DIOPI_TAP_MEMORY",
                                                "DIOPI_TAP_CALLED"};

}  // namespace diopi::tap

#endif  // IMPL_LOADER_TAP_INTERFACE_H_
