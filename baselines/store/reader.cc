// No HDF5 call is made here: HDF5 1.10 may loop or crash on a damaged file, and this one is not trusted.
// Footer, index and each tensor have checksums, which are verified before their bytes are used; sizes read
// before a checksum is verified have limits.
#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/store/checksum.h"
#include "baselines/store/index.h"
#include "baselines/store/store.h"
#include "cases/base/file_error.h"
#include "cases/base/status_macros.h"

namespace diopi::baselines {
namespace {

// No HDF5 call is made here: HDF5 1.10 may loop or crash on a damaged file, and this one is not trusted.
constexpr uint64_t kMaxIndexBytes = uint64_t{256}
                                    << 20;  // of a million cases, ten times as many as there are

class Reader final : public BaselineReader {
 public:
  Reader(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~Reader() override { close(fd_); }

  absl::Status Load();

  const std::string& operator_name() const override { return index_.operator_name; }
  const Provenance& provenance() const override { return index_.provenance; }
  std::vector<std::string> case_ids() const override;
  std::string HashOf(const std::string& case_id) const override;
  absl::StatusOr<Baseline> Read(const std::string& case_id) const override;
  absl::StatusOr<const CaseEntry*> Find(const std::string& case_id) const override;
  absl::Status ReadPart(const Piece& piece, uint64_t offset, char* into, size_t size) const override;
  absl::StatusOr<v1::Case> ReadCase(const std::string& case_id) const override;

 private:
  absl::Status ReadBytes(const Piece& piece, std::string* data) const;
  absl::Status Damaged(const std::string& what) const {
    return absl::DataLossError(absl::StrCat(path_, ": ", what));
  }

  const std::string path_;
  const int fd_;
  Index index_;
  std::map<std::string, const CaseEntry*, std::less<>> by_id_;
};

absl::Status Reader::Load() {
  struct stat info {};
  if (fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) return Damaged("not a file");
  const auto size = static_cast<uint64_t>(info.st_size);
  std::string signature;
  if (size < kHdf5Signature.size() || !ReadBytes({0, kHdf5Signature.size(), {}}, &signature).ok() ||
      signature != kHdf5Signature) {
    return Damaged("not an HDF5 file");
  }
  std::string footer;
  Piece piece;
  if (size < kFooterBytes || !ReadBytes({size - kFooterBytes, kFooterBytes, {}}, &footer).ok() ||
      !ParseFooter(footer, &piece)) {
    return Damaged("truncated, or an HDF5 file that is not a baseline: it does not end with the footer");
  }
  std::string text;
  if (piece.nbytes > size || piece.offset > size - piece.nbytes)
    return Damaged("the index lies outside the file");
  // A sparse file may have any size, so reading before a checksum was verified has a limit.
  if (piece.nbytes > kMaxIndexBytes) {
    return Damaged(absl::StrCat("the index has ", piece.nbytes, " bytes; the limit is ", kMaxIndexBytes));
  }
  RETURN_IF_ERROR(ReadBytes(piece, &text));
  if (Checksum(text) != piece.checksum) return Damaged("the index does not match its checksum");
  absl::StatusOr<Index> index = ParseIndex(text, size);
  if (!index.ok()) {
    return absl::Status(index.status().code(), absl::StrCat(path_, ": ", index.status().message()));
  }
  index_ = *std::move(index);
  for (const CaseEntry& c : index_.cases) by_id_[c.id] = &c;
  return absl::OkStatus();
}

std::vector<std::string> Reader::case_ids() const {
  std::vector<std::string> ids;
  ids.reserve(index_.cases.size());
  for (const CaseEntry& c : index_.cases) ids.push_back(c.id);
  return ids;
}

std::string Reader::HashOf(const std::string& case_id) const {
  const auto found = by_id_.find(case_id);
  return found == by_id_.end() ? "" : found->second->hash;
}

absl::StatusOr<const CaseEntry*> Reader::Find(const std::string& case_id) const {
  const auto found = by_id_.find(case_id);
  if (found == by_id_.end()) return absl::NotFoundError(absl::StrCat(path_, ": no case ", case_id));
  return found->second;
}

absl::Status Reader::ReadPart(const Piece& piece, uint64_t offset, char* into, size_t size) const {
  if (offset > piece.nbytes || size > piece.nbytes - offset)
    return Damaged("more bytes requested than the file has");
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(fd_, into + done, size - done, static_cast<off_t>(piece.offset + offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Damaged(got == 0 ? "the file ends early" : std::strerror(errno));
    done += static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadBytes(const Piece& piece, std::string* data) const {
  data->resize(piece.nbytes);
  return ReadPart(piece, 0, data->data(), data->size());
}

absl::StatusOr<Baseline> Reader::Read(const std::string& case_id) const {
  ASSIGN_OR_RETURN(const CaseEntry* entry, Find(case_id));
  Baseline baseline;
  baseline.quarantined = entry->quarantined;
  for (const TensorEntry& t : entry->tensors) {
    HostTensor tensor{t.dtype, t.shape, {}};
    const absl::Status status = ReadBytes(t.piece, &tensor.data);
    const std::string where = absl::StrCat("case ", case_id, ", tensor ", t.key);
    if (!status.ok()) return absl::DataLossError(absl::StrCat(status.message(), " (", where, ")"));
    if (Checksum(tensor.data) != t.piece.checksum) {
      return Damaged(absl::StrCat(where, " does not match its checksum"));
    }
    (t.output ? baseline.references : baseline.inputs)[t.key] = std::move(tensor);
  }
  return baseline;
}

absl::StatusOr<v1::Case> Reader::ReadCase(const std::string& case_id) const {
  ASSIGN_OR_RETURN(const CaseEntry* entry, Find(case_id));
  std::string json;
  RETURN_IF_ERROR(ReadBytes(entry->json, &json));
  v1::Case c;
  if (Checksum(json) != entry->json.checksum) {
    return Damaged(absl::StrCat("the text of case ", case_id, " does not match its checksum"));
  }
  const auto parsed = google::protobuf::util::JsonStringToMessage(json, &c);
  if (!parsed.ok()) return Damaged(absl::StrCat("case ", case_id, ": ", parsed.ToString()));
  return c;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BaselineReader>> BaselineReader::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a named pipe would wait
  if (fd < 0) return ReadError(path, errno);
  auto reader = std::make_unique<Reader>(path, fd);
  RETURN_IF_ERROR(reader->Load());
  return reader;
}

}  // namespace diopi::baselines
