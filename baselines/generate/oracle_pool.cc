// A child's answer is a list of fields: for each case either its error, or the case and its tensors. When a
// child dies, each case of its unit is computed again as a unit of its own, so that only the culprit is
// without reference.
#include "baselines/generate/oracle_pool.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "baselines/generate/generate.h"
#include "cases/base/allocator.h"
#include "cases/base/status_macros.h"
#include "diopi/v1/tensor.pb.h"

namespace diopi::baselines {
namespace {

using Fields = ProcessPool::Fields;

constexpr unsigned kSecondsPerCase = 60;
constexpr char kComputed[] = "computed";
// Most memory that a child keeps between units; there is a child for each processor.
constexpr size_t kMostFreed = size_t{512} << 20;

// Tensors are moved, not copied, in both directions: they are most of what a call costs.
void PutTensors(TensorMap tensors, Fields* fields) {
  fields->push_back(absl::StrCat(tensors.size()));
  for (auto& [key, tensor] : tensors) {
    v1::TensorSpec spec;
    spec.set_dtype(tensor.dtype);
    spec.mutable_shape()->Assign(tensor.shape.begin(), tensor.shape.end());
    fields->push_back(key);
    fields->push_back(spec.SerializeAsString());
    fields->push_back(std::move(tensor.data));
  }
}

TensorMap TakeTensors(size_t* at, Fields* taken) {
  Fields& fields = *taken;
  TensorMap tensors;
  for (size_t left = std::stoul(fields.at((*at)++)); left > 0; --left) {
    const std::string& key = fields.at((*at)++);
    v1::TensorSpec spec;
    spec.ParseFromString(fields.at((*at)++));
    tensors[key] = {spec.dtype(), {spec.shape().begin(), spec.shape().end()}, std::move(fields.at((*at)++))};
  }
  return tensors;
}

// The reason why there is no reference, or empty fields.
void PutResult(absl::StatusOr<Baseline> made, Fields* fields) {
  if (!made.ok() || !made->quarantined.empty()) {
    fields->push_back(made.ok() ? made->quarantined : std::string(made.status().message()));
    return;
  }
  fields->emplace_back(kComputed);
  fields->push_back(made->c.SerializeAsString());
  PutTensors(std::move(made->inputs), fields);
  PutTensors(std::move(made->references), fields);
}

absl::StatusOr<Baseline> TakeResult(size_t* at, Fields* fields) {
  const std::string& word = fields->at((*at)++);
  if (word != kComputed) return absl::UnavailableError(word);
  Baseline baseline;
  if (!baseline.c.ParseFromString(fields->at((*at)++))) return absl::DataLossError("a damaged case");
  baseline.inputs = TakeTensors(at, fields);
  baseline.references = TakeTensors(at, fields);
  return baseline;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OraclePool>> OraclePool::Open(const std::string& reference_library,
                                                             int processes) {
  ASSIGN_OR_RETURN(std::unique_ptr<loader::InProcessLibrary> reference,
                   loader::InProcessLibrary::Open(reference_library));
  std::unique_ptr<OraclePool> oracle(new OraclePool(std::move(reference)));
  absl::StatusOr<std::unique_ptr<ProcessPool>> pool = ProcessPool::Start(
      processes, [self = oracle.get()](const Fields& serialized, const ProcessPool::Note&) {
        return self->Answer(serialized);
      });
  if (!pool.ok()) return pool.status();
  oracle->pool_ = *std::move(pool);
  return oracle;
}

// Runs in a child.
absl::StatusOr<Fields> OraclePool::Answer(const Fields& serialized) {
  Fields fields;
  v1::Case c;
  for (const std::string& text : serialized) {
    if (!c.ParseFromString(text)) return absl::DataLossError("a damaged case");
    alarm(kSecondsPerCase);  // ends the process
    PutResult(GenerateCase(*reference_, c), &fields);
  }
  alarm(0);
  ReturnFreedMemory(kMostFreed);
  return fields;
}

absl::Status OraclePool::Compute(std::vector<v1::Case> cases, Done done) {
  Unit unit{std::move(cases), {}, std::move(done)};
  for (size_t i = 0; i < unit.cases.size(); ++i) unit.places.push_back(i);
  const absl::Status status = Start(std::make_shared<const Unit>(std::move(unit)));
  return status.ok() ? StartAgain() : status;
}

absl::Status OraclePool::Start(const std::shared_ptr<const Unit>& unit) {
  Fields serialized;
  for (const v1::Case& c : unit->cases) serialized.push_back(c.SerializeAsString());
  return pool_->Run(serialized, [this, unit](absl::StatusOr<Fields> fields) {
    Take(unit, std::move(fields));
    return absl::OkStatus();
  });
}

void OraclePool::Take(const std::shared_ptr<const Unit>& unit, absl::StatusOr<Fields> fields) {
  if (fields.ok()) {
    size_t at = 0;
    for (const size_t place : unit->places) unit->done(place, TakeResult(&at, &*fields));
    return;
  }
  if (unit->cases.size() == 1) return unit->done(unit->places[0], fields.status());
  for (size_t i = 0; i < unit->cases.size(); ++i) {
    again_.push_back(std::make_shared<const Unit>(Unit{{unit->cases[i]}, {unit->places[i]}, unit->done}));
  }
}

absl::Status OraclePool::StartAgain() {
  while (!again_.empty()) {
    const std::shared_ptr<const Unit> unit = again_.back();
    again_.pop_back();
    RETURN_IF_ERROR(Start(unit));
  }
  return absl::OkStatus();
}

absl::Status OraclePool::Wait() {
  absl::Status status;
  do {
    status = StartAgain();
    if (status.ok()) status = pool_->Wait();
  } while (status.ok() && !again_.empty());
  return status;
}

absl::StatusOr<Baseline> OraclePool::ComputeOne(const v1::Case& c) {
  absl::StatusOr<Baseline> result = absl::InternalError("no result");
  absl::Status status = Compute(
      {c}, [&result](size_t /*place*/, absl::StatusOr<Baseline> baseline) { result = std::move(baseline); });
  if (status.ok()) status = Wait();
  if (!status.ok()) return status;
  return result;
}

}  // namespace diopi::baselines
