// The elements of an operator are one compressed dataset for each dtype, because thousands of small datasets
// would take more space than their elements. Which elements of a large tensor are kept follows from its size
// alone (SamplePosition), so a reader needs no list. The footer's checksum is taken from the bytes on disk,
// after HDF5 has closed the file.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/store/checksum.h"
#include "baselines/store/h5.h"
#include "baselines/store/index.h"
#include "baselines/store/new_file.h"
#include "baselines/store/pack.h"
#include "baselines/store/pack_text.h"
#include "baselines/store/replace.h"
#include "cases/base/hash.h"
#include "cases/base/split_mix.h"
#include "cases/base/status_macros.h"
#include "cases/fill/fill.h"

namespace diopi::baselines {
namespace {

using hdf5::Handle;

constexpr hsize_t kChunkElements = 65536;
constexpr unsigned kDeflateLevel = 9;

constexpr char kSampling[] =
    "Sample i of s, of n elements in row-major order, is element b + h(i) mod (e - b) with b = floor(i n / "
    "s), e = floor((i + 1) n / s) and h the SplitMix64 function of i.";

std::string About(const PackHeader& header) {
  return absl::StrCat("What ", header.device.vendor, " ", header.device.version,
                      " returned for the cases of suite ", header.suite,
                      ". OPERATOR/cases lists them, OPERATOR/DTYPE holds the elements. Tensors of up to ",
                      header.full_bytes, " bytes are full; of larger ones ", header.samples,
                      " elements are kept, with statistics of all of them.");
}

class Writer final : public PackWriter {
 public:
  Writer(std::string path, Descriptor lock, const PackHeader& header)
      : file_(std::move(path), std::move(lock), Outlives::kMachine), header_(header) {}

  absl::Status Start();
  absl::Status Add(const std::string& operator_name, const std::vector<PackCase>& cases) override;
  absl::Status Commit() override;

 private:
  // The elements of one dtype, as far as they are collected.
  struct Column {
    int64_t count = 0;
    std::string bytes;
  };

  absl::Status AddOperator(const std::string& name, const std::vector<PackCase>& cases);
  absl::Status WriteLines(hid_t group, const std::vector<std::string>& lines);
  absl::Status WriteColumn(hid_t group, Dtype dtype, const Column& column);
  absl::Status WriteDataset(hid_t group, const std::string& name, hid_t type, int64_t count, bool shuffle,
                            const std::string& bytes);
  hdf5::NewFile file_;
  const PackHeader header_;
};

absl::Status Writer::Start() {
  RETURN_IF_ERROR(file_.Open());
  const hdf5::Silence silence;
  const DeviceProvenance& device = header_.device;
  const std::vector<std::pair<const char*, std::string>> texts = {
      {"format", "diopi-pack"},
      {"about", About(header_)},
      {"sampling", kSampling},
      {"suite", header_.suite},
      {"created", header_.created},
      {"oracle", header_.oracle},
      {"device_reference_vendor", device.vendor},
      {"device_reference_version", device.version},
      {"device_reference_sha256", device.sha256},
      {"device_reference_contracts", device.contracts},
      {"device_reference_created", device.created}};
  const std::vector<std::pair<const char*, int64_t>> numbers = {
      {"format_version", kPackFormatVersion},
      {"generator_version", static_cast<int64_t>(kGeneratorVersion)},
      {"full_bytes", header_.full_bytes},
      {"samples", header_.samples}};
  const bool ok =
      std::all_of(texts.begin(), texts.end(),
                  [&](const auto& text) { return file_.WriteText(file_.root(), text.first, text.second); }) &&
      std::all_of(numbers.begin(), numbers.end(), [&](const auto& number) {
        return file_.WriteNumber(file_.root(), number.first, number.second);
      });
  return ok ? absl::OkStatus() : file_.Failure("cannot write the header");
}

absl::Status Writer::Add(const std::string& operator_name, const std::vector<PackCase>& cases) {
  absl::Status status = file_.Usable("Add");
  if (!status.ok()) return status;
  const hdf5::Silence silence;
  status = AddOperator(operator_name, cases);
  if (status.ok()) status = file_.Written();
  if (!status.ok()) file_.Discard();
  return status;
}

absl::Status Writer::AddOperator(const std::string& name, const std::vector<PackCase>& cases) {
  if (!IsStorableName(name)) {
    return absl::InvalidArgumentError(absl::StrCat(file_.path(), ": '", name, "' cannot name an operator"));
  }
  Handle group(H5Gcreate2(file_.root(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!group.ok()) return file_.Failure(absl::StrCat("cannot write operator ", name));
  std::map<Dtype, Column> columns;
  std::vector<std::string> lines;
  for (const PackCase& c : cases) {
    if (!IsStorableName(c.id) || !IsStorableName(c.hash) || !IsStorableName(c.inputs)) {
      return absl::InvalidArgumentError(absl::StrCat(file_.path(), ": '", c.id, "' cannot name a case"));
    }
    lines.push_back(PackCaseLine(c));
    if (!c.quarantined.empty()) lines.push_back(PackReasonLine("quarantined", c.quarantined));
    if (!c.without.empty()) lines.push_back(PackReasonLine("without", c.without));
    for (const PackTensor& tensor : c.tensors) {
      const HostTensor& values = tensor.values;
      const int64_t count = NumElements(values.shape);
      if (!IsStorableName(tensor.key) ||
          static_cast<size_t>(count * ElementSize(values.dtype)) != values.data.size()) {
        return absl::InvalidArgumentError(absl::StrCat(file_.path(), ": case ", c.id, ": tensor '",
                                                       tensor.key, "' holds ", values.data.size(), " bytes"));
      }
      Column& column = columns[values.dtype];
      lines.push_back(PackTensorLine(tensor, {column.count, Checksum(values.data)}));
      column.count += count;
      column.bytes += values.data;
    }
  }
  absl::Status status = WriteLines(group.id(), lines);
  for (const auto& [dtype, column] : columns) {
    if (status.ok()) status = WriteColumn(group.id(), dtype, column);
  }
  if (status.ok() && !group.Close()) status = file_.Failure(absl::StrCat("cannot write operator ", name));
  return status;
}

absl::Status Writer::WriteLines(hid_t group, const std::vector<std::string>& lines) {
  size_t longest = 1;
  for (const std::string& line : lines) longest = std::max(longest, line.size());
  std::string rows;
  for (const std::string& line : lines) rows += line + std::string(longest - line.size(), '\0');
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), longest);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  return WriteDataset(group, "cases", type.id(), static_cast<int64_t>(lines.size()), false, rows);
}

absl::Status Writer::WriteColumn(hid_t group, Dtype dtype, const Column& column) {
  if (column.count == 0) return absl::OkStatus();
  const Handle type = hdf5::FileType(dtype);
  const std::string name(DtypeName(dtype));
  if (!type.ok())
    return absl::InvalidArgumentError(absl::StrCat(file_.path(), ": ", name, " is never stored"));
  return WriteDataset(group, name, type.id(), column.count, true, column.bytes);
}

absl::Status Writer::WriteDataset(hid_t group, const std::string& name, hid_t type, int64_t count,
                                  bool shuffle, const std::string& bytes) {
  const auto size = static_cast<hsize_t>(count);
  const hsize_t chunk = std::max<hsize_t>(1, std::min(size, kChunkElements));
  const Handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(options.id(), false);
  H5Pset_chunk(options.id(), 1, &chunk);
  if (shuffle) H5Pset_shuffle(options.id());
  H5Pset_deflate(options.id(), kDeflateLevel);
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  Handle set(H5Dcreate2(group, name.c_str(), type, space.id(), H5P_DEFAULT, options.id(), H5P_DEFAULT),
             H5Dclose);
  const bool ok =
      set.ok() && H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0 && set.Close();
  return ok ? absl::OkStatus() : file_.Failure(absl::StrCat("cannot write ", name));
}

// The file's bytes are read back: the checksum is of what is on disk.
absl::StatusOr<std::string> FooterOf(const std::string& path, int fd, int64_t size) {
  Xxh64Stream hash;
  std::string part(1 << 20, '\0');
  for (int64_t at = 0; at < size;) {
    const ssize_t got = pread(fd, part.data(), part.size(), at);
    if (got <= 0) return SystemError(absl::StrCat("cannot read ", path), got == 0 ? EIO : errno);
    hash.Update({part.data(), static_cast<size_t>(got)});
    at += got;
  }
  return FormatPackFooter({kPackFormatVersion, static_cast<int64_t>(kGeneratorVersion),
                           static_cast<uint64_t>(size), Hex64(hash.Digest())});
}

absl::Status Writer::Commit() {
  return file_.Commit([this](int fd, int64_t size) { return FooterOf(file_.path(), fd, size); });
}

// floor(i * n / samples) without overflow.
int64_t Boundary(int64_t i, int64_t samples, int64_t n) {
  return i * (n / samples) + i * (n % samples) / samples;
}

}  // namespace

int64_t SamplePosition(int64_t i, int64_t samples, int64_t n) {
  const int64_t begin = Boundary(i, samples, n), end = Boundary(i + 1, samples, n);
  return begin +
         static_cast<int64_t>(SplitMix64(static_cast<uint64_t>(i)) % static_cast<uint64_t>(end - begin));
}

TensorStatistics StatisticsOf(const HostTensor& tensor) {
  TensorStatistics s;
  const int64_t n = NumElements(tensor.shape);
  int64_t finite = 0;
  double squares = 0;  // of distances from the mean so far
  for (int64_t i = 0; i < n; ++i) {
    const double x = ElementAsDouble(tensor.dtype, tensor.data.data(), i);
    s.nans += std::isnan(x) ? 1 : 0;
    s.infinities += std::isinf(x) ? 1 : 0;
    if (!std::isfinite(x)) continue;
    s.min = finite == 0 ? x : std::min(s.min, x);
    s.max = finite == 0 ? x : std::max(s.max, x);
    ++finite;
    const double distance = x - s.mean;
    s.mean += distance / static_cast<double>(finite);
    squares += distance * (x - s.mean);
  }
  s.deviation = finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
  return s;
}

PackTensor MakePackTensor(const std::string& key, const HostTensor& tensor, const PackHeader& header) {
  PackTensor packed{key, tensor.shape, {tensor.dtype, {header.samples}, {}}, true, {}};
  const int64_t n = NumElements(tensor.shape);
  if (static_cast<int64_t>(tensor.data.size()) <= header.full_bytes || n <= header.samples) {
    packed.values = tensor;
    packed.sampled = false;
    return packed;
  }
  const auto size = static_cast<size_t>(ElementSize(tensor.dtype));
  for (int64_t i = 0; i < header.samples; ++i) {
    packed.values.data.append(tensor.data, static_cast<size_t>(SamplePosition(i, header.samples, n)) * size,
                              size);
  }
  packed.statistics = StatisticsOf(tensor);
  return packed;
}

std::string InputsChecksum(const TensorMap& inputs) {
  std::string text;
  for (const auto& [key, tensor] : inputs) {
    absl::StrAppend(&text, key, " ", static_cast<int>(tensor.dtype), " ", absl::StrJoin(tensor.shape, "x"),
                    " ", Checksum(tensor.data), "\n");
  }
  return Checksum(text);
}

absl::StatusOr<std::unique_ptr<PackWriter>> PackWriter::Create(const std::string& path,
                                                               const PackHeader& header) {
  ASSIGN_OR_RETURN(Descriptor lock, OpenTemporary(path));
  auto writer = std::make_unique<Writer>(path, std::move(lock), header);
  RETURN_IF_ERROR(writer->Start());
  return writer;
}

}  // namespace diopi::baselines
