// Expanding a whole suite takes seconds of CPU, and its list tens of megabytes, so runs of one selection
// share an immutable list. A list lives as long as a run uses it; beyond that, those used last are kept. The
// call that comes first makes the list and the others wait for it: if its own caller goes away, it goes on
// for those that wait.
#include "server/runs/suite_cache.h"

#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/status_macros.h"
#include "cases/core/library_checks.h"

namespace diopi::server {
namespace {

// References come as float64 with a float32 sigma and, for float64, a low part.
constexpr int64_t kReferenceBytesPerElement = 8 + 4;

int64_t SpecBytes(const v1::TensorSpec& spec, bool judged) {
  int64_t elements = 1;
  for (const int64_t size : spec.shape()) elements *= size;
  return elements * (judged ? kReferenceBytesPerElement : ElementSize(spec.dtype()));
}

int64_t BytesOf(const PackedCase& c) {
  return static_cast<int64_t>(sizeof(PackedCase) + c.row.case_id.size() + c.row.case_hash.size() +
                              c.row.function.size() + c.row.op.size() + c.serialized.size());
}

// Core by its name or by none is one suite.
std::string KeyOf(v1::Selection selection) {
  if (selection.suite() == "core") selection.clear_suite();
  return selection.SerializeAsString();
}

}  // namespace

int64_t StreamedBytes(const v1::Case& c) {
  int64_t bytes = 0;
  for (const v1::Argument& arg : c.args()) {
    const bool judged = arg.role() == v1::ROLE_OUTPUT || arg.role() == v1::ROLE_INOUT;
    for (const v1::TensorSpec* spec : SpecsOf(arg))
      bytes += (judged ? SpecBytes(*spec, true) : 0) + (IsInput(arg) ? SpecBytes(*spec, false) : 0);
  }
  return bytes;
}

absl::StatusOr<const cases::Catalog*> LazyCatalog::Get() {
  const std::lock_guard lock(mutex_);
  if (catalog_ == nullptr) {
    ASSIGN_OR_RETURN(catalog_, load_());
  }
  return catalog_.get();
}

absl::StatusOr<SuiteCache::List> SuiteCache::Get(const v1::Selection& selection, const StillWanted& wanted) {
  const std::string key = KeyOf(selection);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (List list = Find(key); list != nullptr) return list;
    const auto made = making_.find(key);
    if (made == making_.end()) break;
    const std::shared_ptr<Making> others = made->second;
    ++others->waiting;
    changed_.wait_for(lock, kLookAgain);
    --others->waiting;
    if (others->list != nullptr) return others->list;
    RETURN_IF_ERROR(wanted());
  }
  const auto making = std::make_shared<Making>();
  making_.emplace(key, making);
  lock.unlock();
  const absl::StatusOr<List> list = Expand(selection, [this, &making, &wanted] {
    absl::Status status = wanted();
    if (status.ok()) return status;
    const std::lock_guard others(mutex_);
    return making->waiting > 0 ? absl::OkStatus() : status;
  });
  lock.lock();
  making_.erase(key);
  if (list.ok()) {
    ++expansions_;
    making->list = *list;
    Keep(key, *list);
  }
  changed_.notify_all();
  return list;
}

absl::StatusOr<SuiteCache::List> SuiteCache::Expand(const v1::Selection& selection,
                                                    const StillWanted& wanted) {
  ASSIGN_OR_RETURN(const cases::Catalog* catalog, catalog_->Get());
  auto list = std::make_shared<SuiteList>();
  cases::SuiteHasher hasher;
  const auto add = [&](const v1::Case& c) {
    hasher.Add(c.id(), c.hash());
    list->cases.push_back({{c.id(), c.hash(), c.function(), c.operator_()},
                           StreamedBytes(c),
                           cases::IsLibraryCheck(c),
                           c.SerializeAsString()});
    list->bytes += BytesOf(list->cases.back());
  };
  RETURN_IF_ERROR(catalog->VisitRun(selection, add, wanted));
  list->hash = std::move(hasher).Finish();
  list->cases.shrink_to_fit();
  return list;
}

SuiteCache::List SuiteCache::Find(const std::string& key) {
  const auto found = lists_.find(key);
  List list = found == lists_.end() ? nullptr : found->second.lock();
  if (list != nullptr) Keep(key, list);
  return list;
}

void SuiteCache::Keep(const std::string& key, const List& list) {
  lists_[key] = list;
  kept_.remove_if([&key](const auto& entry) { return entry.first == key; });
  kept_.emplace_front(key, list);
  int64_t bytes = 0;
  for (auto entry = kept_.begin(); entry != kept_.end();) {
    bytes += entry->second->bytes;
    entry = bytes > keep_bytes_ ? kept_.erase(entry) : std::next(entry);
  }
  std::erase_if(lists_, [](const auto& entry) { return entry.second.expired(); });
}

int64_t SuiteCache::expansions() {
  const std::lock_guard lock(mutex_);
  return expansions_;
}

}  // namespace diopi::server
