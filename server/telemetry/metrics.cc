#include "server/telemetry/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <utility>

#include "absl/base/thread_annotations.h"

namespace diopi::server {
namespace {

// A lookup takes microseconds, a lease of large cases seconds.
const prometheus::Histogram::BucketBoundaries& CallBuckets() {
  static const auto* const buckets = new prometheus::Histogram::BucketBoundaries{
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
  return *buckets;
}

// The range covers fast disks and disks that stall.
const prometheus::Histogram::BucketBoundaries& AppendBuckets() {
  static const auto* const buckets = new prometheus::Histogram::BucketBoundaries{
      0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5};
  return *buckets;
}

prometheus::Counter& AddCounter(prometheus::Registry* registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(*registry).Add({});
}

// Samples of one name next to each other, as the format asks for.
std::vector<prometheus::MetricFamily> FamiliesOf(const std::vector<Sample>& samples) {
  std::map<std::string, prometheus::MetricFamily> by_name;
  for (const Sample& sample : samples) {
    prometheus::MetricFamily& family = by_name[sample.name];
    family.name = sample.name;
    family.help = sample.help;
    const bool counter = sample.kind == Sample::Kind::kCounter;
    family.type = counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
    prometheus::ClientMetric& metric = family.metric.emplace_back();
    for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
    (counter ? metric.counter.value : metric.gauge.value) = sample.value;
  }
  std::vector<prometheus::MetricFamily> families;
  families.reserve(by_name.size());
  for (auto& [unused, family] : by_name) families.push_back(std::move(family));
  return families;
}

}  // namespace

struct Metrics::State {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Histogram>& calls = prometheus::BuildHistogram()
                                                         .Name("diopi_rpc_seconds")
                                                         .Help("Calls answered, by method and status code.")
                                                         .Register(registry);
  prometheus::Family<prometheus::Counter>& verdicts = prometheus::BuildCounter()
                                                          .Name("diopi_verdicts_total")
                                                          .Help("Verdicts stored, by chip and outcome.")
                                                          .Register(registry);
  prometheus::Counter& leased =
      AddCounter(&registry, "diopi_cases_leased_total", "Cases handed out to agents.");
  prometheus::Counter& reported =
      AddCounter(&registry, "diopi_cases_reported_total", "Verdicts received, including duplicates.");
  prometheus::Counter& duplicates = AddCounter(&registry, "diopi_cases_duplicate_total",
                                               "Verdicts received for cases that already had one.");
  prometheus::Counter& expired = AddCounter(&registry, "diopi_cases_expired_total",
                                            "Cases given back because their lease was not renewed.");
  prometheus::Counter& streamed =
      AddCounter(&registry, "diopi_streamed_bytes_total", "Bytes of tensors streamed to agents.");
  prometheus::Histogram& appends = prometheus::BuildHistogram()
                                       .Name("diopi_database_append_seconds")
                                       .Help("Transactions that stored verdicts.")
                                       .Register(registry)
                                       .Add({}, AppendBuckets());
  std::mutex mutex;
  std::vector<std::function<std::vector<Sample>()>> sources ABSL_GUARDED_BY(mutex);
};

Metrics::Metrics(const std::string& version) : state_(std::make_unique<State>()) {
  AddSource([version] {
    return std::vector<Sample>{
        {"diopi_build_info", "The program that answers.", Sample::Kind::kGauge, {{"version", version}}, 1}};
  });
  AddSource(ProcessSamples);
}

Metrics::~Metrics() = default;

void Metrics::Call(std::string_view method, std::string_view code, absl::Duration took) {
  state_->calls.Add({{"method", std::string(method)}, {"code", std::string(code)}}, CallBuckets())
      .Observe(absl::ToDoubleSeconds(took));
}

void Metrics::Leased(size_t cases) {
  state_->leased.Increment(static_cast<double>(cases));
}

void Metrics::Reported(size_t stored, size_t duplicates) {
  state_->reported.Increment(static_cast<double>(stored + duplicates));
  state_->duplicates.Increment(static_cast<double>(duplicates));
}

void Metrics::Verdict(std::string_view chip, std::string_view outcome, size_t count) {
  state_->verdicts.Add({{"chip", std::string(chip)}, {"outcome", std::string(outcome)}})
      .Increment(static_cast<double>(count));
}

void Metrics::Expired(size_t cases) {
  state_->expired.Increment(static_cast<double>(cases));
}

void Metrics::Streamed(size_t bytes) {
  state_->streamed.Increment(static_cast<double>(bytes));
}

void Metrics::Appended(absl::Duration took) {
  state_->appends.Observe(absl::ToDoubleSeconds(took));
}

void Metrics::AddSource(std::function<std::vector<Sample>()> source) {
  const std::lock_guard lock(state_->mutex);
  state_->sources.push_back(std::move(source));
}

std::string Metrics::Text() const {
  std::vector<Sample> samples;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& source : state_->sources) {
      for (Sample& sample : source()) samples.push_back(std::move(sample));
    }
  }
  std::vector<prometheus::MetricFamily> families = state_->registry.Collect();
  for (prometheus::MetricFamily& family : FamiliesOf(samples)) families.push_back(std::move(family));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace diopi::server
