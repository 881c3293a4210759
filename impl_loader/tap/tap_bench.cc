// What a call through an idle tap costs: diopiAdd of a library that does nothing, called directly and through
// libdiopi_tap.so. Prints both in nanoseconds; `run bench tap` compares their difference with its aim.
// usage: tap_bench TAP LIBRARY
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using Relu = int32_t (*)(void* context, void* out, const void* input);

// The least time of several rounds: what disturbs a round only adds to it.
double Nanoseconds(Relu function) {
  constexpr int kRounds = 20;
  constexpr int kCalls = 1'000'000;
  std::array<double, kRounds> rounds{};
  for (double& round : rounds) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) function(nullptr, nullptr, nullptr);
    round =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / kCalls;
  }
  return *std::min_element(rounds.begin(), rounds.end());
}

Relu Open(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* symbol = handle == nullptr ? nullptr : dlsym(handle, "diopiRelu");
  if (symbol == nullptr) {
    std::fprintf(stderr, "tap_bench: %s\n", dlerror());
    std::exit(2);
  }
  return reinterpret_cast<Relu>(symbol);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tap_bench TAP LIBRARY\n");
    return 2;
  }
  setenv("DIOPI_TAP_IMPL", argv[2], 1);
  const double direct = Nanoseconds(Open(argv[2]));
  const double tapped = Nanoseconds(Open(argv[1]));
  std::printf("%.2f %.2f\n", direct, tapped);
  return 0;
}
