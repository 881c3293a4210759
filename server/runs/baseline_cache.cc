#include "server/runs/baseline_cache.h"

#include <sys/stat.h>

#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"

namespace diopi::server {
namespace {

// Leaves out when the file was made: the files of a run's operators are of different seconds and of one
// reference.
std::string OneLine(const baselines::Provenance& p) {
  std::vector<std::string> details;
  for (const std::string& detail : {p.device, p.versions}) {
    if (!detail.empty()) details.push_back(detail);
  }
  if (!p.library_hash.empty()) details.push_back(absl::StrCat("library ", p.library_hash));
  return absl::StrCat(p.reference, ": ", p.library, " (", absl::StrJoin(details, "; "), ")");
}

std::string NameOf(const baselines::DeviceProvenance& p) {
  return absl::StrCat(p.vendor, p.version.empty() ? "" : " ", p.version);
}

std::string OneLine(const baselines::DeviceProvenance& p) {
  if (p.vendor.empty()) return "";
  return absl::StrCat("device reference: ", NameOf(p), " (library ", p.sha256.substr(0, 16),
                      p.contracts.empty() ? "" : "; contracts ", p.contracts, ")");
}

}  // namespace

absl::Status OpenBaseline::Check(const v1::Case& c) const {
  const std::string hash = reader->HashOf(c.id());
  if (hash == c.hash()) return absl::OkStatus();
  if (hash.empty()) {
    return absl::NotFoundError(
        absl::StrCat(path, ": no baseline of ", c.id(), "; run diopi-cli gen --fname ", c.operator_()));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": the baseline of ", c.id(), " is of another version of the case (hash ", hash,
                   ", the case has ", c.hash(), "); run diopi-cli gen --fname ", c.operator_()));
}

BaselineCache::Stamp BaselineCache::StampOf(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
  return {info.st_dev, info.st_ino, info.st_size,
          info.st_mtim.tv_sec * kNanosecondsPerSecond + info.st_mtim.tv_nsec};
}

absl::StatusOr<std::shared_ptr<const OpenBaseline>> BaselineCache::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<baselines::BaselineReader> reader, baselines::BaselineReader::Open(path));
  auto opened = std::make_shared<OpenBaseline>();
  opened->path = path;
  opened->reference = OneLine(reader->provenance());
  opened->device_reference = OneLine(reader->provenance().device_reference);
  opened->device_name = NameOf(reader->provenance().device_reference);
  opened->reader = std::move(reader);
  return std::shared_ptr<const OpenBaseline>(std::move(opened));
}

BaselineCache::Counts BaselineCache::GetCounts() {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  for (const auto& [unused, entry] : entries_) counts.open += entry.baseline.ok() ? 1 : 0;
  return counts;
}

absl::StatusOr<std::shared_ptr<const OpenBaseline>> BaselineCache::Get(const std::string& operator_name) {
  const std::string path = baselines::BaselinePath(data_folder_, reference_, operator_name);
  const std::lock_guard lock(mutex_);
  // Taken before opening: a file that is replaced in between is opened once more next time, never missed.
  const Stamp stamp = StampOf(path);
  const auto found = entries_.find(operator_name);
  if (found != entries_.end() && found->second.stamp == stamp) {
    ++counts_.hits;
    recent_.splice(recent_.begin(), recent_, found->second.used);
    return found->second.baseline;
  }
  if (found != entries_.end()) {
    recent_.erase(found->second.used);
    entries_.erase(found);
  }
  ++counts_.misses;
  recent_.push_front(operator_name);
  const auto added = entries_.emplace(operator_name, Entry{stamp, Open(path), recent_.begin()}).first;
  if (entries_.size() > max_open_) {
    entries_.erase(recent_.back());
    recent_.pop_back();
  }
  return added->second.baseline;
}

}  // namespace diopi::server
