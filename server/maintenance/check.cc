#include "server/maintenance/check.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/store/store.h"
#include "cases/core/case_builder.h"
#include "server/store/check.h"
#include "server/store/database.h"

namespace diopi::server {
namespace {

namespace fs = std::filesystem;

class BaselineChecker {
 public:
  BaselineChecker(std::string path, CheckReport* report) : path_(std::move(path)), report_(report) {}

  void Check();

 private:
  void Add(absl::string_view what) { report_->problems.push_back(absl::StrCat(path_, ": ", what)); }
  // The reader's messages name the file themselves.
  void Add(const absl::Status& status) { report_->problems.emplace_back(status.message()); }
  void CheckCase(const baselines::BaselineReader& reader, const std::string& id);

  const std::string path_;
  CheckReport* const report_;
};

void BaselineChecker::CheckCase(const baselines::BaselineReader& reader, const std::string& id) {
  ++report_->cases;
  const absl::StatusOr<baselines::Baseline> baseline = reader.Read(id);
  if (baseline.ok()) {
    report_->tensors += static_cast<int64_t>(baseline->inputs.size() + baseline->references.size());
    report_->quarantined += baseline->quarantined.empty() ? 0 : 1;
  } else {
    Add(baseline.status());
  }
  const absl::StatusOr<v1::Case> c = reader.ReadCase(id);
  if (!c.ok()) return Add(c.status());
  if (c->id() != id) Add(absl::StrCat("case ", id, ": its text is that of case ", c->id()));
  if (c->hash() != reader.HashOf(id)) {
    Add(absl::StrCat("case ", id, ": the index has hash ", reader.HashOf(id), ", its text ", c->hash()));
  }
  if (const std::string content = cases::ContentHash(*c); content != c->hash()) {
    Add(absl::StrCat("case ", id, ": its hash is ", c->hash(), ", its content has ", content));
  }
}

void BaselineChecker::Check() {
  const absl::StatusOr<std::unique_ptr<baselines::BaselineReader>> reader =
      baselines::BaselineReader::Open(path_);
  if (absl::IsNotFound(reader.status())) return;  // removed since it was listed
  ++report_->files;
  if (!reader.ok()) return Add(reader.status());
  const fs::path path(path_);
  if ((*reader)->operator_name() != path.stem().string()) {
    Add(absl::StrCat("holds the operator ", (*reader)->operator_name()));
  }
  if ((*reader)->provenance().reference != path.parent_path().filename().string()) {
    Add(absl::StrCat("holds baselines of the reference ", (*reader)->provenance().reference));
  }
  for (const std::string& id : (*reader)->case_ids()) CheckCase(**reader, id);
}

// DATA/baselines/*/*.h5, sorted. Folders that cannot be read are problems.
std::vector<std::string> BaselineFiles(const std::string& data_folder, CheckReport* report) {
  std::vector<std::string> files;
  const fs::path root = fs::path(data_folder) / "baselines";
  std::error_code error;
  if (!fs::exists(root, error)) return files;
  const auto list = [&](const fs::path& folder, const auto& visit) {
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) visit(*entry);
    if (error) report->problems.push_back(absl::StrCat(folder.string(), ": ", error.message()));
    error.clear();
  };
  list(root, [&](const fs::directory_entry& reference) {
    std::error_code ignored;
    if (!reference.is_directory(ignored)) return;
    list(reference.path(), [&](const fs::directory_entry& file) {
      if (file.path().extension() == ".h5") files.push_back(file.path().string());
    });
  });
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

absl::StatusOr<CheckReport> CheckDataFolder(const std::string& data_folder) {
  std::error_code error;
  if (!fs::is_directory(data_folder, error)) {
    return absl::NotFoundError(absl::StrCat(data_folder, ": there is no such data folder"));
  }
  CheckReport report;
  absl::StatusOr<DatabaseCheck> database = CheckDatabase(DatabasePath(data_folder));
  if (database.ok()) {
    report.runs = database->runs;
    report.results = database->results;
    report.problems = std::move(database->problems);
  } else if (!absl::IsNotFound(database.status())) {
    return database.status();
  }
  for (const std::string& file : BaselineFiles(data_folder, &report)) BaselineChecker(file, &report).Check();
  return report;
}

}  // namespace diopi::server
