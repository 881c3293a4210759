// The speed of filling the inputs of large cases (block_fill.h) beside memcpy, in bytes per second of one
// core.
//
//   build/tools/fill_bench
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string>

#include "cases/base/layout.h"
#include "cases/fill/block_fill.h"
#include "cases/fill/fill.h"

namespace diopi {
namespace {

constexpr int64_t kBytes = int64_t{256} << 20;

v1::Case CaseOf(Dtype dtype, uint32_t version, int64_t bytes) {
  v1::Case c;
  c.set_operator_("bench");
  c.set_dtype(dtype);
  c.set_generator_version(version);
  v1::Argument* arg = c.add_args();
  arg->set_name("input");
  arg->set_role(v1::ROLE_INPUT);
  arg->mutable_tensor()->set_dtype(dtype);
  arg->mutable_tensor()->add_shape(bytes / ElementSize(dtype));
  (void)ApplyLayout(v1::Layout(), arg->mutable_tensor());
  return c;
}

// Allocation included, as memcpy's below.
void Fill(benchmark::State& state, Dtype dtype, uint32_t version, int64_t bytes) {
  const v1::Case c = CaseOf(dtype, version, bytes);
  for (auto _ : state) benchmark::DoNotOptimize(FillInputs(c));
  state.SetBytesProcessed(state.iterations() * bytes);
}

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// As the worker fills a library's tensor: into memory that is there, but with a new pool each time. Before
// each pass as many bytes are copied by memcpy. Counters: bytes a second of the fastest pass, of the fastest
// copy, and their ratio, all in processor time, which other processes disturb little. What fits into the
// caches is copied faster, and the pool costs the same at every size.
void FillInPlace(benchmark::State& state, Dtype dtype) {
  const int64_t bytes = state.range(0) << 20;
  const v1::Case c = CaseOf(dtype, kBlockGeneratorVersion, bytes);
  const std::string from(static_cast<size_t>(bytes), 'x');
  std::string to(static_cast<size_t>(bytes), '\0');
  double copying = 1e9;
  double filling = 1e9;
  for (auto _ : state) {
    const double start = ProcessorSeconds();
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to);
    const double copied = ProcessorSeconds();
    const absl::StatusOr<BlockInputs> inputs = OpenBlockInputs(c);
    if (!inputs.ok() || inputs->empty()) return state.SkipWithError("the input is not filled in blocks");
    inputs->begin()->second->Write(0, bytes, to.data());
    benchmark::DoNotOptimize(to);
    const double seconds = ProcessorSeconds() - copied;
    copying = std::min(copying, copied - start);
    filling = std::min(filling, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["bytes/s"] = static_cast<double>(bytes) / filling;
  state.counters["memcpy_bytes/s"] = static_cast<double>(bytes) / copying;
  state.counters["of_memcpy"] = copying / filling;
}

void CopyToNewMemory(benchmark::State& state) {
  const std::string from(static_cast<size_t>(kBytes), 'x');
  for (auto _ : state) {
    std::string to(from.size(), '\0');
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to);
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}

void Copy(benchmark::State& state) {
  const std::string from(static_cast<size_t>(kBytes), 'x');
  std::string to(from.size(), '\0');
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to);
  }
  state.SetBytesProcessed(state.iterations() * kBytes);
}

BENCHMARK(Copy);
BENCHMARK(CopyToNewMemory);
BENCHMARK_CAPTURE(Fill, blocks_float32, v1::Dtype::float32, kBlockGeneratorVersion, kBytes);
BENCHMARK_CAPTURE(Fill, blocks_bfloat16, v1::Dtype::bfloat16, kBlockGeneratorVersion, kBytes);
BENCHMARK_CAPTURE(Fill, blocks_int64, v1::Dtype::int64, kBlockGeneratorVersion, kBytes);
BENCHMARK_CAPTURE(FillInPlace, float32, v1::Dtype::float32)
    ->RangeMultiplier(4)
    ->Range(1, 256)
    ->UseManualTime();
BENCHMARK_CAPTURE(FillInPlace, bfloat16, v1::Dtype::bfloat16)
    ->RangeMultiplier(4)
    ->Range(1, 256)
    ->UseManualTime();
BENCHMARK_CAPTURE(FillInPlace, int64, v1::Dtype::int64)->RangeMultiplier(4)->Range(1, 256)->UseManualTime();
BENCHMARK_CAPTURE(Fill, ordinary_float32, v1::Dtype::float32, kGeneratorVersion, kBytes / 16);

}  // namespace
}  // namespace diopi

BENCHMARK_MAIN();
