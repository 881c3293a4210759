// libdiopi_tap_tools.so: what libdiopi_tap.so loads where a setting asks for a tool.
#include <cstdio>
#include <cstdlib>

#include "baselines/tap/toolbox.h"
#include "impl_loader/tap/interface.h"

namespace diopi::tap {
namespace {

// One tap per process calls diopiTapTools once. Never destroyed: calls may come until the process ends.
Toolbox* g_toolbox = nullptr;

constexpr TapTools kTools = {[](int index) { return g_toolbox->Watches(index); },
                             [](const Call* call) { return g_toolbox->Intercept(*call); }};

const TapTools* Start(const TapHost& host) {
  absl::StatusOr<std::unique_ptr<Toolbox>> toolbox = Toolbox::Make(host);
  if (!toolbox.ok()) {
    std::fprintf(stderr, "diopi_tap: calls are only forwarded: %s\n",
                 std::string(toolbox.status().message()).c_str());
    return nullptr;
  }
  if (*toolbox == nullptr) return nullptr;
  g_toolbox = toolbox->release();
  std::atexit([] { g_toolbox->Finish(); });
  return &kTools;
}

}  // namespace
}  // namespace diopi::tap

extern "C" __attribute__((visibility("default"))) const diopi::tap::TapTools* diopiTapTools(
    const diopi::tap::TapHost* host) {
  return diopi::tap::Start(*host);
}
