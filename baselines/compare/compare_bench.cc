// How fast the pointwise rule and the exact comparison stream: ./compare_bench
//
// Pointwise: 16 Mi elements, far more than any cache holds, on one thread. Before every pass the same bytes
// are copied by memcpy. Counters: bytes read a second by the fastest pass, bytes a second of the fastest
// copy, and their ratio. Measures processor time, which other processes disturb little.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <random>

#include "baselines/compare/pointwise_kernel.h"
#include "baselines/compare/testing.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

// What the device may have returned.
enum class Scene {
  kRounded,   // r rounded: nothing but the last rounding is wrong
  kNoisy,     // off by a sigma of 30 units in the last place, as after a long sum
  kExact,     // r itself is a number of the dtype: no error at all
  kSpecials,  // one element in 64 is NaN or Inf, as it should be
  kMasked,    // every other element is -Inf, as it should be
  kWrong,     // every element is far off
  kNan,       // every element is NaN and should not be
  kOverflow,  // every element is Inf and should not be: the slowest there is, judged one by one
};

struct Columns {
  HostTensor actual, r, sigma;
};

// One element of a scene.
struct Drawn {
  double y, r, sigma;
};

Drawn Draw(Scene scene, const FloatFormat& format, int64_t i, std::mt19937_64& bits) {
  std::normal_distribution<double> normal;
  const double r = normal(bits);
  const double ulp = std::ldexp(std::fabs(r), 1 - format.precision);
  switch (scene) {
    case Scene::kRounded:
      return {r, r, 0.25 * ulp};
    case Scene::kNoisy:
      return {r + 30 * ulp * normal(bits), r, 30 * ulp};
    case Scene::kExact:
      return {std::ldexp(1, static_cast<int>(i % 8)), std::ldexp(1, static_cast<int>(i % 8)), 0};
    case Scene::kSpecials:
      if (i % 64 == 0) return {NAN, NAN, 0};
      return {r, r, 0.25 * ulp};
    case Scene::kMasked:
      if (i % 2 == 0) return {-INFINITY, -INFINITY, 0};
      return {r, r, 0.25 * ulp};
    case Scene::kWrong:
      return {1.5 * r, r, 0.25 * ulp};
    case Scene::kNan:
      return {NAN, r, 0.25 * ulp};
    case Scene::kOverflow:
      return {INFINITY, r, 0.25 * ulp};
  }
  return {};
}

// 16 Mi elements: a stretch of them again and again.
Columns Make(Scene scene, Dtype dtype) {
  constexpr int64_t kDrawn = 1 << 18;
  constexpr int64_t kTimes = 64;
  const FloatFormat format = FormatOf(dtype);
  std::mt19937_64 bits(1);
  std::vector<double> y, r, sigma;
  for (int64_t i = 0; i < kDrawn; ++i) {
    const Drawn drawn = Draw(scene, format, i, bits);
    y.push_back(drawn.y);
    r.push_back(drawn.r);
    sigma.push_back(drawn.sigma);
  }
  Columns columns{Row(dtype, y), Row(D::float64, r), Row(D::float32, sigma)};
  for (HostTensor* tensor : {&columns.actual, &columns.r, &columns.sigma}) {
    std::string all;
    all.reserve(tensor->data.size() * kTimes);
    for (int64_t i = 0; i < kTimes; ++i) all += tensor->data;
    tensor->data = std::move(all);
    tensor->shape = {kDrawn * kTimes};
  }
  return columns;
}

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Work>
double SecondsOf(Work work) {
  const double start = ProcessorSeconds();
  work();
  return ProcessorSeconds() - start;
}

void Pointwise(benchmark::State& state, Dtype dtype, Scene scene) {
  const Columns columns = Make(scene, dtype);
  const OracleView view{columns.r.data.data(), columns.sigma.data.data(), columns.sigma.dtype, nullptr};
  const PointwiseRule rule = RuleFor(dtype, 0);
  std::vector<std::pair<const std::string*, std::string>> copies;
  double bytes = 0;
  for (const HostTensor* tensor : {&columns.actual, &columns.r, &columns.sigma}) {
    copies.emplace_back(&tensor->data, std::string(tensor->data.size(), 'x'));
    bytes += static_cast<double>(tensor->data.size());
  }
  double copying = INFINITY;
  double comparing = INFINITY;
  for (auto _ : state) {
    copying = std::min(copying, SecondsOf([&] {
                         for (auto& [from, to] : copies) {
                           std::memcpy(to.data(), from->data(), to.size());
                           benchmark::DoNotOptimize(to.data());
                           benchmark::ClobberMemory();
                         }
                       }));
    const double seconds =
        SecondsOf([&] { benchmark::DoNotOptimize(TallyPointwise(columns.actual, view, rule)); });
    comparing = std::min(comparing, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["elements/s"] = static_cast<double>(columns.actual.shape[0]) / comparing;
  state.counters["bytes/s"] = bytes / comparing;
  state.counters["memcpy_bytes/s"] = bytes / copying;
  state.counters["of_memcpy"] = copying / comparing;
}

void Register(const std::string& name, Dtype dtype, Scene scene, const std::string& instruction_set = "") {
  benchmark::RegisterBenchmark(("Pointwise/" + name).c_str(),
                               [=](benchmark::State& state) {
                                 UseInstructionSet(instruction_set);
                                 Pointwise(state, dtype, scene);
                                 UseInstructionSet("");
                               })
      ->UseManualTime()
      ->Iterations(15)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void RegisterPointwise() {
  Register("float32", D::float32, Scene::kRounded);
  Register("float16", D::float16, Scene::kRounded);
  Register("bfloat16", D::bfloat16, Scene::kRounded);
  Register("float64", D::float64, Scene::kRounded);
  Register("float32_noisy", D::float32, Scene::kNoisy);
  Register("float32_exact", D::float32, Scene::kExact);
  Register("float32_specials", D::float32, Scene::kSpecials);
  Register("float32_masked", D::float32, Scene::kMasked);
  Register("float32_wrong", D::float32, Scene::kWrong);
  Register("float32_nan", D::float32, Scene::kNan);
  Register("float32_overflow", D::float32, Scene::kOverflow);
  for (const std::string& name : InstructionSets()) {
    Register("float32_" + name, D::float32, Scene::kRounded, name);
  }
}

namespace {

void Whole(benchmark::State& state, v1::Judge::Kind kind, int64_t n) {
  const std::vector<double> r(static_cast<size_t>(n), 1.5);
  const v1::Case c = OneOutput(D::float32, kind);
  TensorMap references = Oracle({n}, r, std::vector<double>(r.size(), 1e-8));
  if (kind == v1::Judge::EXACT) references = {{"out", Row(D::float32, r)}};
  const TensorMap actual = {{"out", Row(D::float32, r)}};
  for (auto _ : state) benchmark::DoNotOptimize(CompareCase(c, {}, references, actual));
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK_CAPTURE(Whole, exact_1M, v1::Judge::EXACT, 1 << 20);
BENCHMARK_CAPTURE(Whole, exact_100, v1::Judge::EXACT, 100);
BENCHMARK_CAPTURE(Whole, noise_1M, v1::Judge::MATH, 1 << 20);
BENCHMARK_CAPTURE(Whole, noise_100, v1::Judge::MATH, 100);

}  // namespace
}  // namespace diopi::baselines

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  diopi::baselines::RegisterPointwise();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
