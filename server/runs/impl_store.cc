// A library's size is reserved for its owner before its first byte is written, and returned when the upload
// is dropped or the run's library is removed; so parallel uploads together cannot exceed a limit. Files have
// names made by this server, never by a client, and become a run's library by a rename.
#include "server/runs/impl_store.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cases/base/sha256.h"
#include "cases/base/status_macros.h"
#include "server/store/quota.h"

namespace diopi::server {
namespace {

namespace fs = std::filesystem;
constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr std::string_view kElfMagic = "\177ELF";

}  // namespace

ImplStore::Incoming::Incoming(ImplStore* store, std::string owner, std::string path, int64_t bytes)
    : store_(store), owner_(std::move(owner)), path_(std::move(path)), announced_(bytes) {}

ImplStore::Incoming::~Incoming() {
  if (kept_) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
  const std::lock_guard lock(store_->mutex_);
  store_->bytes_of_[owner_] -= announced_;
}

absl::Status ImplStore::Incoming::Add(std::string_view bytes) {
  received_ += static_cast<int64_t>(bytes.size());
  if (received_ > announced_) {
    return absl::InvalidArgumentError(
        absl::StrCat("the library is larger than announced: ", announced_, " bytes"));
  }
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file_)
    return absl::ResourceExhaustedError(absl::StrCat(path_, ": cannot be written: is the disk full?"));
  return absl::OkStatus();
}

absl::Status ImplStore::Incoming::Check(const std::string& sha256) {
  if (received_ != announced_) {
    return absl::InvalidArgumentError(
        absl::StrCat("the library is incomplete: ", received_, " bytes of ", announced_));
  }
  file_.close();
  if (!file_)
    return absl::ResourceExhaustedError(absl::StrCat(path_, ": cannot be written: is the disk full?"));
  // For any architecture: the agents' may differ from the server's.
  std::array<char, kElfMagic.size()> magic{};
  std::ifstream(path_, std::ios::binary).read(magic.data(), magic.size());
  if (std::string_view(magic.data(), magic.size()) != kElfMagic) {
    return absl::InvalidArgumentError("the upload is not a shared library: it is not an ELF file");
  }
  ASSIGN_OR_RETURN(const std::string actual, Sha256OfFile(path_));
  if (actual == absl::AsciiStrToLower(sha256)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the library was damaged in transit: its SHA-256 is ",
                                                 actual, ", ", sha256, " was announced"));
}

ImplStore::ImplStore(const std::string& data_folder, int64_t max_bytes)
    : folder_((fs::path(data_folder) / "uploads").string()), max_bytes_(max_bytes) {}

// Run ids are the database's own; nothing that a client says becomes a path.
std::string ImplStore::PathOf(const std::string& run_id) const {
  return (fs::path(folder_) / absl::StrCat(run_id, ".so")).string();
}

absl::StatusOr<std::unique_ptr<ImplStore::Incoming>> ImplStore::Receive(const std::string& owner,
                                                                        int64_t bytes,
                                                                        int64_t max_owner_bytes) {
  if (bytes <= 0 || bytes > max_bytes_) {
    return absl::InvalidArgumentError(
        absl::StrCat("an uploaded library may have up to ", max_bytes_, " bytes; this one has ", bytes));
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error) fs::permissions(folder_, fs::perms::owner_all, error);
  std::string path = absl::StrCat(folder_, "/incoming-XXXXXX");
  const int fd = error ? -1 : mkstemp(path.data());  // 0600
  if (fd < 0) return absl::InternalError(absl::StrCat(path, ": cannot be created"));
  close(fd);
  std::unique_ptr<Incoming> incoming(new Incoming(this, owner, path, bytes));
  {
    const std::lock_guard lock(mutex_);
    int64_t& held = bytes_of_[owner];
    held += bytes;  // until `incoming` or the run is gone
    if (max_owner_bytes > 0 && held > max_owner_bytes) {
      return QuotaError(absl::StrCat(
          "'", owner, "' has ", held - bytes, " bytes of uploaded libraries; this one has ", bytes, ", and ",
          max_owner_bytes, " are allowed in all (--max-owner-upload-mib): finish or cancel some runs first"));
    }
  }
  incoming->file_.open(path, std::ios::binary);
  return incoming;
}

absl::Status ImplStore::Keep(Incoming* incoming, const std::string& run_id) {
  std::error_code error;
  fs::rename(incoming->path_, PathOf(run_id), error);
  if (error) return absl::InternalError(absl::StrCat(PathOf(run_id), ": ", error.message()));
  incoming->kept_ = true;
  const std::lock_guard lock(mutex_);
  kept_[run_id] = {incoming->owner_, incoming->announced_};
  return absl::OkStatus();
}

absl::Status ImplStore::Read(const std::string& run_id,
                             const std::function<bool(std::string piece)>& sink) const {
  std::ifstream file(PathOf(run_id), std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("run ", run_id, " has no uploaded library now"));
  for (;;) {
    std::string piece(kPieceBytes, '\0');
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    piece.resize(static_cast<size_t>(file.gcount()));
    if (file.bad()) return absl::InternalError(absl::StrCat(PathOf(run_id), ": cannot be read"));
    if (piece.empty()) return absl::OkStatus();
    if (!sink(std::move(piece))) return absl::CancelledError("the agent disconnected");
  }
}

void ImplStore::Remove(const std::string& run_id) {
  std::error_code ignored;
  fs::remove(PathOf(run_id), ignored);
  const std::lock_guard lock(mutex_);
  const auto found = kept_.extract(run_id);
  if (!found.empty()) bytes_of_[found.mapped().owner] -= found.mapped().bytes;
}

void ImplStore::RemoveAllBut(std::map<std::string, Kept> runs) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    std::error_code ignored;
    if (!runs.contains(entry.path().stem().string())) fs::remove(entry.path(), ignored);
  }
  const std::lock_guard lock(mutex_);
  kept_ = std::move(runs);
  bytes_of_.clear();
  for (const auto& [run_id, kept] : kept_) bytes_of_[kept.owner] += kept.bytes;
}

}  // namespace diopi::server
