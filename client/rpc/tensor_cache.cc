// Entries are named by content (hash and size) and appear by rename, so readers need no lock and two agents
// never see half an entry. The total size is a counter in a shared mapping; it may drift when a process is
// killed, and is measured again before anything is evicted. A bad entry is removed and fetched again: the
// cache can cost time, but not a verdict.
#include "client/rpc/tensor_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/base/hash.h"

namespace diopi::rpc {
namespace {

namespace fs = std::filesystem;

// No process uses a temporary file this old: writing one takes seconds.
constexpr std::chrono::minutes kStale{10};

struct Entry {
  fs::path path;
  fs::file_time_type used;
  int64_t bytes;
};

bool ReadAll(int fd, std::string* data) {
  size_t done = 0;
  while (done < data->size()) {
    const ssize_t got = pread(fd, data->data() + done, data->size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

// Lists all entries, and removes temporary files that killed processes left.
std::vector<Entry> ListEntries(const std::string& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name == "size") continue;
    std::error_code gone;
    const fs::file_time_type used = it->last_write_time(gone);
    const auto bytes = static_cast<int64_t>(it->file_size(gone));
    if (gone) continue;  // another process was faster
    if (!absl::StartsWith(name, "tmp-")) {
      entries.push_back({it->path(), used, bytes});
    } else if (fs::file_time_type::clock::now() - used > kStale) {
      fs::remove(it->path(), gone);
    }
  }
  return entries;
}

absl::Status SystemError(const std::string& what) {
  return absl::ErrnoToStatus(errno, what);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TensorCache>> TensorCache::Open(const Options& options) {
  std::error_code error;
  const bool made = fs::create_directories(options.folder, error);
  if (error) {
    return absl::UnavailableError(absl::StrCat("cannot create ", options.folder, ": ", error.message()));
  }
  if (made) fs::permissions(options.folder, fs::perms::owner_all, error);
  const std::string path = options.folder + "/size";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return SystemError(absl::StrCat("cannot open ", path));
  // Allocates the blocks now: a full disk would kill this process later, through the mapping.
  const int full = posix_fallocate(fd, 0, sizeof(int64_t));
  void* memory =
      full != 0 ? MAP_FAILED : mmap(nullptr, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    if (full != 0) errno = full;
    absl::Status status = SystemError(absl::StrCat("cannot use ", path));
    close(fd);
    return status;
  }
  std::unique_ptr<TensorCache> cache(new TensorCache(options, fd, static_cast<int64_t*>(memory)));
  const Lock lock(cache.get());
  cache->Shrink(options.max_bytes);
  return cache;
}

TensorCache::TensorCache(Options options, int size_fd, int64_t* size)
    : options_(std::move(options)), size_fd_(size_fd), size_(size) {}

TensorCache::Lock::Lock(TensorCache* cache) : cache_(cache), threads_(cache->changing_) {
  while (flock(cache_->size_fd_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

TensorCache::Lock::~Lock() {
  flock(cache_->size_fd_, LOCK_UN);
}

TensorCache::~TensorCache() {
  munmap(size_, sizeof(int64_t));
  close(size_fd_);
}

std::string TensorCache::PathOf(uint64_t xxh64, int64_t bytes) const {
  return absl::StrCat(options_.folder, "/", Hex64(xxh64), "-", bytes);
}

std::optional<std::string> TensorCache::Get(uint64_t xxh64, int64_t bytes) {
  const std::string path = PathOf(xxh64, bytes);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) {
    ++misses_;
    return std::nullopt;
  }
  struct stat info {};
  std::string data;
  if (fstat(file.get(), &info) == 0 && info.st_size == bytes) {
    data.resize(static_cast<size_t>(bytes));
    if (ReadAll(file.get(), &data) && Xxh64(data) == xxh64) {
      futimens(file.get(), nullptr);
      ++hits_;
      return data;
    }
  }
  // If another process has just stored a good entry here, this removes it as well; it is fetched again.
  {
    const Lock lock(this);
    if (unlink(path.c_str()) == 0) *size_ -= info.st_size;
  }
  ++damaged_;
  ++misses_;
  return std::nullopt;
}

std::string TensorCache::WriteTemporary(std::string_view data) {
  std::string path = absl::StrCat(options_.folder, "/tmp-", getpid(), "-", ++temporaries_);
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0) return "";
  // Not synced: reading detects an entry that a crash of the machine damaged.
  if (WriteAll(file.get(), data)) return path;
  unlink(path.c_str());
  return "";
}

void TensorCache::Put(uint64_t xxh64, std::string_view data) {
  const auto bytes = static_cast<int64_t>(data.size());
  const std::string path = PathOf(xxh64, bytes);
  if (bytes > options_.max_bytes || access(path.c_str(), F_OK) == 0) return;
  const std::string temporary = WriteTemporary(data);
  if (temporary.empty()) return;
  const Lock lock(this);
  // The size may be wrong after a process was killed; measuring corrects it.
  const bool known = *size_ >= 0 && *size_ <= options_.max_bytes;
  // Frees an eighth more than needed, so that not every tensor causes a measurement.
  if (!known || *size_ + bytes > options_.max_bytes) {
    Shrink(std::max<int64_t>(0, std::min(options_.max_bytes / 8 * 7, options_.max_bytes - bytes)));
  }
  if (access(path.c_str(), F_OK) != 0) *size_ += bytes;
  if (rename(temporary.c_str(), path.c_str()) == 0) {
    ++stored_;
  } else {
    unlink(temporary.c_str());
    *size_ -= bytes;
  }
}

void TensorCache::Shrink(int64_t limit) {
  std::vector<Entry> entries = ListEntries(options_.folder);
  int64_t total = 0;
  for (const Entry& entry : entries) total += entry.bytes;
  if (total > limit) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const Entry& entry : entries) {
      if (total <= limit) break;
      if (unlink(entry.path.c_str()) != 0) continue;
      total -= entry.bytes;
      ++evicted_;
    }
  }
  *size_ = total;
}

TensorCache::Counts TensorCache::counts() const {
  return {hits_, misses_, damaged_, stored_, evicted_};
}

std::string DefaultCacheFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  // The XDG specification says to ignore relative paths.
  if (cache != nullptr && cache[0] == '/') return absl::StrCat(cache, "/diopi");
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? absl::StrCat(home, "/.cache/diopi") : "";
}

}  // namespace diopi::rpc
