// How fast the pointwise rule and the exact comparison stream: ./compare_bench
#include <benchmark/benchmark.h>

#include <cstring>

#include "baselines/compare/pointwise.h"
#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

void Pointwise(benchmark::State& state, Dtype dtype) {
  const int64_t n = 1 << 20;
  std::vector<double> r(n);
  for (int64_t i = 0; i < n; ++i) r[static_cast<size_t>(i)] = 1 + 1e-6 * static_cast<double>(i);
  const HostTensor actual = Row(dtype, r);
  const HostTensor oracle = Row(v1::Dtype::float64, r);
  const HostTensor sigma = Row(v1::Dtype::float32, std::vector<double>(n, 1e-8));
  const OracleView view{oracle.data.data(), sigma.data.data(), sigma.dtype, nullptr};
  const PointwiseRule rule = RuleFor(dtype, 0);
  for (auto _ : state) benchmark::DoNotOptimize(TallyPointwise(actual, view, rule));
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK_CAPTURE(Pointwise, float32, v1::Dtype::float32);
BENCHMARK_CAPTURE(Pointwise, float16, v1::Dtype::float16);
BENCHMARK_CAPTURE(Pointwise, bfloat16, v1::Dtype::bfloat16);
BENCHMARK_CAPTURE(Pointwise, float64, v1::Dtype::float64);

void Whole(benchmark::State& state, v1::Judge::Kind kind, int64_t n) {
  const std::vector<double> r(static_cast<size_t>(n), 1.5);
  const v1::Case c = OneOutput(v1::Dtype::float32, kind);
  TensorMap references = Oracle({n}, r, std::vector<double>(r.size(), 1e-8));
  if (kind == v1::Judge::EXACT) references = {{"out", Row(v1::Dtype::float32, r)}};
  const TensorMap actual = {{"out", Row(v1::Dtype::float32, r)}};
  for (auto _ : state) benchmark::DoNotOptimize(CompareCase(c, {}, references, actual));
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK_CAPTURE(Whole, exact_1M, v1::Judge::EXACT, 1 << 20);
BENCHMARK_CAPTURE(Whole, exact_100, v1::Judge::EXACT, 100);
BENCHMARK_CAPTURE(Whole, noise_100, v1::Judge::MATH, 100);

}  // namespace
}  // namespace diopi::baselines

BENCHMARK_MAIN();
