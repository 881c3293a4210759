// Runs a device's library in a worker over the stored inputs and judges each result by the oracle
// (admission.h) before it is stored beside it. A result that fails, crashes, hangs or damages memory
// quarantines its case with the reason; a function that the library does not have leaves the case as it was.
// Files are rewritten one operator at a time and appear whole or not at all.
#include "baselines/generate/device_reference.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "baselines/compare/admission.h"
#include "baselines/compare/contract.h"
#include "baselines/store/store.h"
#include "cases/base/process_pool.h"
#include "cases/base/status_macros.h"
#include "cases/core/reference_key.h"
#include "cases/findings/finding_text.h"

namespace diopi::baselines {
namespace {

constexpr int kCalls = 2;  // two poison patterns: an element that is not written is no reference

// diopiError_t: what a library returns for a function or a dtype that it does not have.
constexpr int32_t kSuccess = 0;
constexpr int32_t kNoImplement = 13;
constexpr int32_t kForceFallback = 14;
constexpr int32_t kDtypeNotSupported = 1000;

bool IsDeviceOutput(const std::string& key) {
  return ParseReferenceKey(key).part == ReferencePart::kDevice;
}

bool HasDeviceOutputs(const Baseline& baseline) {
  return std::any_of(baseline.references.begin(), baseline.references.end(),
                     [](const auto& entry) { return IsDeviceOutput(entry.first); });
}

void DropDeviceOutputs(Baseline* baseline) {
  std::erase_if(baseline->references, [](const auto& entry) { return IsDeviceOutput(entry.first); });
  baseline->quarantined.clear();
}

bool MayDiffer(const v1::Case& c) {
  return std::any_of(c.judges().begin(), c.judges().end(),
                     [](const v1::Judge& judge) { return judge.may_be_nondeterministic(); });
}

// The finding about a call: nothing, that there is no such function, or why the case is quarantined.
struct Finding {
  std::string absent;
  std::string wrong;
};

Finding Inspect(const v1::Case& c, const loader::CallOutcome& outcome) {
  if (outcome.kind != loader::CallOutcome::Kind::kReplied) return {"", outcome.Text()};
  const v1::WorkerReply& reply = outcome.reply;
  const std::string why = absl::StrCat(reply.text(), FindingsText(reply.failed()));
  const std::string says = why.empty() ? "" : absl::StrCat(": ", why);
  if (reply.status() == v1::WorkerReply::SYMBOL_ABSENT) return {"the library has no such function", ""};
  if (reply.status() != v1::WorkerReply::RETURNED) return {"", absl::StrCat("the call failed", says)};
  switch (reply.error_code()) {
    case kSuccess:
      break;
    case kNoImplement:
    case kForceFallback:
      return {"the library does not implement it", ""};
    case kDtypeNotSupported:
      return {"the library does not support the dtype", ""};
    default:
      return {"", absl::StrCat("the library returned error ", reply.error_code(), says)};
  }
  if (reply.findings_size() > 0) return {"", FindingText(reply.findings(0))};
  if (reply.unwritten_size() > 0) return {"", absl::StrCat(reply.unwritten(0), " was not written")};
  if (!reply.differs().empty() && !MayDiffer(c)) return {"", FindingsText(reply.differs())};
  return {"", FindingsText(reply.failed())};
}

std::string VendorOf(const loader::Worker& worker) {
  const std::string& name = worker.hello().vendor_name();
  return name.empty() ? "a library without a vendor name" : name;
}

// Stores outputs beside the oracle's, one operator's file after the other.
class DeviceOutputs {
 public:
  DeviceOutputs(const DeviceOutputsOptions& options, const DeviceSource& source)
      : options_(options), source_(source), provenance_(options.provenance) {
    summary_.vendor = provenance_.vendor;
    summary_.version = provenance_.version;
  }

  absl::Status AddTo(const std::string& operator_name, const std::set<std::string>& selected) {
    const std::string path = BaselinePath(options_.data_folder, options_.reference, operator_name);
    ASSIGN_OR_RETURN(std::unique_ptr<BaselineReader> reader, BaselineReader::Open(path));
    const DeviceProvenance& before = reader->provenance().device_reference;
    same_ = before.sha256 == provenance_.sha256 && before.contracts == provenance_.contracts;
    Provenance provenance = reader->provenance();
    provenance.device_reference = provenance_;
    ASSIGN_OR_RETURN(std::unique_ptr<BaselineWriter> writer,
                     BaselineWriter::Create(path, operator_name, provenance));
    const int64_t run_before = summary_.run;
    for (const std::string& id : reader->case_ids()) {
      RETURN_IF_ERROR(AddCase(*reader, id, selected.contains(id), writer.get()));
    }
    for (const std::string& id : selected) {
      if (reader->HashOf(id).empty()) summary_.without.push_back(absl::StrCat(id, ": it has no baseline"));
    }
    const bool changed = summary_.run > run_before || !same_;
    return changed ? writer->Commit() : absl::OkStatus();  // without Commit the old file stays
  }

  DeviceReferenceSummary Take() { return std::move(summary_); }

 private:
  absl::Status AddCase(const BaselineReader& reader, const std::string& id, bool selected,
                       BaselineWriter* writer) {
    ASSIGN_OR_RETURN(Baseline baseline, reader.Read(id));
    ASSIGN_OR_RETURN(baseline.c, reader.ReadCase(id));
    const bool done = same_ && (HasDeviceOutputs(baseline) || !baseline.quarantined.empty());
    if (!done || (selected && options_.force)) DropDeviceOutputs(&baseline);
    if (selected && (!done || options_.force)) {
      Run(&baseline);
      ++summary_.run;
    } else if (selected) {
      ++summary_.up_to_date;
    }
    if (selected) Count(baseline);
    return writer->Add(baseline);
  }

  void Run(Baseline* baseline) {
    const v1::Case& c = baseline->c;
    DeviceResult result = source_(c, baseline->inputs);
    if (!result.without.empty()) {
      summary_.without.push_back(absl::StrCat(c.id(), ": ", result.without));
      return;
    }
    if (!result.quarantined.empty()) {
      baseline->quarantined = result.quarantined;
      return;
    }
    for (auto& [key, tensor] : result.outputs) {
      if (baseline->references.contains(key)) {
        baseline->references[ReferenceKey(key, ReferencePart::kDevice)] = std::move(tensor);
      }
    }
    baseline->quarantined = QuarantineReason(c, baseline->inputs, baseline->references, options_.compare);
  }

  void Count(const Baseline& baseline) {
    if (!baseline.quarantined.empty()) {
      summary_.quarantined.push_back(absl::StrCat(baseline.c.id(), ": ", baseline.quarantined));
    } else if (HasDeviceOutputs(baseline)) {
      ++summary_.admitted;
    }
  }

  const DeviceOutputsOptions& options_;
  const DeviceSource& source_;
  const DeviceProvenance& provenance_;
  bool same_ = false;  // the file's outputs are this library's under these contracts
  DeviceReferenceSummary summary_;
};

// Runs the library's function on one case, in the worker.
DeviceResult RunInWorker(loader::Worker& worker, const v1::Case& c, const TensorMap& inputs) {
  const absl::Status submitted = worker.Submit(c, inputs, kCalls);
  if (!submitted.ok()) {
    return {{}, "", absl::StrCat("the device reference could not be called: ", submitted.message())};
  }
  loader::CallOutcome outcome = worker.Wait();
  const Finding finding = Inspect(c, outcome);
  if (!finding.absent.empty()) return {{}, finding.absent, ""};
  if (!finding.wrong.empty()) {
    return {{}, "", absl::StrCat("the device reference (", VendorOf(worker), "): ", finding.wrong)};
  }
  return {std::move(outcome.outputs), "", ""};
}

// A worker that runs operators one after the other.
class OneWorker {
 public:
  explicit OneWorker(const DeviceReferenceOptions& options) : options_(options) {}

  absl::StatusOr<DeviceReferenceSummary> Add(const std::vector<v1::Case>& cases) {
    if (worker_ == nullptr) {
      ASSIGN_OR_RETURN(worker_, loader::Worker::Start(options_.worker));
    }
    DeviceOutputsOptions outputs{
        options_.data_folder, options_.reference, {}, options_.compare, options_.force};
    outputs.provenance = {VendorOf(*worker_), worker_->hello().impl_version(), options_.library_sha256,
                          absl::StrJoin(options_.compare.contracts.Texts(), ","),
                          absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone())};
    return AddDeviceOutputs(cases, outputs, [this](const v1::Case& c, const TensorMap& inputs) {
      return RunInWorker(*worker_, c, inputs);
    });
  }

 private:
  const DeviceReferenceOptions& options_;
  std::unique_ptr<loader::Worker> worker_;
};

// The cases of each operator; the operator with the most cases first, so that none is begun late.
std::vector<std::vector<v1::Case>> ByOperator(const std::vector<v1::Case>& cases) {
  std::map<std::string, std::vector<v1::Case>> by_operator;
  for (const v1::Case& c : cases) by_operator[c.operator_()].push_back(c);
  std::vector<std::vector<v1::Case>> operators;
  operators.reserve(by_operator.size());
  for (auto& [name, its] : by_operator) operators.push_back(std::move(its));
  std::stable_sort(operators.begin(), operators.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return operators;
}

// What a child process returns.
ProcessPool::Fields ToFields(const DeviceReferenceSummary& made) {
  ProcessPool::Fields fields = {made.vendor,
                                made.version,
                                absl::StrCat(made.run),
                                absl::StrCat(made.up_to_date),
                                absl::StrCat(made.admitted),
                                absl::StrCat(made.quarantined.size())};
  fields.insert(fields.end(), made.quarantined.begin(), made.quarantined.end());
  fields.insert(fields.end(), made.without.begin(), made.without.end());
  return fields;
}

void AddFields(const ProcessPool::Fields& fields, DeviceReferenceSummary* all) {
  all->vendor = fields.at(0);
  all->version = fields.at(1);
  all->run += std::stoll(fields.at(2));
  all->up_to_date += std::stoll(fields.at(3));
  all->admitted += std::stoll(fields.at(4));
  const auto without = fields.begin() + 6 + std::stoll(fields.at(5));
  all->quarantined.insert(all->quarantined.end(), fields.begin() + 6, without);
  all->without.insert(all->without.end(), without, fields.end());
}

}  // namespace

absl::StatusOr<DeviceReferenceSummary> AddDeviceOutputs(const std::vector<v1::Case>& cases,
                                                        const DeviceOutputsOptions& options,
                                                        const DeviceSource& source) {
  std::map<std::string, std::set<std::string>> by_operator;
  for (const v1::Case& c : cases) by_operator[c.operator_()].insert(c.id());
  DeviceOutputs outputs(options, source);
  for (const auto& [name, ids] : by_operator) {
    RETURN_IF_ERROR(outputs.AddTo(name, ids));
  }
  return outputs.Take();
}

absl::StatusOr<DeviceReferenceSummary> AddDeviceReference(const std::vector<v1::Case>& cases,
                                                          const DeviceReferenceOptions& options) {
  OneWorker worker(options);  // each child process has one of its own
  if (options.workers <= 1) return worker.Add(cases);
  const std::vector<std::vector<v1::Case>> operators = ByOperator(cases);
  const int count = std::min(options.workers, static_cast<int>(operators.size()));
  absl::StatusOr<std::unique_ptr<ProcessPool>> pool =
      ProcessPool::Start(count,
                         [&](const ProcessPool::Fields& request,
                             const ProcessPool::Note&) -> absl::StatusOr<ProcessPool::Fields> {
                           ASSIGN_OR_RETURN(const DeviceReferenceSummary made,
                                            worker.Add(operators.at(std::stoul(request.at(0)))));
                           return ToFields(made);
                         });
  if (!pool.ok()) return pool.status();
  DeviceReferenceSummary all;
  for (size_t i = 0; i < operators.size(); ++i) {
    absl::Status status =
        (*pool)->Run({absl::StrCat(i)}, [&all](const absl::StatusOr<ProcessPool::Fields>& made) {
          if (made.ok()) AddFields(*made, &all);
          return made.status();
        });
    if (!status.ok()) return status;
  }
  RETURN_IF_ERROR((*pool)->Wait());
  std::sort(all.quarantined.begin(), all.quarantined.end());
  std::sort(all.without.begin(), all.without.end());
  return all;
}

}  // namespace diopi::baselines
