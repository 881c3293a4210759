// A figure that would be false is absent: a run with too much machine noise has none, a call whose record
// contradicts itself has none, and a step has no time unless all of its calls were measured, because parts
// have no total. The roofline is raised to what the device reached in this run, so no share exceeds 1; a
// specification that a call exceeds is reported as too low.
#include "reports/performance/performance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"

namespace diopi::reports {
namespace {

constexpr double kNoisePercentile = 0.9;
constexpr size_t kRoundsToOneDisturbed = 3;
constexpr double kDisturbed = 1.5;
constexpr double kTenTo12 = 1e12;
constexpr double kTenTo9 = 1e9;

template <typename Values>
std::vector<double> Microseconds(const Values& ns) {
  std::vector<double> us;
  us.reserve(static_cast<size_t>(ns.size()));
  for (const uint64_t each : ns) us.push_back(static_cast<double>(each) * 1e-3);
  return us;
}

std::vector<double> ColdSamples(const v1::Measurement& measurement) {
  std::vector<double> samples;
  for (const v1::MeasuredRound& round : measurement.rounds()) {
    const std::vector<double> us = Microseconds(round.cold_ns());
    samples.insert(samples.end(), us.begin(), us.end());
  }
  return samples;
}

std::string KernelOrCase(const v1::Measurement& measurement) {
  return measurement.kernel().empty() ? measurement.case_id() : measurement.kernel();
}

double Bytes(const v1::Measurement& measurement) {
  return measurement.work().read_bytes() + measurement.work().written_bytes();
}

int64_t SamplesOf(const v1::MeasuredRound& round) {
  return int64_t{round.warm_ns_size()} + round.cold_ns_size();
}

// Why the figures of a measurement would be false; empty: they are not.
v1::Finding Unusable(const v1::Measurement& measurement, double noise) {
  for (const v1::MeasuredRound& round : measurement.rounds()) {
    if (round.disturbed() < 0 || round.disturbed() > SamplesOf(round)) {
      return Found(v1::Finding::SAMPLES_DISTURBED).Count(round.disturbed()).Of(SamplesOf(round));
    }
  }
  if (noise <= kNoiseLimit) return {};
  return Found(v1::Finding::ROUNDS_DIFFER)
      .Off(absl::StrFormat("%.2f", noise))
      .Limit(absl::StrFormat("%g", kNoiseLimit));
}

// Cold caches make no call faster: where the samples allow it, the median is at least the warm one.
std::optional<double> ColdMedian(const v1::Measurement& measurement, const MedianInterval& warm) {
  const MedianInterval cold = IntervalOfMedian(ColdSamples(measurement));
  if (cold.median <= 0 || cold.high < warm.low) return std::nullopt;
  return std::max(cold.median, warm.median);
}

// What the device needs at least for a call's work, in seconds; 0: unknown.
struct LeastTime {
  double moving = 0;
  double computing = 0;
  double seconds() const { return std::max(moving, computing); }
};

LeastTime LeastTimeOf(const v1::Measurement& measurement, const Roofline& roofline) {
  LeastTime least;
  if (roofline.bytes_per_s > 0) least.moving = Bytes(measurement) / roofline.bytes_per_s;
  const auto rate = roofline.operations_per_s.find(measurement.dtype());
  const double operations = measurement.work().operations();
  if (rate != roofline.operations_per_s.end() && rate->second > 0)
    least.computing = operations / rate->second;
  return least;
}

// Marks the calls that exceed a specification, raises the roofline to what calls reached, and sets their
// shares.
void PlaceBelow(Roofline* roofline, std::vector<CallFigures>* calls) {
  Roofline raised = *roofline;
  const v1::Measurement* best = nullptr;  // by bytes
  for (CallFigures& call : *calls) {
    if (!call.cold_us.has_value()) continue;
    const v1::Measurement& m = call.measurement;
    const double seconds = *call.cold_us * 1e-6;
    call.beyond_specification = roofline->specified && LeastTimeOf(m, *roofline).seconds() > seconds;
    if (roofline->bytes_per_s > 0 && Bytes(m) / seconds > raised.bytes_per_s) {
      raised.bytes_per_s = Bytes(m) / seconds;
      best = &m;
    }
    const auto rate = raised.operations_per_s.find(m.dtype());
    if (rate != raised.operations_per_s.end())
      rate->second = std::max(rate->second, m.work().operations() / seconds);
  }
  if (best != nullptr) {
    *raised.source.add_parts() = Found(v1::Finding::CALL_REACHES)
                                     .Name(best->function())
                                     .Got(absl::StrFormat("%.3g GB/s", raised.bytes_per_s / kTenTo9));
  }
  for (CallFigures& call : *calls) {
    if (!call.measured()) continue;
    const LeastTime least = LeastTimeOf(call.measurement, raised);
    call.memory_bound = least.moving >= least.computing;
    if (call.cold_us.has_value() && least.seconds() > 0)
      call.roofline_share = std::min(1.0, least.seconds() / (*call.cold_us * 1e-6));
  }
  *roofline = std::move(raised);
}

CallFigures FiguresOf(const v1::Measurement& measurement, double noise, const ReferenceTimes* reference) {
  CallFigures figures;
  figures.measurement = measurement;
  const v1::Finding refused = FoundOr(measurement.refused(), measurement.not_measured());
  if (refused.code() != v1::Finding::CODE_UNSPECIFIED) *figures.measurement.mutable_refused() = refused;
  if (const v1::Finding why = Unusable(measurement, noise); why.code() != v1::Finding::CODE_UNSPECIFIED) {
    if (!measurement.rounds().empty()) *figures.measurement.mutable_refused() = why;
    return figures;
  }
  if (reference != nullptr) {
    const auto found = reference->us.find(KernelOrCase(measurement));
    if (found != reference->us.end()) figures.reference_us = found->second;
  }
  for (const v1::MeasuredRound& round : measurement.rounds()) figures.disturbed += round.disturbed();
  figures.warm_us = IntervalOfMedian(WarmSamples(measurement));
  if (!figures.measured()) return figures;
  figures.cold_us = ColdMedian(measurement, figures.warm_us);
  const double bytes = Bytes(measurement);
  const double operations = measurement.work().operations();
  const double seconds = figures.warm_us.median * 1e-6;
  if (bytes > 0) figures.bytes_per_s = bytes / seconds;
  if (operations > 0) figures.operations_per_s = operations / seconds;
  return figures;
}

class StepTimes {
 public:
  explicit StepTimes(const std::vector<CallFigures>& calls) {
    for (const CallFigures& call : calls) figures_[call.measurement.case_id()] = &call;
  }

  absl::Status Visit(const cases::Model& model, const cases::ModelCall& call, const cases::CallCases& cases) {
    if (call.stage.empty()) {
      if (without_.empty() || without_.back() != model.name) without_.push_back(model.name);
      return absl::OkStatus();
    }
    Step& step = StepOf(model.name, call.stage);
    for (const v1::Case& c : cases.cases) {
      const auto found = figures_.find(c.id());
      const bool measured = found != figures_.end() && found->second->measured();
      if (step.seen.emplace(c.id(), true).second) {
        step.time.set_calls(step.time.calls() + 1);
        if (measured) step.time.set_measured(step.time.measured() + 1);
      }
      if (!measured) continue;
      const auto times = static_cast<double>(call.times);
      const MedianInterval& us = found->second->warm_us;
      step.time.set_us(step.time.us() + us.median * times);
      step.time.set_low_us(step.time.low_us() + us.low * times);
      step.time.set_high_us(step.time.high_us() + us.high * times);
      step.operators[c.operator_()] += us.median * times;
    }
    return absl::OkStatus();
  }

  void Finish(PerformanceReport* report) && {
    std::vector<v1::StepTotal>& times = report->steps;
    for (Step& step : steps_) {
      std::vector<std::pair<std::string, double>> parts;
      if (IsComplete(step.time)) {
        parts.assign(step.operators.begin(), step.operators.end());
      } else {
        step.time.set_us(0);
        step.time.set_low_us(0);
        step.time.set_high_us(0);
      }
      std::stable_sort(parts.begin(), parts.end(),
                       [](const auto& a, const auto& b) { return a.second > b.second; });
      for (const auto& [name, us] : parts) {
        v1::OperatorTime& part = *step.time.add_operators_us();
        part.set_operator_(name);
        part.set_us(us);
      }
      times.push_back(std::move(step.time));
    }
    report->without_steps = std::move(without_);
  }

 private:
  struct Step {
    v1::StepTotal time;
    std::map<std::string, double> operators;
    std::map<std::string, bool> seen;  // case ids
  };

  Step& StepOf(const std::string& model, const std::string& stage) {
    for (Step& step : steps_) {
      if (step.time.model() == model && step.time.stage() == stage) return step;
    }
    steps_.push_back({});
    steps_.back().time.set_model(model);
    steps_.back().time.set_stage(stage);
    return steps_.back();
  }

  std::map<std::string, const CallFigures*> figures_;
  std::vector<Step> steps_;
  std::vector<std::string> without_;  // models
};

}  // namespace

bool IsComplete(const v1::StepTotal& step) {
  return step.calls() > 0 && step.measured() == step.calls();
}

std::vector<double> WarmSamples(const v1::Measurement& measurement) {
  std::vector<double> samples;
  for (const v1::MeasuredRound& round : measurement.rounds()) {
    const std::vector<double> us = Microseconds(round.warm_ns());
    samples.insert(samples.end(), us.begin(), us.end());
  }
  return samples;
}

std::vector<double> RoundMedians(const v1::Measurement& measurement) {
  std::vector<double> medians;
  for (const v1::MeasuredRound& round : measurement.rounds()) {
    if (!round.warm_ns().empty()) medians.push_back(IntervalOfMedian(Microseconds(round.warm_ns())).median);
  }
  return medians;
}

std::vector<std::vector<double>> QuietRounds(const v1::Measurement& measurement) {
  std::vector<std::pair<double, std::vector<double>>> rounds;  // by median
  for (const v1::MeasuredRound& round : measurement.rounds()) {
    std::vector<double> samples = Microseconds(round.warm_ns());
    if (!samples.empty()) rounds.emplace_back(IntervalOfMedian(samples).median, std::move(samples));
  }
  std::sort(rounds.begin(), rounds.end());
  for (size_t most = rounds.size() / kRoundsToOneDisturbed; most > 0; --most) {
    if (rounds.back().first <= kDisturbed * rounds[rounds.size() - 1 - most].first) continue;
    rounds.resize(rounds.size() - most);
    break;
  }
  std::vector<std::vector<double>> quiet;
  quiet.reserve(rounds.size());
  for (auto& [median, samples] : rounds) quiet.push_back(std::move(samples));
  return quiet;
}

double NoiseOf(const std::vector<v1::Measurement>& measurements) {
  std::vector<double> ratios;
  for (const v1::Measurement& measurement : measurements) {
    const std::vector<std::vector<double>> rounds = QuietRounds(measurement);
    if (rounds.size() < 2) continue;
    const double low = IntervalOfMedian(rounds.front()).median;
    if (low > 0) ratios.push_back(IntervalOfMedian(rounds.back()).median / low);
  }
  if (ratios.empty()) return 1;
  std::sort(ratios.begin(), ratios.end());
  const auto rank = static_cast<size_t>(std::ceil(kNoisePercentile * static_cast<double>(ratios.size())));
  return ratios[std::max<size_t>(rank, 1) - 1];
}

Roofline MeasuredRoofline(const v1::MachineFacts& machine) {
  Roofline roofline;
  roofline.bytes_per_s = machine.copy_bytes_per_s();
  if (roofline.bytes_per_s > 0) {
    *roofline.source.add_parts() =
        Found(v1::Finding::COPY_REACHES).Got(absl::StrFormat("%.3g GB/s", roofline.bytes_per_s / kTenTo9));
  }
  for (const v1::MeasuredRate& rate : machine.products()) {
    roofline.operations_per_s[rate.dtype()] = rate.operations_per_s();
    *roofline.source.add_parts() = Found(v1::Finding::PRODUCT_REACHES)
                                       .Name(v1::Dtype::Code_Name(rate.dtype()))
                                       .Got(absl::StrFormat("%.3g Gop/s", rate.operations_per_s() / kTenTo9));
  }
  if (!roofline.source.parts().empty()) roofline.source.set_code(v1::Finding::MEASURED_BY);
  return roofline;
}

Roofline SpecRoofline(const v1::ChipSpec& spec) {
  Roofline roofline;
  roofline.bytes_per_s = spec.memory().bandwidth_gb_s() * kTenTo9;
  for (const v1::ComputeSpec& compute : spec.compute()) {
    v1::Dtype::Code dtype = v1::Dtype::unsupported;
    if (compute.sparse() || !v1::Dtype::Code_Parse(compute.dtype(), &dtype)) continue;
    roofline.operations_per_s[dtype] = compute.tera_ops() * kTenTo12;
  }
  roofline.source =
      Found(v1::Finding::SPECIFIED_BY).Name(spec.product().empty() ? spec.chip() : spec.product());
  roofline.specified = true;
  return roofline;
}

int64_t PerformanceReport::measured() const {
  return std::count_if(calls.begin(), calls.end(), [](const CallFigures& call) { return call.measured(); });
}

absl::StatusOr<PerformanceReport> MakePerformanceReport(const server::StoredPerformance& stored,
                                                        Roofline roofline, const ReferenceTimes* reference,
                                                        const cases::Catalog* catalog,
                                                        const std::string& suite) {
  PerformanceReport report;
  report.machine = stored.machine.value_or(v1::MachineFacts());
  if (reference != nullptr) report.reference = absl::StrCat(reference->device, " (", reference->source, ")");
  report.noise = NoiseOf(stored.measurements);
  for (const v1::Measurement& measurement : stored.measurements) {
    report.calls.push_back(FiguresOf(measurement, report.noise, reference));
    if (!report.calls.back().measured()) continue;
    report.disturbed += report.calls.back().disturbed;
    for (const v1::MeasuredRound& round : measurement.rounds()) {
      report.samples += SamplesOf(round);
      report.busy += round.other_work() >= kOtherWork ? 1 : 0;
      ++report.rounds;
    }
  }
  PlaceBelow(&roofline, &report.calls);
  report.roofline = std::move(roofline);
  std::stable_sort(report.calls.begin(), report.calls.end(), [](const CallFigures& a, const CallFigures& b) {
    return std::make_tuple(a.measurement.function(), a.measurement.dtype(), -a.warm_us.median) <
           std::make_tuple(b.measurement.function(), b.measurement.dtype(), -b.warm_us.median);
  });
  if (catalog == nullptr || !absl::StartsWith(suite, cases::kModelSuites)) return report;
  v1::Selection selection;
  selection.set_suite(suite);
  selection.set_max_tensor_bytes(std::numeric_limits<int64_t>::max());
  StepTimes steps(report.calls);
  absl::Status status = catalog->VisitModels(
      selection, [&steps](const cases::Model& model, const cases::ModelCall& call,
                          const cases::CallCases& cases) { return steps.Visit(model, call, cases); });
  if (!status.ok()) return status;
  std::move(steps).Finish(&report);
  return report;
}

ReferenceTimes TimesOfRun(const server::StoredPerformance& stored, const std::string& device) {
  ReferenceTimes times;
  times.device = device;
  if (NoiseOf(stored.measurements) > kNoiseLimit) return times;
  for (const v1::Measurement& measurement : stored.measurements) {
    const double median = IntervalOfMedian(WarmSamples(measurement)).median;
    if (median > 0) times.us[KernelOrCase(measurement)] = median;
  }
  return times;
}

}  // namespace diopi::reports
