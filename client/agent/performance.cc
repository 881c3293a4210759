// The rounds go over all calls one after another, so that what changes slowly (clocks, neighbours on the
// machine) changes between the rounds of a call and shows as their difference, instead of shifting all
// samples of some calls.
#include "client/agent/performance.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "baselines/generate/generate.h"
#include "cases/base/status_macros.h"
#include "cases/core/case_builder.h"
#include "cases/core/kernel_key.h"
#include "cases/core/library_checks.h"
#include "cases/core/work.h"
#include "cases/findings/finding.h"
#include "client/agent/machine_state.h"
#include "client/profile/tensors.h"
#include "client/setup/largest.h"
#include "client/setup/timing_points.h"
#include "proto/enum_name.h"
#include "reports/performance/performance.h"

namespace diopi::agent {
namespace {

constexpr double kSampleSeconds = 0.002;  // short, so that few samples are disturbed
constexpr int kFewestSamples = 6;         // for an interval of 95 %
constexpr int kMostSamples = 40;
constexpr int kColdSamples = 3;
constexpr double kNarrow = 0.02;
// Most operations of the reference for the saved tensors of a call; it does about 1e9 a second.
constexpr double kMostReferenceOperations = 2e10;
// The share of a call's time in a round that one call may take, by the rates of the library's copy and
// products: a round makes about ten calls.
constexpr double kPointShare = 0.3;
constexpr size_t kShownTensors = 3;

const v1::OperatorFile* OperatorFor(const cases::Catalog& catalog, const v1::Case& c) {
  const v1::OperatorFile* any = nullptr;
  for (const v1::OperatorFile& op : catalog.operators()) {
    if (cases::FindRules(op, c.function()) == nullptr) continue;
    if (op.operator_() == c.operator_()) return &op;
    if (any == nullptr) any = &op;
  }
  return any;
}

double TensorBytes(const v1::Case& c) {
  double bytes = 0;
  for (const profile::CaseTensor& tensor : profile::TensorsOf(c)) {
    bytes += static_cast<double>(tensor.spec->storage_elements()) *
             static_cast<double>(ElementSize(tensor.spec->dtype()));
  }
  return bytes;
}

std::string BytesText(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return absl::StrFormat("%.4g %s", bytes, kUnits[unit]);
}

// The operations that the reference needs for the saved tensors of a call.
double ReferenceOperations(const cases::Catalog& catalog, const v1::Case& c) {
  double operations = 0;
  for (const v1::Case& producer : c.producers()) {
    const v1::OperatorFile* op = OperatorFor(catalog, producer);
    if (op != nullptr) operations += cases::WorkOf(*op, producer).value_or(v1::CallWork()).operations();
  }
  return operations;
}

int QuietCount(const v1::Measurement& measurement) {
  const auto& rounds = measurement.rounds();
  return static_cast<int>(std::count_if(rounds.begin(), rounds.end(), [](const v1::MeasuredRound& round) {
    return round.other_work() < reports::kOtherWork;
  }));
}

// Leaves the rounds with the least other work, in their order.
void KeepQuietest(int count, v1::Measurement* measurement) {
  while (measurement->rounds_size() > std::max(count, 1)) {
    const auto& rounds = measurement->rounds();
    const auto busiest = std::max_element(rounds.begin(), rounds.end(), [](const auto& a, const auto& b) {
      return a.other_work() < b.other_work();
    });
    measurement->mutable_rounds()->erase(busiest);
  }
}

std::string Shapes(const v1::Case& c) {
  std::vector<std::string> shapes;
  for (const profile::CaseTensor& tensor : profile::TensorsOf(c)) {
    if (tensor.argument->role() == v1::ROLE_OUTPUT) continue;
    if (shapes.size() == kShownTensors) break;
    const auto& shape = tensor.spec->shape();
    shapes.push_back(shape.empty() ? "scalar" : absl::StrJoin(shape, "x"));
  }
  return absl::StrJoin(shapes, " ");
}

// Why a call with this verdict has no time; empty: it has one.
v1::Finding Refusal(const v1::Verdict& verdict) {
  if (verdict.outcome() == v1::OUTCOME_PASS) return {};
  return Found(v1::Finding::CASE_FAILED).Name(verdict.case_id()).Got(EnumName(verdict.outcome()));
}

// The calls to measure of one operator's cases that pass.
void AddOperatorCalls(const cases::Catalog& catalog, const cases::Catalog& timing,
                      std::vector<v1::Case> passing, const PerformanceOptions& options,
                      std::vector<CallToMeasure>* calls) {
  const auto largest = static_cast<size_t>(options.largest);
  std::map<std::pair<std::string, int>, CallToMeasure> judged;  // the largest of a function and dtype
  for (const v1::Case& c : LargestCases(passing, 1)) {
    judged[{c.function(), static_cast<int>(c.dtype())}] = {{}, c.id(), c.hash(), {}};
  }
  std::vector<v1::Case> points;
  for (const v1::OperatorFile& op : timing.operators()) {
    if (passing.empty() || op.operator_() != passing[0].operator_()) continue;
    absl::StatusOr<std::vector<v1::Case>> expanded = cases::Expand(op, op.operator_());
    if (!expanded.ok()) continue;  // timing_points_test expands them all
    for (v1::Case& c : *expanded) {
      const bool fits = TensorBytes(c) <= static_cast<double>(options.max_bytes) &&
                        ReferenceOperations(catalog, c) <= kMostReferenceOperations;
      if (fits && judged.contains({c.function(), static_cast<int>(c.dtype())}))
        points.push_back(std::move(c));
    }
  }
  for (v1::Case& c : LargestCases(std::move(passing), largest)) {
    const std::string id = c.id(), hash = c.hash();
    calls->push_back({std::move(c), id, hash, {}});
  }
  for (v1::Case& c : LargestCases(std::move(points), largest)) {
    const CallToMeasure& of = judged.at({c.function(), static_cast<int>(c.dtype())});
    calls->push_back({std::move(c), of.judged_case, of.judged_hash, {}, /*is_point=*/true});
  }
}

// Each distinct call of the selected models, beside the case of the run that it was scaled to.
absl::StatusOr<std::vector<CallToMeasure>> ModelCalls(const cases::Catalog& catalog,
                                                      v1::Selection selection) {
  std::vector<std::pair<std::string, std::string>> judged;  // id and hash, in the order of the calls
  const auto remember = [&](const cases::Model&, const cases::ModelCall&, const cases::CallCases& call) {
    for (const v1::Case& c : call.cases) judged.emplace_back(c.id(), c.hash());
    return absl::OkStatus();
  };
  absl::Status status = catalog.VisitModels(selection, remember);
  if (!status.ok()) return status;
  selection.set_max_tensor_bytes(std::numeric_limits<int64_t>::max());
  std::vector<CallToMeasure> calls;
  std::set<std::string> seen;
  size_t next = 0;
  status = catalog.VisitModels(selection,
                               [&](const cases::Model&, const cases::ModelCall&, cases::CallCases call) {
                                 for (v1::Case& c : call.cases) {
                                   if (next == judged.size())
                                     return absl::InternalError("a call has other cases at its true size");
                                   const auto& [id, hash] = judged[next++];
                                   if (!seen.insert(c.id()).second) continue;
                                   calls.push_back({std::move(c), id, hash, {}});
                                 }
                                 return absl::OkStatus();
                               });
  if (!status.ok()) return status;
  return calls;
}

}  // namespace

absl::StatusOr<std::vector<CallToMeasure>> CallsToMeasure(const cases::Catalog& catalog,
                                                          const v1::Selection& selection,
                                                          const std::map<std::string, v1::Verdict>& verdicts,
                                                          const PerformanceOptions& options) {
  std::vector<CallToMeasure> calls;
  if (absl::StartsWith(selection.suite(), cases::kModelSuites)) {
    absl::StatusOr<std::vector<CallToMeasure>> of_models = ModelCalls(catalog, selection);
    if (!of_models.ok()) return of_models;
    calls = *std::move(of_models);
  } else {
    ASSIGN_OR_RETURN(const std::unique_ptr<cases::Catalog> timing, LoadTimingPoints());
    absl::Status status = catalog.VisitOperators(selection, [&](std::vector<v1::Case> cases) {
      std::erase_if(cases, [&](const v1::Case& c) {
        const auto found = verdicts.find(c.id());
        return found == verdicts.end() || found->second.outcome() != v1::OUTCOME_PASS;
      });
      AddOperatorCalls(catalog, *timing, std::move(cases), options, &calls);
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
  }
  std::erase_if(calls, [&](const CallToMeasure& call) { return !verdicts.contains(call.judged_case); });
  for (CallToMeasure& call : calls) {
    call.refused = Refusal(verdicts.at(call.judged_case));
    const double bytes = TensorBytes(call.c);
    const auto most = static_cast<double>(options.max_bytes);
    if (call.refused.code() == v1::Finding::CODE_UNSPECIFIED && bytes > most)
      call.refused = Found(v1::Finding::TENSORS_TAKE).Got(BytesText(bytes)).Limit(BytesText(most));
  }
  return calls;
}

// A call with its inputs.
struct PerformanceTest::Prepared {
  v1::Case c;
  TensorMap inputs;
  loader::CallOptions call;
};

v1::Measurement PerformanceTest::Describe(const CallToMeasure& call) const {
  v1::Measurement measurement;
  measurement.set_case_id(call.c.id());
  measurement.set_case_hash(call.c.hash());
  measurement.set_judged_case(call.judged_case);
  measurement.set_judged_hash(call.judged_hash);
  measurement.set_function(call.c.function());
  measurement.set_operator_(call.c.operator_());
  measurement.set_dtype(call.c.dtype());
  measurement.set_shapes(Shapes(call.c));
  measurement.set_kernel(cases::KernelKey(call.c));
  if (call.refused.code() != v1::Finding::CODE_UNSPECIFIED) *measurement.mutable_refused() = call.refused;
  const v1::OperatorFile* op = OperatorFor(catalog_, call.c);
  if (op == nullptr) return measurement;
  const absl::StatusOr<v1::CallWork> work = cases::WorkOf(*op, call.c);
  if (work.ok()) *measurement.mutable_work() = *work;
  return measurement;
}

absl::Status PerformanceTest::Prepare(const CallToMeasure& call, Prepared* prepared) {
  const double operations = ReferenceOperations(catalog_, call.c);
  if (operations > kMostReferenceOperations) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("its saved tensors need %.1e operations of the reference, more than %.0e", operations,
                        kMostReferenceOperations));
  }
  ASSIGN_OR_RETURN(baselines::Baseline baseline, baselines::GenerateInputs(*oracle_, call.c));
  prepared->c = std::move(baseline.c);
  prepared->inputs = std::move(baseline.inputs);
  ASSIGN_OR_RETURN(prepared->call, judge_->Prepare(prepared->c, &prepared->inputs));
  return absl::OkStatus();
}

absl::StatusOr<v1::TimeReply> PerformanceTest::Time(const Prepared& prepared, int cold_samples) {
  loader::CallOptions options = prepared.call;
  options.timeout = std::max(options.timeout, options_.timeout);
  v1::TimeCall& time = options.time.emplace();
  time.set_warmup(2);
  time.set_fewest_samples(kFewestSamples);
  time.set_most_samples(kMostSamples);
  time.set_most_calls(1000);
  time.set_sample_seconds(kSampleSeconds);
  time.set_seconds(options_.seconds);
  time.set_relative_interval(kNarrow);
  time.set_cold_samples(cold_samples);
  RETURN_IF_ERROR(worker_->Submit(prepared.c, prepared.inputs, options));
  loader::CallOutcome outcome = worker_->Wait();
  if (outcome.kind != loader::CallOutcome::Kind::kReplied) return absl::AbortedError(outcome.Text());
  if (!outcome.reply.has_time()) return absl::AbortedError(outcome.reply.text());
  return std::move(*outcome.reply.mutable_time());
}

void PerformanceTest::Measure(const CallToMeasure& call, int cold_samples, v1::Measurement* measurement) {
  Prepared prepared;
  absl::Status status = Prepare(call, &prepared);
  const OtherWork other_work(worker_->pid());
  absl::StatusOr<v1::TimeReply> time = status.ok() ? Time(prepared, cold_samples) : status;
  if (!time.ok()) {
    measurement->clear_rounds();
    *measurement->mutable_refused() = Found(v1::Finding::SAID).Said(std::string(time.status().message()));
    return;
  }
  if (measurement->rounds().empty()) measurement->set_first_us(static_cast<double>(time->first_ns()) * 1e-3);
  const double submit_us = static_cast<double>(time->submit_ns()) * 1e-3;
  const bool first = measurement->rounds().empty();
  measurement->set_submit_us(first ? submit_us : std::min(submit_us, measurement->submit_us()));
  measurement->set_device_clock(time->device_clock());
  measurement->set_calls(time->calls());
  measurement->set_late(measurement->late() + time->late());
  v1::MeasuredRound* round = measurement->add_rounds();
  round->mutable_warm_ns()->Swap(time->mutable_warm_ns());
  round->mutable_cold_ns()->Swap(time->mutable_cold_ns());
  round->set_disturbed(time->disturbed());
  round->set_other_work(other_work.Processors(worker_->pid()));
}

double PerformanceTest::TimeLine(const std::string& line, v1::CallWork* work) {
  const absl::StatusOr<cases::Model> model = cases::ParseModel({"machine", line});
  if (!model.ok() || model->calls.size() != 1) return 0;
  const v1::OperatorFile* op = cases::OperatorOf(model->calls[0], catalog_.operators());
  if (op == nullptr) return 0;
  const absl::StatusOr<cases::CallCases> call =
      cases::BuildCall(*op, model->calls[0], std::numeric_limits<int64_t>::max());
  if (!call.ok() || call->cases.empty()) return 0;
  const absl::StatusOr<v1::CallWork> known = cases::WorkOf(*op, call->cases[0]);
  if (known.ok()) *work = *known;
  v1::Measurement measurement;
  Measure({call->cases[0], "", "", {}}, /*cold_samples=*/0, &measurement);
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (const v1::MeasuredRound& round : measurement.rounds()) {
    for (const uint64_t ns : round.warm_ns()) least = std::min(least, std::max<uint64_t>(ns, 1));
  }
  return measurement.rounds().empty() ? 0 : static_cast<double>(least) * 1e-9;
}

std::vector<PerformanceTest::Rate> PerformanceTest::MeasureRates(
    int64_t size, int64_t largest, int64_t factor, const std::function<std::string(int64_t)>& call,
    double (*amount)(const v1::CallWork&)) {
  std::vector<Rate> rates;
  for (double seconds = 0; size <= largest && seconds < options_.seconds; size *= factor) {
    v1::CallWork work;
    seconds = TimeLine(call(size) + "\n", &work);
    if (seconds <= 0) break;
    rates.push_back({amount(work) / seconds, call(size)});
  }
  return rates;
}

void PerformanceTest::MeasureMachine(v1::MachineFacts* machine) {
  machine->set_processor(ProcessorName());
  const std::vector<Rate> copies = MeasureRates(
      1 << 16, 1 << 24, 4,
      [](int64_t size) { return absl::StrCat("copy float32 src[", size, "] dest[", size, "]"); },
      [](const v1::CallWork& work) { return work.read_bytes() + work.written_bytes(); });
  // The rate of the largest copy; smaller copies may fit into a cache.
  if (!copies.empty()) machine->set_copy_bytes_per_s(copies.back().per_second);
  v1::CallWork add;
  machine->set_launch_us(TimeLine("add float32 input[2] other[2] alpha=1\n", &add) * 1e6);
  for (const v1::Dtype::Code dtype : {v1::Dtype::float32, v1::Dtype::float16, v1::Dtype::bfloat16}) {
    const std::vector<Rate> products = MeasureRates(
        256, 8192, 2,
        [dtype](int64_t size) {
          return absl::StrCat("matmul ", v1::Dtype::Code_Name(dtype), " input[", size, ",", size, "] other[",
                              size, ",", size, "]");
        },
        [](const v1::CallWork& work) { return work.operations(); });
    if (products.empty()) continue;
    const Rate& best = *std::max_element(products.begin(), products.end(), [](const Rate& a, const Rate& b) {
      return a.per_second < b.per_second;
    });
    v1::MeasuredRate* added = machine->add_products();
    added->set_dtype(dtype);
    added->set_operations_per_s(best.per_second);
    added->set_call(best.call);
  }
}

bool PerformanceTest::TooSlow(const v1::CallWork& work, const v1::MachineFacts& machine) const {
  double operations_per_s = 0;
  for (const v1::MeasuredRate& rate : machine.products())
    operations_per_s = std::max(operations_per_s, rate.operations_per_s());
  const double bytes_per_s = machine.copy_bytes_per_s();
  const double seconds =
      std::max(operations_per_s > 0 ? work.operations() / operations_per_s : 0,
               bytes_per_s > 0 ? (work.read_bytes() + work.written_bytes()) / bytes_per_s : 0);
  return seconds > kPointShare * options_.seconds;
}

void PerformanceTest::MeasureRounds(const std::vector<CallToMeasure>& calls,
                                    const std::function<bool()>& pause,
                                    std::vector<v1::Measurement>* measurements) {
  bool helps = true;  // to repeat what was disturbed
  for (int round = 0; round < 2 * options_.rounds && helps; ++round) {
    const bool repeats = round >= options_.rounds;
    helps = !repeats;
    for (size_t i = 0; i < calls.size(); ++i) {
      v1::Measurement& measurement = (*measurements)[i];
      const int quiet = QuietCount(measurement);
      if (measurement.has_refused() || (repeats && quiet >= options_.rounds)) continue;
      Measure(calls[i], kColdSamples, &measurement);
      helps = helps || QuietCount(measurement) > quiet;
      if (!pause()) return;
    }
  }
}

PerformanceResult PerformanceTest::Run(std::vector<CallToMeasure> calls, const std::function<bool()>& pause) {
  PerformanceResult result;
  const auto note_state = [&result](const char* when) {
    for (v1::Finding& fact : MachineState()) {
      fact.set_word(when);
      *result.machine.add_state_found() = std::move(fact);
    }
  };
  note_state("before");
  MeasureMachine(&result.machine);
  std::erase_if(calls, [&](const CallToMeasure& call) {
    return call.is_point && TooSlow(Describe(call).work(), result.machine);
  });
  for (const CallToMeasure& call : calls) result.measurements.push_back(Describe(call));
  MeasureRounds(calls, pause, &result.measurements);
  for (v1::Measurement& measurement : result.measurements) {
    KeepQuietest(options_.rounds, &measurement);
    if (!measurement.has_refused() && measurement.rounds().empty())
      *measurement.mutable_refused() = Found(v1::Finding::STOPPED_BEFORE);
  }
  note_state("after");
  return result;
}

}  // namespace diopi::agent
