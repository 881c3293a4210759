// A pack comes from somebody else. Its footer is read first, then the checksum of every byte is verified, and
// only then is HDF5 called, which may loop or crash on a damaged file. What HDF5 reads afterwards is bounded
// and parsed as strictly, because a checksum proves nothing about who made the file.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "baselines/store/checksum.h"
#include "baselines/store/h5.h"
#include "baselines/store/pack.h"
#include "baselines/store/pack_text.h"
#include "baselines/store/replace.h"
#include "cases/base/file_error.h"
#include "cases/base/hash.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"

namespace diopi::baselines {
namespace {

using hdf5::Handle;

constexpr uint64_t kMaxDatasetBytes = uint64_t{4} << 30;  // what one column may become in memory

herr_t AppendName(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

class PackFileReader final : public PackReader {
 public:
  PackFileReader(std::string path, Descriptor file) : path_(std::move(path)), descriptor_(std::move(file)) {}

  absl::Status Load();
  const PackHeader& header() const override { return header_; }
  int64_t file_bytes() const override { return bytes_; }
  const std::vector<std::string>& operators() const override { return operators_; }
  absl::StatusOr<std::vector<PackCase>> Read(const std::string& operator_name) const override;

 private:
  absl::Status Damaged(const std::string& what) const {
    return absl::DataLossError(absl::StrCat(path_, ": ", what));
  }
  // Versions first, then every byte; only then HDF5, which may loop or crash on a damaged file.
  absl::Status CheckBytes();
  absl::Status ReadHeader();
  bool ReadText(const char* attribute, std::string* value) const;
  bool ReadInt(const char* attribute, int64_t* value) const;
  // A one-dimensional dataset as stored; `size`: bytes of one element.
  absl::StatusOr<std::string> ReadDataset(const std::string& name, size_t* size) const;
  absl::StatusOr<std::vector<std::string>> ReadLines(const std::string& operator_name) const;

  const std::string path_;
  Descriptor descriptor_;
  Handle file_;
  int64_t bytes_ = 0;
  PackHeader header_;
  std::vector<std::string> operators_;
};

absl::Status PackFileReader::CheckBytes() {
  struct stat info {};
  if (fstat(descriptor_.get(), &info) != 0) return ReadError(path_, errno);
  if (!S_ISREG(info.st_mode)) return ReadError(path_, S_ISDIR(info.st_mode) ? EISDIR : EINVAL);
  bytes_ = info.st_size;
  const auto size = static_cast<uint64_t>(info.st_size);
  std::string start(kHdf5Signature.size(), '\0'), end(kPackFooterBytes, '\0');
  if (size < kHdf5Signature.size() + kPackFooterBytes ||
      pread(descriptor_.get(), start.data(), start.size(), 0) != static_cast<ssize_t>(start.size()) ||
      start != kHdf5Signature) {
    return Damaged("not an HDF5 file");
  }
  PackFooter footer;
  if (pread(descriptor_.get(), end.data(), end.size(), info.st_size - static_cast<off_t>(end.size())) !=
          static_cast<ssize_t>(end.size()) ||
      !ParsePackFooter(end, &footer)) {
    return Damaged("truncated, or an HDF5 file that is not a pack: it does not end with a pack's last line");
  }
  if (footer.format_version != kPackFormatVersion) {
    return absl::FailedPreconditionError(absl::StrCat(path_, ": a pack of format version ",
                                                      footer.format_version, ", this program reads ",
                                                      kPackFormatVersion));
  }
  if (footer.generator_version != static_cast<int64_t>(kGeneratorVersion)) {
    return absl::FailedPreconditionError(absl::StrCat(path_, ": made with generator version ",
                                                      footer.generator_version, ", this program has ",
                                                      kGeneratorVersion, ": its cases have other inputs"));
  }
  if (footer.bytes != size - kPackFooterBytes)
    return Damaged("it does not have the size it was written with");
  Xxh64Stream hash;
  std::string part(1 << 20, '\0');
  for (uint64_t at = 0; at < footer.bytes;) {
    const size_t want = std::min<uint64_t>(part.size(), footer.bytes - at);
    const ssize_t got = pread(descriptor_.get(), part.data(), want, static_cast<off_t>(at));
    if (got <= 0) return Damaged(got == 0 ? "the file ends early" : std::strerror(errno));
    hash.Update({part.data(), static_cast<size_t>(got)});
    at += static_cast<uint64_t>(got);
  }
  if (Hex64(hash.Digest()) != footer.checksum) return Damaged("it does not match its checksum");
  return absl::OkStatus();
}

bool PackFileReader::ReadText(const char* attribute, std::string* value) const {
  const Handle handle(H5Aopen(file_.id(), attribute, H5P_DEFAULT), H5Aclose);
  const Handle type = hdf5::StringType();
  char* text = nullptr;
  if (!handle.ok() || H5Aread(handle.id(), type.id(), static_cast<void*>(&text)) < 0 || text == nullptr) {
    return false;
  }
  *value = text;
  H5free_memory(text);
  return true;
}

bool PackFileReader::ReadInt(const char* attribute, int64_t* value) const {
  const Handle handle(H5Aopen(file_.id(), attribute, H5P_DEFAULT), H5Aclose);
  return handle.ok() && H5Aread(handle.id(), H5T_NATIVE_INT64, value) >= 0;
}

absl::Status PackFileReader::ReadHeader() {
  file_ = Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file_.ok()) return hdf5::LastError(path_, "cannot open");
  DeviceProvenance& device = header_.device;
  const bool ok = ReadText("suite", &header_.suite) && ReadText("created", &header_.created) &&
                  ReadText("oracle", &header_.oracle) && ReadInt("full_bytes", &header_.full_bytes) &&
                  ReadInt("samples", &header_.samples) &&
                  ReadText("device_reference_vendor", &device.vendor) &&
                  ReadText("device_reference_version", &device.version) &&
                  ReadText("device_reference_sha256", &device.sha256) &&
                  ReadText("device_reference_contracts", &device.contracts) &&
                  ReadText("device_reference_created", &device.created);
  if (!ok) return Damaged("a pack that lacks some attributes");
  hsize_t at = 0;
  if (H5Literate(file_.id(), H5_INDEX_NAME, H5_ITER_INC, &at, AppendName, &operators_) < 0) {
    return hdf5::LastError(path_, "cannot list the operators");
  }
  return absl::OkStatus();
}

absl::Status PackFileReader::Load() {
  RETURN_IF_ERROR(CheckBytes());
  hdf5::Silence silence;
  return ReadHeader();
}

absl::StatusOr<std::string> PackFileReader::ReadDataset(const std::string& name, size_t* size) const {
  const Handle set(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(set.ok() ? H5Dget_type(set.id()) : -1, H5Tclose);
  const Handle space(set.ok() ? H5Dget_space(set.id()) : -1, H5Sclose);
  hsize_t count = 0;
  if (!type.ok() || !space.ok() || H5Sget_simple_extent_ndims(space.id()) != 1 ||
      H5Sget_simple_extent_dims(space.id(), &count, nullptr) != 1 || H5Tis_variable_str(type.id()) != 0) {
    return Damaged(absl::StrCat("it has no ", name, " of the right kind"));
  }
  *size = H5Tget_size(type.id());
  if (*size == 0 || count > kMaxDatasetBytes / *size) return Damaged(absl::StrCat(name, " is too large"));
  std::string bytes(count * *size, '\0');
  if (count > 0 && H5Dread(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) {
    return hdf5::LastError(path_, absl::StrCat("cannot read ", name));
  }
  return bytes;
}

absl::StatusOr<std::vector<std::string>> PackFileReader::ReadLines(const std::string& operator_name) const {
  size_t width = 0;
  ASSIGN_OR_RETURN(const std::string rows, ReadDataset(operator_name + "/cases", &width));
  std::vector<std::string> lines;
  for (size_t at = 0; at < rows.size(); at += width) {
    std::string line = rows.substr(at, width);
    line.resize(std::min(line.find('\0'), line.size()));
    lines.push_back(std::move(line));
  }
  return lines;
}

absl::StatusOr<std::vector<PackCase>> PackFileReader::Read(const std::string& operator_name) const {
  hdf5::Silence silence;
  ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines(operator_name));
  std::vector<PackPlace> places;
  absl::StatusOr<std::vector<PackCase>> cases = ParsePackLines(lines, header_.samples, &places);
  if (!cases.ok()) return Damaged(absl::StrCat(operator_name, " is ", cases.status().message()));
  std::map<Dtype, std::string> columns;
  size_t next = 0;
  for (PackCase& c : *cases) {
    for (PackTensor& tensor : c.tensors) {
      const PackPlace& place = places[next++];
      const std::string what = absl::StrCat("case ", c.id, ", tensor ", tensor.key);
      const Dtype dtype = tensor.values.dtype;
      const auto size = static_cast<uint64_t>(ElementSize(dtype));
      const auto count = static_cast<uint64_t>(NumElements(tensor.values.shape));
      if (count > 0 && columns.find(dtype) == columns.end()) {
        size_t element = 0;
        ASSIGN_OR_RETURN(
            std::string column,
            ReadDataset(absl::StrCat(operator_name, "/", std::string(DtypeName(dtype))), &element));
        if (element != size) return Damaged(absl::StrCat(what, " has elements of another size"));
        columns[dtype] = std::move(column);
      }
      const auto found = columns.find(dtype);  // none: nothing but tensors without elements so far
      const absl::string_view column = found == columns.end() ? "" : absl::string_view(found->second);
      const uint64_t held = size == 0 ? 0 : column.size() / size;
      const auto first = static_cast<uint64_t>(place.first);
      if (size == 0 || count > held || first > held - count) {
        return Damaged(absl::StrCat(what, " lies outside of its column"));
      }
      tensor.values.data = std::string(column.substr(first * size, count * size));
      if (Checksum(tensor.values.data) != place.checksum) {
        return Damaged(absl::StrCat(what, " does not match its checksum"));
      }
    }
  }
  return cases;
}

}  // namespace

bool PackReader::Has(const std::string& operator_name) const {
  return std::find(operators().begin(), operators().end(), operator_name) != operators().end();
}

absl::StatusOr<std::unique_ptr<PackReader>> PackReader::Open(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a named pipe would wait
  if (file.get() < 0) return ReadError(path, errno);
  auto reader = std::make_unique<PackFileReader>(path, std::move(file));
  RETURN_IF_ERROR(reader->Load());
  return reader;
}

}  // namespace diopi::baselines
