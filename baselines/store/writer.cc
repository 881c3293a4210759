// Tensors are contiguous datasets, whose place in the file HDF5 tells: index.h's table holds these places, so
// that our reader needs no HDF5. The case texts and the index come last, when all places are known, and the
// footer after them; a file without its footer was not finished. An error discards the whole file, as HDF5
// leaves no usable part.
#include <google/protobuf/util/json_util.h>

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "baselines/store/checksum.h"
#include "baselines/store/h5.h"
#include "baselines/store/index.h"
#include "baselines/store/new_file.h"
#include "baselines/store/replace.h"
#include "baselines/store/store.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"

namespace diopi::baselines {
namespace {

using hdf5::Handle;

// Protobuf prints -0.0 as "-0" and reads that back as the integer 0.
std::string WithNegativeZeros(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    text.push_back(json[i]);
    if (json[i] == '"' && (i == 0 || json[i - 1] != '\\')) quoted = !quoted;
    const bool ends = i + 1 == json.size() || json[i + 1] == ',' || json[i + 1] == ']' || json[i + 1] == '}';
    if (!quoted && ends && json[i] == '0' && i > 0 && json[i - 1] == '-') text += ".0";
  }
  return text;
}

std::string JudgesText(const v1::Case& c) {
  std::string text;
  for (const v1::Judge& judge : c.judges()) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", judge.output(), ": ",
                    v1::Judge::Kind_Name(judge.kind()));
    if (judge.kf() > 0) absl::StrAppend(&text, " kf=", judge.kf());
  }
  return text;
}

class Writer final : public BaselineWriter {
 public:
  Writer(std::string path, Descriptor lock, Outlives outlives)
      : file_(std::move(path), std::move(lock), outlives), dataset_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose) {
    H5Pset_layout(dataset_.id(), H5D_CONTIGUOUS);
    H5Pset_alloc_time(dataset_.id(), H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(dataset_.id(), H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(dataset_.id(), false);
  }

  absl::Status Start(const std::string& operator_name, const Provenance& provenance);
  absl::Status Add(const Baseline& baseline) override;
  absl::Status Commit() override;

 private:
  bool WriteDevice(hid_t root, const DeviceProvenance& device);
  absl::Status AddCase(const Baseline& baseline, const std::string& json, CaseEntry* entry);
  absl::Status AddTensors(hid_t parent, const char* group, bool output, const TensorMap& tensors,
                          CaseEntry* entry);
  absl::StatusOr<uint64_t> AddDataset(hid_t parent, const std::string& key, const HostTensor& tensor,
                                      const std::string& checksum);
  absl::StatusOr<Piece> AddText(const char* name, const std::string& text);
  absl::StatusOr<Piece> Finish();
  bool WriteText(hid_t object, const char* attribute, const std::string& value) {
    return file_.WriteText(object, attribute, value);
  }

  hdf5::NewFile file_;
  Handle dataset_;
  std::map<Dtype, Handle> types_;
  std::set<std::string> ids_;
  Index index_;
  std::string jsons_;  // the cases' JSON, one line each, in the order of the index
};

bool Writer::WriteDevice(hid_t root, const DeviceProvenance& device) {
  return device.vendor.empty() || (WriteText(root, "device_reference_vendor", device.vendor) &&
                                   WriteText(root, "device_reference_version", device.version) &&
                                   WriteText(root, "device_reference_sha256", device.sha256) &&
                                   WriteText(root, "device_reference_contracts", device.contracts) &&
                                   WriteText(root, "device_reference_created", device.created));
}

absl::Status Writer::Start(const std::string& operator_name, const Provenance& provenance) {
  index_.operator_name = operator_name;
  index_.provenance = provenance;
  RETURN_IF_ERROR(file_.Open());
  const hdf5::Silence silence;
  const hid_t root = file_.root();
  const bool ok =
      WriteText(root, "operator", operator_name) &&
      file_.WriteNumber(root, "format_version", kStoreFormatVersion) &&
      file_.WriteNumber(root, "generator_version", kGeneratorVersion) &&
      WriteText(root, "reference", provenance.reference) && WriteText(root, "library", provenance.library) &&
      WriteText(root, "library_hash", provenance.library_hash) &&
      WriteText(root, "device", provenance.device) && WriteText(root, "versions", provenance.versions) &&
      WriteText(root, "created", provenance.created) && WriteDevice(root, provenance.device_reference);
  return ok ? absl::OkStatus() : file_.Failure("cannot write the header");
}

absl::Status Writer::Add(const Baseline& baseline) {
  const v1::Case& c = baseline.c;
  absl::Status status = file_.Usable("Add");
  if (!status.ok()) return status;
  if (!IsStorableName(c.id()) || !IsStorableName(c.hash()) || c.id() == "index" || c.id() == "cases") {
    return absl::InvalidArgumentError(
        absl::StrCat(file_.path(), ": '", c.id(), "' (hash '", c.hash(), "') cannot name a case"));
  }
  if (!ids_.insert(c.id()).second) {
    return absl::AlreadyExistsError(absl::StrCat(file_.path(), ": case ", c.id(), " is added twice"));
  }
  std::string json;
  const auto converted = google::protobuf::util::MessageToJsonString(c, &json);
  if (!converted.ok()) {
    return absl::InternalError(absl::StrCat(file_.path(), ": case ", c.id(), ": ", converted.ToString()));
  }
  json = WithNegativeZeros(json);
  hdf5::Silence silence;
  CaseEntry entry{c.id(), c.hash(), {jsons_.size(), json.size(), Checksum(json)}, baseline.quarantined, {}};
  jsons_ += json + "\n";
  status = AddCase(baseline, json, &entry);
  if (status.ok()) status = file_.Written();
  if (status.ok()) {
    index_.cases.push_back(std::move(entry));
  } else {
    file_.Discard();
  }
  return status;
}

absl::Status Writer::AddCase(const Baseline& baseline, const std::string& json, CaseEntry* entry) {
  const v1::Case& c = baseline.c;
  Handle group(H5Gcreate2(file_.root(), c.id().c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  const std::string_view dtype = DtypeName(c.dtype());
  if (!group.ok() || !WriteText(group.id(), "hash", c.hash()) ||
      !WriteText(group.id(), "function", c.function()) ||
      !WriteText(group.id(), "dtype", std::string(dtype)) || !WriteText(group.id(), "label", c.label()) ||
      !WriteText(group.id(), "reveals", c.reveals()) || !WriteText(group.id(), "judge", JudgesText(c)) ||
      !WriteText(group.id(), "case", json) ||
      (!baseline.quarantined.empty() && !WriteText(group.id(), "quarantined", baseline.quarantined))) {
    return file_.Failure(absl::StrCat("cannot write case ", c.id()));
  }
  absl::Status status = AddTensors(group.id(), "inputs", false, baseline.inputs, entry);
  if (status.ok()) status = AddTensors(group.id(), "outputs", true, baseline.references, entry);
  if (status.ok() && !group.Close()) status = file_.Failure(absl::StrCat("cannot write case ", c.id()));
  return status;
}

absl::Status Writer::AddTensors(hid_t parent, const char* group_name, bool output, const TensorMap& tensors,
                                CaseEntry* entry) {
  Handle group(H5Gcreate2(parent, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!group.ok()) return file_.Failure(absl::StrCat("cannot write case ", entry->id));
  for (const auto& [key, tensor] : tensors) {
    const int64_t bytes = NumElements(tensor.shape) * ElementSize(tensor.dtype);
    if (!IsStorableName(key) || bytes < 0 || static_cast<size_t>(bytes) != tensor.data.size()) {
      return absl::InvalidArgumentError(absl::StrCat(file_.path(), ": case ", entry->id, ": tensor '", key,
                                                     "' ", ShapeText(tensor.shape), " holds ",
                                                     tensor.data.size(), " bytes"));
    }
    TensorEntry t{output, key, tensor.dtype, tensor.shape, {0, tensor.data.size(), Checksum(tensor.data)}};
    absl::StatusOr<uint64_t> offset = AddDataset(group.id(), key, tensor, t.piece.checksum);
    if (!offset.ok()) {
      return absl::Status(offset.status().code(),
                          absl::StrCat(offset.status().message(), " (case ", entry->id, ")"));
    }
    t.piece.offset = *offset;
    entry->tensors.push_back(std::move(t));
  }
  return group.Close() ? absl::OkStatus() : file_.Failure(absl::StrCat("cannot write case ", entry->id));
}

absl::StatusOr<uint64_t> Writer::AddDataset(hid_t parent, const std::string& key, const HostTensor& tensor,
                                            const std::string& checksum) {
  const std::string dtype(DtypeName(tensor.dtype));
  auto type = types_.find(tensor.dtype);
  if (type == types_.end()) type = types_.emplace(tensor.dtype, hdf5::FileType(tensor.dtype)).first;
  if (!type->second.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(file_.path(), ": ", key, ": ", dtype, " is never stored"));
  }
  const std::vector<hsize_t> sizes(tensor.shape.begin(), tensor.shape.end());
  const Handle space =
      sizes.empty()
          ? hdf5::ScalarSpace()
          : Handle(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose);
  const hid_t type_id = type->second.id();
  Handle set(H5Dcreate2(parent, key.c_str(), type_id, space.id(), H5P_DEFAULT, dataset_.id(), H5P_DEFAULT),
             H5Dclose);
  const bool empty = tensor.data.empty();
  bool ok = set.ok() &&
            (empty || H5Dwrite(set.id(), type_id, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.data.data()) >= 0) &&
            WriteText(set.id(), "dtype", dtype) && WriteText(set.id(), "xxh64", checksum);
  const haddr_t offset = ok && !empty ? H5Dget_offset(set.id()) : 0;
  ok = ok && offset != HADDR_UNDEF && set.Close();
  if (!ok) return file_.Failure(absl::StrCat("cannot write tensor ", key));
  return offset;
}

// One fixed-length string: h5dump shows it, and the file holds its bytes unchanged.
absl::StatusOr<Piece> Writer::AddText(const char* name, const std::string& text) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), text.size());
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  Handle set(
      H5Dcreate2(file_.root(), name, type.id(), file_.scalar(), H5P_DEFAULT, dataset_.id(), H5P_DEFAULT),
      H5Dclose);
  const bool ok = set.ok() && H5Dwrite(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0;
  const haddr_t offset = ok ? H5Dget_offset(set.id()) : HADDR_UNDEF;
  if (!ok || offset == HADDR_UNDEF || !set.Close())
    return file_.Failure(absl::StrCat("cannot write /", name));
  return Piece{offset, text.size(), Checksum(text)};
}

// Writes what comes after all cases. Returns where the index is.
absl::StatusOr<Piece> Writer::Finish() {
  ASSIGN_OR_RETURN(const Piece cases, AddText("cases", jsons_ + "\n"));
  for (CaseEntry& entry : index_.cases) entry.json.offset += cases.offset;
  return AddText("index", FormatIndex(index_));
}

absl::Status Writer::Commit() {
  RETURN_IF_ERROR(file_.Usable("Commit"));
  const hdf5::Silence silence;
  const absl::StatusOr<Piece> index = Finish();
  if (!index.ok()) {
    file_.Discard();
    return index.status();
  }
  return file_.Commit([&](int /*fd*/, int64_t /*size*/) { return FormatFooter(*index); });
}

}  // namespace

absl::StatusOr<std::unique_ptr<BaselineWriter>> BaselineWriter::Create(const std::string& path,
                                                                       const std::string& operator_name,
                                                                       const Provenance& provenance,
                                                                       Outlives outlives) {
  if (!IsStorableName(operator_name)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": '", operator_name, "' cannot name an operator"));
  }
  ASSIGN_OR_RETURN(Descriptor lock, OpenTemporary(path));
  auto writer = std::make_unique<Writer>(path, std::move(lock), outlives);
  RETURN_IF_ERROR(writer->Start(operator_name, provenance));
  return writer;
}

std::string BaselinePath(const std::string& data_folder, const std::string& reference,
                         const std::string& operator_name) {
  return absl::StrCat(data_folder, "/baselines/", reference, "/", operator_name, ".h5");
}

}  // namespace diopi::baselines
