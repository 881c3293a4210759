// A pack is written from a store in one pass, operator by operator. It is verified and installed in two:
// everything is read, checked and judged first, and only then is the first file of the store replaced, so
// that a damaged pack changes nothing. Installing goes through DeviceOutputs, as if the device had just
// returned the pack's tensors.
#include "baselines/generate/pack.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "baselines/compare/admission.h"
#include "baselines/compare/contract.h"
#include "baselines/generate/generate.h"
#include "baselines/store/store.h"
#include "cases/base/status_macros.h"
#include "cases/core/reference_key.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::baselines {
namespace {

using CasesByOperator = std::map<std::string, std::vector<const v1::Case*>>;

CasesByOperator GroupCases(const std::vector<v1::Case>& cases) {
  CasesByOperator groups;
  for (const v1::Case& c : cases) groups[c.operator_()].push_back(&c);
  return groups;
}

void Count(const PackCase& c, PackFigures* figures) {
  ++figures->cases;
  figures->quarantined += c.quarantined.empty() ? 0 : 1;
  figures->without += c.without.empty() ? 0 : 1;
  for (const PackTensor& tensor : c.tensors) {
    ++(tensor.sampled ? figures->sampled : figures->full);
    figures->value_bytes += static_cast<int64_t>(tensor.values.data.size());
  }
}

PackCase Packed(const v1::Case& c, const Baseline& baseline, const PackHeader& header) {
  PackCase packed{c.id(), c.hash(), InputsChecksum(baseline.inputs), baseline.quarantined, "", {}};
  if (!packed.quarantined.empty()) return packed;
  for (const auto& [key, tensor] : baseline.references) {
    const ReferenceName name = ParseReferenceKey(key);
    if (name.part == ReferencePart::kDevice) {
      packed.tensors.push_back(MakePackTensor(name.output, tensor, header));
    }
  }
  if (packed.tensors.empty()) packed.without = "the library has no such function, or not for this dtype";
  return packed;
}

absl::StatusOr<std::vector<PackCase>> PackOperator(const BaselineReader& reader,
                                                   const std::vector<const v1::Case*>& cases,
                                                   const PackHeader& header) {
  std::vector<PackCase> packed;
  for (const v1::Case* c : cases) {
    if (reader.HashOf(c->id()) != c->hash()) {
      return absl::FailedPreconditionError(
          absl::StrCat(c->id(), " has no baseline, or an outdated one: run diopi-cli gen"));
    }
    ASSIGN_OR_RETURN(const Baseline baseline, reader.Read(c->id()));
    packed.push_back(Packed(*c, baseline, header));
  }
  return packed;
}

bool SameLibrary(const DeviceProvenance& a, const DeviceProvenance& b) {
  return a.vendor == b.vendor && a.version == b.version && a.sha256 == b.sha256 && a.contracts == b.contracts;
}

PackHeader HeaderOf(const Provenance& provenance, const PackOptions& options) {
  return {options.suite,
          provenance.device_reference,
          absl::StrCat(provenance.library, " ", provenance.versions, ", ", provenance.library_hash),
          options.full_bytes,
          options.samples,
          absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone())};
}

absl::StatusOr<CompareOptions> OptionsOf(const PackHeader& header) {
  CompareOptions options;
  if (header.device.contracts.empty()) return options;
  ASSIGN_OR_RETURN(const DeclaredContracts contracts,
                   ParseContracts(absl::StrSplit(header.device.contracts, ',')));
  options.contracts = contracts;
  return options;
}

// The outputs of a case, by key; none if one of them is sampled, because a call is judged by all of them.
TensorMap FullOutputs(const PackCase& c) {
  TensorMap outputs;
  for (const PackTensor& tensor : c.tensors) {
    if (tensor.sampled) return {};
    outputs[tensor.key] = tensor.values;
  }
  return outputs;
}

class Verifier {
 public:
  Verifier(const PackReader& pack, loader::InProcessLibrary* oracle, const CompareOptions& options)
      : pack_(pack), oracle_(oracle), options_(options) {}

  absl::StatusOr<PackReport> Verify(const std::vector<v1::Case>& cases) {
    const DeviceProvenance& device = pack_.header().device;
    if (device.vendor.empty() || device.version.empty() || device.sha256.empty() || device.created.empty()) {
      Fault("the file", "it does not name the library and the device of its outputs");
    }
    const CasesByOperator groups = GroupCases(cases);
    for (const std::string& name : pack_.operators()) {
      if (!groups.contains(name)) Fault(name, "not an operator of this suite");
    }
    for (const auto& [name, group] : groups) {
      RETURN_IF_ERROR(VerifyOperator(name, group));
    }
    report_.figures.file_bytes = pack_.file_bytes();
    return std::move(report_);
  }

 private:
  void Fault(const std::string& where, const std::string& what) {
    report_.faults.push_back(absl::StrCat(where, ": ", what));
  }

  absl::Status VerifyOperator(const std::string& name, const std::vector<const v1::Case*>& group) {
    std::vector<PackCase> packed;
    if (pack_.Has(name)) {
      ASSIGN_OR_RETURN(packed, pack_.Read(name));
    }
    std::map<std::string, const PackCase*> by_id;
    for (const PackCase& c : packed) {
      if (!by_id.emplace(c.id, &c).second) Fault(c.id, "it occurs twice");
      Count(c, &report_.figures);
    }
    for (const v1::Case* c : group) {
      const auto found = by_id.find(c->id());
      if (found == by_id.end()) {
        Fault(c->id(), "it is not in the pack");
        continue;
      }
      const PackCase& mine = *found->second;
      by_id.erase(found);
      if (mine.hash != c->hash()) {
        Fault(c->id(),
              absl::StrCat("the pack has it with hash ", mine.hash, ", this program with ", c->hash()));
        continue;
      }
      RETURN_IF_ERROR(VerifyCase(*c, mine));
    }
    for (const auto& [id, unknown] : by_id) Fault(id, "not a case of this suite");
    return absl::OkStatus();
  }

  absl::Status VerifyCase(const v1::Case& c, const PackCase& packed) {
    const bool empty = packed.tensors.empty();
    if (empty == (packed.quarantined.empty() && packed.without.empty())) {
      Fault(c.id(), empty ? "neither tensors nor a reason why there are none"
                          : "both tensors and a reason why there are none");
    }
    const TensorMap full = FullOutputs(packed);
    if (empty) return absl::OkStatus();
    absl::StatusOr<Baseline> baseline = GenerateCase(*oracle_, c);
    if (!baseline.ok()) {
      return absl::Status(baseline.status().code(), absl::StrCat(c.id(), ": ", baseline.status().message()));
    }
    for (const PackTensor& tensor : packed.tensors) {
      if (!baseline->references.contains(tensor.key)) {
        Fault(c.id(), absl::StrCat("it has no output ", tensor.key));
        return absl::OkStatus();
      }
    }
    if (full.empty()) return absl::OkStatus();
    if (InputsChecksum(baseline->inputs) != packed.inputs) {
      ++report_.other_inputs;
      return absl::OkStatus();
    }
    for (const auto& [key, tensor] : full)
      baseline->references[ReferenceKey(key, ReferencePart::kDevice)] = tensor;
    const std::string reason = QuarantineReason(c, baseline->inputs, baseline->references, options_);
    ++report_.judged;
    if (!reason.empty()) Fault(c.id(), reason);
    return absl::OkStatus();
  }

  const PackReader& pack_;
  loader::InProcessLibrary* const oracle_;
  const CompareOptions& options_;
  PackReport report_;
};

// The cases of a pack as a source of outputs; one operator is in memory at a time.
class PackSource {
 public:
  explicit PackSource(const PackReader& pack) : pack_(pack) {}

  DeviceResult Result(const v1::Case& c, const TensorMap& inputs) {
    if (!status_.ok()) return {};
    if (operator_ != c.operator_()) Load(c.operator_());
    const auto found = cases_.find(c.id());
    if (found == cases_.end() || found->second.hash != c.hash()) return {{}, "it is not in the pack", ""};
    const PackCase& packed = found->second;
    if (!packed.without.empty()) return {{}, packed.without, ""};
    if (packed.inputs != InputsChecksum(inputs)) {
      return {{}, "the pack's outputs belong to other inputs: saved tensors differ on this machine", ""};
    }
    if (!packed.quarantined.empty()) return {{}, "", packed.quarantined};
    TensorMap full = FullOutputs(packed);
    if (full.empty()) return {{}, "the pack holds only samples of an output", ""};
    return {std::move(full), "", ""};
  }

  const absl::Status& status() const { return status_; }

 private:
  void Load(const std::string& name) {
    operator_ = name;
    cases_.clear();
    if (!pack_.Has(name)) return;
    absl::StatusOr<std::vector<PackCase>> read = pack_.Read(name);
    if (!read.ok()) {
      status_ = read.status();
      return;
    }
    for (PackCase& c : *read) cases_[c.id] = std::move(c);
  }

  const PackReader& pack_;
  std::string operator_;
  std::map<std::string, PackCase> cases_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<PackFigures> MakePack(const std::vector<v1::Case>& cases, const PackOptions& options,
                                     const std::string& path) {
  PackFigures figures;
  std::unique_ptr<PackWriter> writer;
  PackHeader header;
  std::string first;  // the operator that the header is of
  for (const auto& [name, group] : GroupCases(cases)) {
    const std::string file = BaselinePath(options.data_folder, options.reference, name);
    ASSIGN_OR_RETURN(const std::unique_ptr<BaselineReader> reader, BaselineReader::Open(file));
    const Provenance& provenance = reader->provenance();
    if (provenance.device_reference.vendor.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          file, ": no outputs of a device: run diopi-cli gen with --reference cuda or --device-reference"));
    }
    if (writer == nullptr) {
      header = HeaderOf(provenance, options);
      first = name;
      ASSIGN_OR_RETURN(writer, PackWriter::Create(path, header));
    } else if (!SameLibrary(header.device, provenance.device_reference)) {
      return absl::FailedPreconditionError(
          absl::StrCat(file, ": its outputs are from ", provenance.device_reference.vendor, " ",
                       provenance.device_reference.version, ", those of ", first, " from ",
                       header.device.vendor, " ", header.device.version, " (or of another build of it)"));
    }
    ASSIGN_OR_RETURN(const std::vector<PackCase> packed, PackOperator(*reader, group, header));
    for (const PackCase& c : packed) Count(c, &figures);
    RETURN_IF_ERROR(writer->Add(name, packed));
  }
  if (writer == nullptr) return absl::InvalidArgumentError("a pack needs at least one case");
  RETURN_IF_ERROR(writer->Commit());
  writer.reset();  // HDF5 opens no file that it holds
  ASSIGN_OR_RETURN(const std::unique_ptr<PackReader> made, PackReader::Open(path));
  figures.file_bytes = made->file_bytes();
  return figures;
}

absl::StatusOr<PackReport> VerifyPack(const std::vector<v1::Case>& cases, const PackReader& pack,
                                      const std::string& oracle_library) {
  ASSIGN_OR_RETURN(const CompareOptions options, OptionsOf(pack.header()));
  ASSIGN_OR_RETURN(std::unique_ptr<loader::InProcessLibrary> oracle,
                   loader::InProcessLibrary::Open(oracle_library));
  return Verifier(pack, oracle.get(), options).Verify(cases);
}

absl::StatusOr<DeviceReferenceSummary> InstallPack(const std::vector<v1::Case>& cases, const PackReader& pack,
                                                   const std::string& data_folder,
                                                   const std::string& reference) {
  ASSIGN_OR_RETURN(const CompareOptions compare, OptionsOf(pack.header()));
  // Everything is read once before the first file of the store changes.
  for (const std::string& name : pack.operators()) {
    RETURN_IF_ERROR(pack.Read(name).status());
  }
  DeviceOutputsOptions options{data_folder, reference, pack.header().device, compare, true};
  PackSource source(pack);
  absl::StatusOr<DeviceReferenceSummary> summary = AddDeviceOutputs(
      cases, options, [&](const v1::Case& c, const TensorMap& inputs) { return source.Result(c, inputs); });
  if (!source.status().ok()) return source.status();
  return summary;
}

}  // namespace diopi::baselines
