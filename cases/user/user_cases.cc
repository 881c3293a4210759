#include "cases/user/user_cases.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "cases/core/library_checks.h"
#include "cases/core/operator_file.h"
#include "cases/fill/fill.h"

namespace diopi::cases {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::vector<std::string>> OperatorFiles(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return absl::NotFoundError(
        absl::StrCat(folder, " is not a folder; --cases takes a folder of *.textproto"));
  }
  std::vector<std::string> paths;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".textproto" && entry->is_regular_file(error)) {
      paths.push_back(entry->path().string());
    }
  }
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  if (paths.empty()) return absl::NotFoundError(absl::StrCat(folder, " has no *.textproto"));
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Takes the files one by one and collects their errors.
class Folder {
 public:
  void Add(const std::string& path) {
    const absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return Find(std::string(text.status().message()));
    absl::StatusOr<ParsedOperator> parsed = ParseOperator(*text, path);
    if (!parsed.ok()) return Find(std::string(parsed.status().message()));
    if (parsed->file.operator_() == kLibraryOperator) {
      return Find(
          parsed->lines.At({{"operator", -1}}) +
          "no operator may be called library: the library checks have this name; expected another name");
    }
    const absl::StatusOr<std::vector<v1::Case>> cases = ExpandOperator(parsed->file, parsed->lines);
    if (!cases.ok()) return Find(std::string(cases.status().message()));
    const absl::Status ours = KnowOurs(parsed->file.operator_());
    if (!ours.ok()) return Find(std::string(ours.message()));
    std::set<std::string> reported;  // labels; a point has a case for each dtype and function
    for (const v1::Case& c : *cases) Check(*parsed, c, &reported);
    files_.push_back(std::move(parsed->file));
  }

  absl::StatusOr<std::vector<v1::OperatorFile>> Take() {
    if (!findings_.empty()) return absl::InvalidArgumentError(absl::StrJoin(findings_, "\n"));
    return std::move(files_);
  }

 private:
  void Find(std::string finding) { findings_.push_back(std::move(finding)); }

  // Collects the ids of our cases with which an operator of this name could collide.
  absl::Status KnowOurs(const std::string& operator_name) {
    if (builtin_ == nullptr) {
      ASSIGN_OR_RETURN(builtin_, Catalog::LoadBuiltin());
    }
    if (!known_.insert(operator_name).second) return absl::OkStatus();
    for (const v1::OperatorFile& op : builtin_->operators()) {
      if (op.operator_() != operator_name) continue;
      ASSIGN_OR_RETURN(const std::vector<v1::Case> cases, Expand(op, operator_name));
      for (const v1::Case& c : cases) ids_.emplace(c.id(), "in the built-in suite");
    }
    return absl::OkStatus();
  }

  void Check(const ParsedOperator& parsed, const v1::Case& c, std::set<std::string>* reported) {
    const std::string line = parsed.PointLine(c.label());
    const auto [id, is_new] = ids_.emplace(c.id(), absl::StrCat("at ", line.substr(0, line.rfind(':'))));
    std::string finding;
    if (!is_new) {
      finding =
          absl::StrCat("the case ", c.id(), " already exists, ", id->second, "; expected another label");
    } else {
      finding = std::string(CheckInputs(c).message());
    }
    if (!finding.empty() && reported->insert(c.label()).second) Find(line + finding);
  }

  std::unique_ptr<Catalog> builtin_;
  std::set<std::string> known_;             // operators whose ids of ours are in ids_
  std::map<std::string, std::string> ids_;  // and where each is from
  std::vector<v1::OperatorFile> files_;
  std::vector<std::string> findings_;
};

}  // namespace

absl::StatusOr<std::vector<v1::OperatorFile>> ReadUserCases(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<std::string> paths, OperatorFiles(folder));
  Folder read;
  for (const std::string& path : paths) read.Add(path);
  return read.Take();
}

absl::StatusOr<std::unique_ptr<Catalog>> LoadCatalog(const std::string& folder) {
  if (folder.empty()) return Catalog::LoadBuiltin();
  ASSIGN_OR_RETURN(std::vector<v1::OperatorFile> files, ReadUserCases(folder));
  return Catalog::LoadBuiltinWith(std::move(files));
}

}  // namespace diopi::cases
