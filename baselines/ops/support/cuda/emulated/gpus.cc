#include "baselines/ops/support/cuda/emulated/gpus.h"

#include <cstdint>

#include "baselines/ops/support/op.h"

namespace diopi::ops::cuda {
namespace {

struct Gpu {
  const char* name;
  const char* full_name;
  int sm;               // compute capability 9.0: 900
  int processors;       // multiprocessors
  int sm_mhz, mem_mhz;  // highest clocks
  int64_t memory, l2;   // bytes
  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": blocks and threads of a
  // multiprocessor, KiB of shared memory that a block may ask for.
  int blocks, threads, shared_kib;
};

// Multiprocessors, memory, caches: NVIDIA's architecture whitepapers (Turing, A100, GA102, Ada, Hopper,
// Blackwell) and data sheets; clocks and the exact bytes as cudaGetDeviceProperties is published to report
// them (deviceQuery outputs, OpenXLA's target_config/specs). Heuristics depend on them, not what engines
// exist.
constexpr int64_t kMiB = 1 << 20, kGiB = 1 << 30;
constexpr Gpu kGpus[] = {
    {"T4", "Tesla T4", 750, 40, 1590, 5001, 15843721216, 4 * kMiB, 16, 1024, 64},
    {"A100", "NVIDIA A100-SXM4-40GB", 800, 108, 1410, 1215, 42331013120, 40 * kMiB, 32, 2048, 163},
    {"A10", "NVIDIA A10", 860, 72, 1695, 6251, 24 * kGiB, 6 * kMiB, 16, 1536, 99},
    {"L40S", "NVIDIA L40S", 890, 142, 2520, 9001, 48 * kGiB, 96 * kMiB, 24, 1536, 99},
    {"H200", "NVIDIA H200", 900, 132, 1980, 3201, 151397597184, 60 * kMiB, 32, 2048, 227},
    {"B200", "NVIDIA B200", 1000, 148, 1965, 3996, 191514411008, 132644864, 32, 2048, 227},
};

std::string Properties(const Gpu& g) {
  return Text(R"({"cudaDeviceId":0,"deviceVer":)", g.sm, R"(,"driverVer":13000,"totalGlobalMem":)", g.memory,
              R"(,"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536)",
              R"(,"multiProcessorCount":)", g.processors,
              R"(,"warpSize":32,"maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":)",
              g.shared_kib * 1024, R"(,"reservedSharedMemoryPerBlock":)", g.sm >= 800 ? 1024 : 0,
              R"(,"maxRegistersPerSM":65536,"maxCtasPerSM":)", g.blocks,
              R"(,"maxThreadsPerBlock":1024,"maxThreadsPerSM":)", g.threads,
              R"(,"pciDeviceId":0,"isTccDriver":0,"supportCoopLaunch":1,"smClockRateKHz":)", g.sm_mhz * 1000,
              R"(,"memClockRateKHz":)", g.mem_mhz * 1000, R"(,"l2CacheSize":)", g.l2, R"(,"deviceName":")",
              g.full_name, R"("})");
}

}  // namespace

std::vector<std::string> GpuNames() {
  std::vector<std::string> names;
  for (const Gpu& gpu : kGpus) names.emplace_back(gpu.name);
  return names;
}

std::string GpuProperties(const std::string& name) {
  std::string known;
  for (const Gpu& gpu : kGpus) {
    if (gpu.name == name) return Properties(gpu);
    known += std::string(known.empty() ? "" : ", ") + gpu.name;
  }
  Fail("DIOPI_CUDA_PLAN_FOR: no GPU '", name, "' is known; expected one of ", known);
}

}  // namespace diopi::ops::cuda
