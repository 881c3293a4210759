// Loads the vendor's library and the tools.
//
// The host loads the tap in place of the vendor's library, so the vendor's library is loaded by the tap. Its
// undefined symbols are the host's runtime functions. Where the host itself was loaded with RTLD_LOCAL, as a
// Python extension is, these are visible to the tap, which the host needs, but not to what the tap loads:
// then the host's library is made global first.
#include "impl_loader/tap/tap.h"

#include <dlfcn.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "impl_loader/tap/settings.h"

namespace diopi::tap {
namespace {

struct State {
  Settings settings;
  std::string library;
  std::string folder;
  void* handle = nullptr;
  TapHost host;
  const TapTools* tools = nullptr;
};

// Never destroyed: calls may come until the process ends.
State& TheState() {
  static auto* state = new State;
  return *state;
}

void LogLine(const std::string& text) {
  std::fprintf(stderr, "diopi_tap: %s\n", text.c_str());
}

const char* FindSetting(const char* name) {
  return TheState().settings.Find(name);
}

void* FindHostSymbol(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

// The folder of this library's file. A host may find it by a link, named as the vendor's library is.
std::string OwnFolder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&FindHostSymbol), &info) == 0 || info.dli_fname == nullptr) return ".";
  char* const real = realpath(info.dli_fname, nullptr);
  const std::string path = real == nullptr ? info.dli_fname : real;
  std::free(real);
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

void MakeHostGlobal() {
  Dl_info info;
  void* runtime = FindHostSymbol("diopiGetTensorData");
  if (runtime == nullptr || dladdr(runtime, &info) == 0 || info.dli_fname == nullptr) return;
  dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

void* OpenLibrary(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  MakeHostGlobal();
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

void LoadLibrary(State* state) {
  const char* path = state->settings.Find("DIOPI_TAP_IMPL");
  if (path == nullptr) {
    LogLine(
        "DIOPI_TAP_IMPL is not set; expected the path of the vendor's library. Every function reports that "
        "it is "
        "not implemented");
    return;
  }
  // Without a slash dlopen would search the library path, and could find the tap itself.
  state->library = std::string(path).find('/') == std::string::npos ? "./" + std::string(path) : path;
  void* handle = OpenLibrary(state->library);
  if (handle == nullptr) {
    const char* reason = dlerror();
    LogLine("DIOPI_TAP_IMPL cannot be loaded: " + std::string(reason == nullptr ? state->library : reason));
    return;
  }
  Dl_info own;
  Dl_info found;
  void* sample = dlsym(handle, "diopiAdd");
  const bool both = sample != nullptr && dladdr(sample, &found) != 0 &&
                    dladdr(reinterpret_cast<void*>(&FindHostSymbol), &own) != 0;
  if (both && own.dli_fbase == found.dli_fbase) {
    LogLine("DIOPI_TAP_IMPL names libdiopi_tap.so itself; expected the vendor's library");
    dlclose(handle);
    return;
  }
  state->handle = handle;
}

bool AsksForTool(const Settings& settings) {
  for (const char* name : kToolSettings) {
    if (settings.Find(name) != nullptr) return true;
  }
  return false;
}

// Our own programs have libraries in common with the tools that must not be in a process twice.
bool HostIsOurs() {
  Dl_info info;
  void* runtime = FindHostSymbol("diopiGetTensorData");
  if (runtime == nullptr || dladdr(runtime, &info) == 0 || info.dli_fname == nullptr) return false;
  return std::string(info.dli_fname).find("libdiopirt.so") != std::string::npos;
}

void LoadTools(State* state) {
  if (!AsksForTool(state->settings)) return;
  if (HostIsOurs()) {
    LogLine("the tools do not work in programs of diopi-conformance, so calls are only forwarded");
    return;
  }
  const std::string path = state->folder + "/libdiopi_tap_tools.so";
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    LogLine("the tools cannot be loaded, so calls are only forwarded: " +
            std::string(reason == nullptr ? path : reason));
    return;
  }
  const auto start = reinterpret_cast<ToolsFunction>(dlsym(handle, kToolsSymbol));
  if (start != nullptr) state->tools = start(&state->host);
}

void StartOnce() {
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler lasting;  // a host that unloads the tap leaves the state behind
#endif
  State& state = TheState();
  std::vector<std::string> problems;
  state.settings = Settings::Read(&problems);
  for (const std::string& problem : problems) LogLine(problem);
  state.folder = OwnFolder();
  LoadLibrary(&state);
  state.host = {&FindSetting, &FindHostSymbol, state.library.c_str(), state.folder.c_str()};
  if (state.handle != nullptr) LoadTools(&state);
  SetTargets();
}

}  // namespace

void Start() {
  static std::once_flag once;
  std::call_once(once, &StartOnce);
}

void* LibrarySymbol(const char* name) {
  void* handle = TheState().handle;
  return handle == nullptr ? nullptr : dlsym(handle, name);
}

const TapTools* Tools() {
  return TheState().tools;
}

}  // namespace diopi::tap
