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
#include "cases/base/dtype.h"
#include "reports/document/escape.h"

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

Json SummaryJson(const Folder& folder) {
  std::set<std::string> functions;
  std::set<int64_t> processes;
  int64_t bytes = 0;
  for (const File& file : folder.files) {
    functions.insert(file.name.function);
    processes.insert(file.name.process);
    bytes += file.bytes;
  }
  return Json{{"name", JsonText(folder.name)},
              {"calls", folder.files.size()},
              {"functions", functions.size()},
              {"processes", processes.size()},
              {"bytes", bytes},
              {"newest", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", folder.newest, absl::UTCTimeZone())}};
}

Json CallJson(const File& file, const tap::CallSummary& call) {
  return Json{{"file", JsonText(fs::path(file.path).filename())},
              {"function", JsonText(call.c.function())},
              {"dtype", std::string(DtypeName(call.c.dtype()))},
              {"process", file.name.process},
              {"order", call.facts.order},
              {"step", call.facts.step},
              {"thread", call.facts.thread},
              {"stream", absl::StrFormat("0x%x", reinterpret_cast<uintptr_t>(call.facts.stream))},
              {"start_us", call.facts.start_us},
              {"took_us", call.facts.microseconds},
              {"returned", call.facts.returned},
              {"bytes", file.bytes},
              {"arguments", JsonText(tap::TensorsText(call.c))}};
}

}  // namespace

Json CapturesJson(const std::string& data_folder) {
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
  Json list = Json::array();
  for (const Folder& folder : folders) list.push_back(SummaryJson(folder));
  return Json{{"captures", std::move(list)}};
}

absl::StatusOr<Json> CaptureJson(const std::string& data_folder, const std::string& name, int64_t limit) {
  Folder folder;
  // A name is one folder's, never a path.
  if (name != "." && name != ".." && name.find_first_of(std::string_view("/\0", 2)) == std::string::npos) {
    folder = ReadFolder(fs::path(CapturesFolder(data_folder)) / name);
  }
  if (folder.files.empty()) {
    return absl::NotFoundError(absl::StrCat("there is no capture '", name,
                                            "'; expected a folder of captured calls in DATA/captures"));
  }
  Json json = SummaryJson(folder);
  Json calls = Json::array();
  Json damaged = Json::array();
  std::set<int64_t> threads;
  std::string library;
  const auto shown = std::min(folder.files.size(), static_cast<size_t>(limit));
  for (size_t i = 0; i < shown; ++i) {
    const absl::StatusOr<tap::CallSummary> call = tap::ReadCallSummary(folder.files[i].path);
    if (!call.ok()) {
      damaged.push_back(JsonText(std::string(call.status().message())));
      continue;
    }
    threads.insert(call->facts.thread);
    library = call->library;
    calls.push_back(CallJson(folder.files[i], *call));
  }
  json["library"] = JsonText(library);
  json["command"] = JsonText(absl::StrCat("diopi-cli replay ", reports::ShellWord(name), " --impl LIBRARY"));
  json["threads"] = threads.size();
  json["list"] = std::move(calls);
  json["damaged"] = std::move(damaged);
  return json;
}

}  // namespace diopi::server
