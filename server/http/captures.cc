#include "server/http/captures.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "baselines/tap/capture.h"
#include "cases/base/text.h"

namespace diopi::server {
namespace {

namespace fs = std::filesystem;

// A file of a capture, by its name.
struct File {
  std::string path;
  tap::CaptureName name;
  int64_t bytes = 0;
};

struct Folder {
  std::string name;
  std::vector<File> files;  // by process, then in the order of the calls
  absl::Time newest = absl::InfinitePast();
};

std::string CapturesFolder(const std::string& data_folder) {
  return absl::StrCat(data_folder, "/captures");
}

// Files may come and go meanwhile.
Folder ReadFolder(const fs::path& path) {
  Folder folder{path.filename(), {}};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::optional<tap::CaptureName> name = tap::ParseCaptureName(entry.path());
    struct stat info {};
    if (!name.has_value() || stat(entry.path().c_str(), &info) != 0) continue;
    folder.files.push_back({entry.path(), *name, info.st_size});
    folder.newest = std::max(folder.newest, absl::TimeFromTimespec(info.st_mtim));
  }
  std::sort(folder.files.begin(), folder.files.end(), [](const File& a, const File& b) {
    return a.name.process != b.name.process ? a.name.process < b.name.process : a.name.order < b.name.order;
  });
  return folder;
}

v1::CaptureSummary SummaryOf(const Folder& folder) {
  std::set<std::string> functions;
  std::set<int64_t> processes;
  v1::CaptureSummary summary;
  for (const File& file : folder.files) {
    functions.insert(file.name.function);
    processes.insert(file.name.process);
    summary.set_bytes(summary.bytes() + file.bytes);
  }
  summary.set_name(folder.name);
  summary.set_calls(static_cast<int64_t>(folder.files.size()));
  summary.set_functions(static_cast<int64_t>(functions.size()));
  summary.set_processes(static_cast<int64_t>(processes.size()));
  summary.set_newest(absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", folder.newest, absl::UTCTimeZone()));
  return summary;
}

v1::CapturedCall CallOf(const File& file, const tap::CallSummary& call) {
  v1::CapturedCall shown;
  shown.set_file(fs::path(file.path).filename());
  shown.set_function(call.c.function());
  shown.set_dtype(call.c.dtype());
  shown.set_process(file.name.process);
  shown.set_order(call.facts.order);
  shown.set_step(call.facts.step);
  shown.set_thread(call.facts.thread);
  shown.set_stream(absl::StrFormat("0x%x", reinterpret_cast<uintptr_t>(call.facts.stream)));
  shown.set_start_us(call.facts.start_us);
  shown.set_took_us(call.facts.microseconds);
  shown.set_returned(call.facts.returned);
  shown.set_bytes(file.bytes);
  shown.set_arguments(tap::TensorsText(call.c));
  return shown;
}

}  // namespace

v1::CapturesPage LoadCaptures(const std::string& data_folder) {
  std::vector<Folder> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(CapturesFolder(data_folder), error)) {
    if (!entry.is_directory(error)) continue;
    Folder folder = ReadFolder(entry.path());
    if (!folder.files.empty()) folders.push_back(std::move(folder));
  }
  std::sort(folders.begin(), folders.end(), [](const Folder& a, const Folder& b) {
    return a.newest != b.newest ? a.newest > b.newest : a.name < b.name;
  });
  v1::CapturesPage page;
  for (const Folder& folder : folders) *page.add_captures() = SummaryOf(folder);
  return page;
}

absl::StatusOr<v1::CapturePage> LoadCapture(const std::string& data_folder, const std::string& name,
                                            int64_t limit) {
  Folder folder;
  // A name is one folder's, never a path.
  if (name != "." && name != ".." && name.find_first_of(std::string_view("/\0", 2)) == std::string::npos) {
    folder = ReadFolder(fs::path(CapturesFolder(data_folder)) / name);
  }
  if (folder.files.empty()) {
    return absl::NotFoundError(absl::StrCat("there is no capture '", name,
                                            "'; expected a folder of captured calls in DATA/captures"));
  }
  v1::CapturePage page;
  *page.mutable_summary() = SummaryOf(folder);
  std::set<int64_t> threads;
  const auto shown = std::min(folder.files.size(), static_cast<size_t>(limit));
  for (size_t i = 0; i < shown; ++i) {
    const absl::StatusOr<tap::CallSummary> call = tap::ReadCallSummary(folder.files[i].path);
    if (!call.ok()) {
      page.add_damaged(std::string(call.status().message()));
      continue;
    }
    threads.insert(call->facts.thread);
    page.set_library(call->library);
    *page.add_list() = CallOf(folder.files[i], *call);
  }
  page.set_command(absl::StrCat("diopi-cli replay ", ShellWord(name), " --impl LIBRARY"));
  page.set_threads(static_cast<int64_t>(threads.size()));
  return page;
}

}  // namespace diopi::server
