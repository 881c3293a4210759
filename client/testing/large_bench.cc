// What a run costs outside the library's own calls, for large cases: the agent's and the worker's work on
// each case (inputs, checks, hashes, judging), against two measures: copying as many bytes as its inputs and
// outputs have, once, from memory to memory by one thread; and, where that takes longer, making its inputs
// and reading its outputs once: of small tensors, and of saved tensors that the reference's forward has to
// compute. Two calls of the library are made per case. Times are this machine's clock, by which the limit
// holds, and processor times, which other processes disturb little: where one thread does everything, they
// are as long. Each case runs REPEAT times, and the least of each counts: later ones find the worker's memory
// there, as in a run where another case had it. The baselines are made first, in this process; the server is
// left out, whose part no tensor's size changes.
//
//   large_bench LIBRARY ORACLE MIB REPEAT                  one call per way of judging, with tensors of MIB:
//   each
//                                                          takes at most two copies
//   large_bench LIBRARY ORACLE MIB REPEAT MODEL[@SIZES]    a model's large cases, scaled to MIB: together
//   they take
//                                                          at most twice what making and reading once takes
// Exit status: 1 where the limit is missed, 2 for wrong usage, 3 for an error.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "baselines/generate/generate.h"
#include "cases/base/case_parts.h"
#include "cases/base/output_hash.h"
#include "cases/core/case_builder.h"
#include "cases/core/catalog.h"
#include "cases/core/model_cases.h"
#include "cases/fill/fill.h"
#include "cases/slices/slices.h"
#include "client/judge/case_judge.h"
#include "client/setup/arguments.h"
#include "impl_loader/worker/worker.h"

namespace diopi::agent {
namespace {

constexpr double kLimit = 2;

double Seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double Wall() {
  return Seconds(CLOCK_MONOTONIC);
}

// Processor time of this process and of the worker.
double Used(const loader::Worker& worker) {
  clockid_t clock = 0;
  const bool running = worker.pid() > 0 && clock_getcpuclockid(worker.pid(), &clock) == 0;
  return Seconds(CLOCK_PROCESS_CPUTIME_ID) + (running ? Seconds(clock) : 0);
}

// Seconds that copying so many bytes takes, from memory that is there to memory that is there.
double CopySeconds(int64_t bytes) {
  static std::string from(size_t{256} << 20, 'x');
  static std::string to(from.size(), 'y');
  const size_t part = std::min(static_cast<size_t>(bytes), from.size());
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i) {
    const double start = Seconds(CLOCK_THREAD_CPUTIME_ID);
    std::memcpy(to.data(), from.data(), part);
    seconds.push_back(Seconds(CLOCK_THREAD_CPUTIME_ID) - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[1] * static_cast<double>(bytes) / static_cast<double>(part);
}

// Seconds by the clock that making the inputs and reading the outputs takes, once, into and from memory that
// is there.
absl::StatusOr<double> OnceSeconds(const v1::Case& c, int64_t output_bytes, CaseJudge* judge) {
  static std::string memory;
  const absl::StatusOr<BlockInputs> blocks = OpenBlockInputs(c);
  if (!blocks.ok()) return blocks.status();
  int64_t bytes = output_bytes;
  for (const auto& [key, tensor] : *blocks) bytes = std::max(bytes, tensor->bytes());
  if (memory.size() < static_cast<size_t>(bytes)) memory.assign(static_cast<size_t>(bytes), 'x');
  const double start = Wall();
  TensorMap inputs;
  const absl::StatusOr<loader::CallOptions> options = judge->Prepare(c, &inputs, CaseJudge::Making::kSent);
  if (!options.ok()) return options.status();
  for (const auto& [key, tensor] : *blocks) tensor->Write(0, tensor->bytes(), memory.data());
  [[maybe_unused]] static volatile uint64_t hash = 0;
  hash = HashOutput(std::string_view(memory).substr(0, static_cast<size_t>(output_bytes)));
  return Wall() - start;
}

// Bytes of the tensors with one of these roles.
int64_t BytesOf(const v1::Case& c, bool inputs) {
  int64_t bytes = 0;
  for (const v1::Argument& arg : c.args()) {
    const bool in = arg.role() == v1::ROLE_INPUT;
    const bool both = arg.role() == v1::ROLE_INOUT;
    if (!both && in != inputs) continue;
    for (const v1::TensorSpec* spec : SpecsOf(arg))
      bytes += ByteSize(spec->dtype(), SpecShape(*spec)).value_or(0);
  }
  return bytes;
}

struct Cost {
  int64_t bytes = 0;                            // of inputs and outputs
  double copy = 0;                              // seconds
  double once = 0;                              // by the clock
  double used = 0;                              // of processors, outside the calls
  double wall = 0;                              // likewise
  double making = 0, calling = 0, judging = 0;  // parts of `used`

  void Add(const Cost& other) {
    bytes += other.bytes;
    copy += other.copy;
    once += other.once;
    used += other.used;
    wall += other.wall;
    making += other.making;
    calling += other.calling;
    judging += other.judging;
  }
};

void Print(const std::string& name, const Cost& cost) {
  std::cout << absl::StrFormat("%-48s %8.0f %8.1f %8.1f | %8.1f %8.1f | %6.2f %6.2f | %8.1f %8.1f %8.1f",
                               name, static_cast<double>(cost.bytes) / (1 << 20), cost.copy * 1e3,
                               cost.once * 1e3, cost.used * 1e3, cost.wall * 1e3, cost.wall / cost.copy,
                               cost.wall / cost.once, cost.making * 1e3, cost.calling * 1e3,
                               cost.judging * 1e3)
            << '\n'
            << std::flush;
}

absl::StatusOr<Cost> Measure(const v1::Case& c, const TensorMap& references, CaseJudge* judge,
                             loader::Worker* worker) {
  Cost cost;
  cost.bytes = BytesOf(c, true) + BytesOf(c, false);
  cost.copy = CopySeconds(cost.bytes);
  const absl::StatusOr<double> once = OnceSeconds(c, BytesOf(c, false), judge);
  if (!once.ok()) return once.status();
  cost.once = std::max(*once, cost.copy);
  const double start = Wall();
  const double used = Used(*worker);
  TensorMap inputs;
  absl::StatusOr<loader::CallOptions> options = judge->Prepare(c, &inputs, CaseJudge::Making::kSent);
  if (!options.ok()) return options.status();
  const double made = Used(*worker);
  absl::Status submitted = worker->Submit(c, inputs, *options);
  if (!submitted.ok()) return submitted;
  const baselines::SlicePlaces places = CaseJudge::PlacesOf(c);
  const loader::CallOutcome outcome = worker->Wait();
  const double waited = Used(*worker);
  const v1::Verdict verdict = judge->Judge(c, inputs, references, outcome, options->adaptor, nullptr, places);
  const double judged = Used(*worker);
  const double end = Wall();
  if (verdict.outcome() != v1::OUTCOME_PASS) return absl::InternalError(verdict.reason());
  const double called = outcome.reply.calls_cpu_us() * 1e-6;
  cost.used = judged - used - called;
  cost.wall = end - start - outcome.reply.calls_us() * 1e-6;
  cost.making = made - used;
  cost.calling = waited - made - called;
  cost.judging = judged - waited;
  return cost;
}

// One call for each way in which large cases are judged. %d: so many rows make a tensor of the size asked
// for.
struct Form {
  const char* name;
  const char* call;
  const char* function;
  int64_t row_bytes;
};
constexpr Form kForms[] = {
    {"elementwise, two inputs", "add float32 input[%d,4096] other[%d,4096] alpha=2", "diopiAdd", 16384},
    {"elementwise, one input", "relu float32 input[%d,4096]", "diopiRelu", 16384},
    {"rows", "softmax float32 input[%d,1024] dim=-1", "diopiSoftmax", 4096},
    {"gathered",
     "embedding bfloat16 indices[512]:int64~0..99 weight[%d,4096] padding_idx=-1 scale_grad_byfreq=false "
     "sparse=false",
     "diopiEmbedding", 8192},
    {"product", "linear bfloat16 input[1,%d,4096] weight[64,4096] bias[64]", "diopiLinear", 8192},
    {"convolution",
     "conv2d float32 input[%d,16,64,64] weight[16,16,3,3] bias[16] stride=(1,1) padding=(1,1) dilation=(1,1) "
     "groups=1",
     "diopiConvolution2d", 262144},
};

absl::StatusOr<v1::Case> CaseOf(const Form& form, int64_t bytes, const cases::Catalog& catalog) {
  const std::string rows = absl::StrCat(bytes / form.row_bytes);
  const auto model = cases::ParseModel({"bench", absl::StrReplaceAll(form.call, {{"%d", rows}})});
  if (!model.ok()) return model.status();
  const v1::OperatorFile* op = cases::OperatorOf(model->calls[0], catalog.operators());
  if (op == nullptr) return absl::NotFoundError(form.call);
  const auto built = cases::BuildCall(*op, model->calls[0], std::numeric_limits<int64_t>::max());
  if (!built.ok()) return built.status();
  for (const v1::Case& c : built->cases) {
    if (c.function() == form.function) return c;
  }
  return absl::NotFoundError(form.function);
}

class Bench {
 public:
  Bench(std::unique_ptr<loader::InProcessLibrary> oracle, std::unique_ptr<loader::Worker> worker,
        const std::string& oracle_path, int repeat)
      : oracle_(std::move(oracle)),
        worker_(std::move(worker)),
        judge_(Options(oracle_path)),
        repeat_(repeat) {
    std::cout << absl::StrFormat("%-48s %8s %8s %8s | %8s %8s | %6s %6s | %8s %8s %8s\n", "", "MiB",
                                 "copy ms", "once ms", "cpu ms", "wall ms", "copies", "onces", "making",
                                 "calling", "judging");
  }

  // Prints the least cost of some tries and adds it up.
  absl::Status Run(const std::string& name, const v1::Case& c) {
    absl::StatusOr<baselines::Baseline> baseline = baselines::GenerateCase(*oracle_, c);
    if (!baseline.ok()) return baseline.status();
    baseline->inputs.clear();
    absl::StatusOr<Cost> least;
    for (int i = 0; i < repeat_; ++i) {
      absl::StatusOr<Cost> cost = Measure(baseline->c, baseline->references, &judge_, worker_.get());
      if (!cost.ok())
        return absl::Status(cost.status().code(), absl::StrCat(name, ": ", cost.status().message()));
      if (i == 0) {
        least = cost;
        continue;
      }
      const double wall = std::min(least->wall, cost->wall);
      const double once = std::max(std::min(least->once, cost->once), least->copy);
      if (cost->used < least->used) least = cost;
      least->wall = wall;
      least->once = once;
    }
    Print(name, *least);
    all_.Add(*least);
    worst_ = std::max(worst_, least->wall / least->copy);
    return absl::OkStatus();
  }

  const Cost& all() const { return all_; }
  double worst() const { return worst_; }  // copies by the clock, of one case

 private:
  static CaseJudgeOptions Options(const std::string& oracle) {
    CaseJudgeOptions options;
    options.reference_library = oracle;
    return options;
  }

  std::unique_ptr<loader::InProcessLibrary> oracle_;
  std::unique_ptr<loader::Worker> worker_;
  CaseJudge judge_;
  const int repeat_;
  Cost all_;
  double worst_ = 0;
};

absl::StatusOr<std::unique_ptr<Bench>> MakeBench(const std::string& library, const std::string& oracle,
                                                 int repeat) {
  absl::StatusOr<std::unique_ptr<loader::InProcessLibrary>> reference =
      loader::InProcessLibrary::Open(oracle);
  if (!reference.ok()) return reference.status();
  // The library's temporary memory stays with its process. Where page tables are slow to change, as in some
  // virtual machines, unmapping it in a call makes every access after the call slower.
  setenv("MALLOC_MMAP_MAX_", "0", 1);
  setenv("MALLOC_TRIM_THRESHOLD_", "8589934592", 1);
  loader::WorkerOptions options;
  options.impl_path = library;
  options.kept_bytes = int64_t{4} << 30;
  options.case_timeout = std::chrono::minutes(10);
  absl::StatusOr<std::unique_ptr<loader::Worker>> worker = loader::Worker::Start(options);
  if (!worker.ok()) return worker.status();
  return std::make_unique<Bench>(*std::move(reference), *std::move(worker), oracle, repeat);
}

absl::Status RunForms(const cases::Catalog& catalog, int64_t bytes, Bench* bench) {
  for (const Form& form : kForms) {
    const absl::StatusOr<v1::Case> c = CaseOf(form, bytes, catalog);
    if (!c.ok()) return c.status();
    if (absl::Status status = bench->Run(absl::StrCat(form.name, ": ", form.function), *c); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status RunModel(const cases::Catalog& catalog, const std::string& model, int64_t bytes, Bench* bench) {
  SelectionArguments arguments;
  arguments.models = {model};
  arguments.max_tensor_bytes = bytes;
  const absl::StatusOr<v1::Selection> selection = MakeSelection(arguments);
  if (!selection.ok()) return selection.status();
  absl::Status status;
  const absl::Status visited = catalog.VisitRun(*selection, [&](const v1::Case& c) {
    if (status.ok() && slices::IsSliced(c)) status = bench->Run(c.id(), c);
  });
  return visited.ok() ? status : visited;
}

absl::StatusOr<bool> Main(const std::string& library, const std::string& oracle, int64_t bytes, int repeat,
                          const std::string& model) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  if (!catalog.ok()) return catalog.status();
  absl::StatusOr<std::unique_ptr<Bench>> bench = MakeBench(library, oracle, repeat);
  if (!bench.ok()) return bench.status();
  absl::Status status = model.empty() ? RunForms(**catalog, bytes, bench->get())
                                      : RunModel(**catalog, model, bytes, bench->get());
  if (!status.ok()) return status;
  const Cost& all = (*bench)->all();
  Print("all", all);
  const double ratio = model.empty() ? (*bench)->worst() : all.wall / all.once;
  const bool met = ratio <= kLimit;
  std::cout << absl::StrFormat("limit: %.2f %s outside the calls by the clock, %s\n", kLimit,
                               model.empty() ? "copies for each way of judging" : "onces for the suite",
                               met ? "met" : "MISSED");
  return met;
}

}  // namespace
}  // namespace diopi::agent

int main(int argc, char** argv) {
  int64_t mib = 0;
  int repeat = 0;
  const bool good = (argc == 5 || argc == 6) && absl::SimpleAtoi(argv[3], &mib) && mib >= 2 &&
                    absl::SimpleAtoi(argv[4], &repeat) && repeat >= 1;
  if (!good) {
    std::cerr << "usage: large_bench LIBRARY ORACLE MIB REPEAT [MODEL[@SIZES]]\n";
    return 2;
  }
  const absl::StatusOr<bool> met =
      diopi::agent::Main(argv[1], argv[2], mib << 20, repeat, argc == 6 ? argv[5] : "");
  if (!met.ok()) std::cerr << "large_bench: " << met.status().message() << "\n";
  return !met.ok() ? 3 : *met ? 0 : 1;
}
