// The speed of filling the inputs of large cases (block_fill.h) beside memcpy, in bytes per second of one
// core.
//
//   build/tools/fill_bench
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "cases/base/layout.h"
#include "cases/core/block_fill.h"
#include "cases/core/fill.h"

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

// As the worker fills a library's tensor: into memory that is there, but with a new pool each time.
void FillInPlace(benchmark::State& state, Dtype dtype, int64_t bytes) {
  const v1::Case c = CaseOf(dtype, kBlockGeneratorVersion, bytes);
  std::string to(static_cast<size_t>(bytes), '\0');
  for (auto _ : state) {
    const absl::StatusOr<BlockInputs> inputs = OpenBlockInputs(c);
    if (!inputs.ok() || inputs->empty()) return state.SkipWithError("the input is not filled in blocks");
    inputs->begin()->second->Write(0, bytes, to.data());
    benchmark::DoNotOptimize(to);
  }
  state.SetBytesProcessed(state.iterations() * bytes);
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
BENCHMARK_CAPTURE(FillInPlace, float32, v1::Dtype::float32, kBytes);
BENCHMARK_CAPTURE(FillInPlace, float32_16_MiB, v1::Dtype::float32, kBytes / 16);
BENCHMARK_CAPTURE(FillInPlace, bfloat16, v1::Dtype::bfloat16, kBytes);
BENCHMARK_CAPTURE(Fill, ordinary_float32, v1::Dtype::float32, kGeneratorVersion, kBytes / 16);

}  // namespace
}  // namespace diopi

BENCHMARK_MAIN();
