#include "client/profile/import/import.h"

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "cases/base/temporary_folder.h"
#include "cases/base/write_file.h"
#include "cases/core/catalog.h"
#include "cases/import/import_configs.h"
#include "cases/import/python.h"
#include "client/profile/import/import_script.h"
#include "client/profile/profile.h"
#include "client/profile/waivers.h"
#include "proto/abi/abi.h"

namespace diopi::profile {
namespace {

// Names of the ABI and of operators' files, which have no character that needs an escape.
std::string NamesJson(const std::map<std::string, std::set<std::string>>& names) {
  const auto quoted = [](std::string* out, const std::string& name) {
    absl::StrAppend(out, "\"", name, "\"");
  };
  return absl::StrCat("{",
                      absl::StrJoin(names, ",",
                                    [&](std::string* out, const auto& entry) {
                                      absl::StrAppend(out, "\"", entry.first, "\":[",
                                                      absl::StrJoin(entry.second, ",", quoted), "]");
                                    }),
                      "}");
}

absl::StatusOr<std::string> KnownNames() {
  std::map<std::string, std::set<std::string>> functions;
  std::map<std::string, std::set<std::string>> sizes;
  for (const abi::Function* function : abi::Functions()) {
    for (const abi::Param& param : function->param()) {
      functions[function->name()].insert(param.name());
      if (param.kind() == abi::SIZE) sizes[function->name()].insert(param.name());
    }
  }
  absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::Catalog::LoadBuiltin();
  if (!catalog.ok()) return absl::InternalError(catalog.status().message());
  std::map<std::string, std::set<std::string>> operators;
  for (const v1::OperatorFile& op : (*catalog)->operators()) {
    std::vector<std::string> names(op.also().begin(), op.also().end());
    names.push_back(op.operator_());
    for (const std::string& name : names) {
      for (const v1::FunctionRules& rules : op.function()) operators[name].insert(rules.name());
    }
  }
  return absl::StrCat("{\"operators\":", NamesJson(operators), ",\"functions\":", NamesJson(functions),
                      ",\"sizes\":", NamesJson(sizes), "}");
}

// What the script printed.
absl::StatusOr<std::string> RunScript(const ImportOptions& options, const TemporaryFolder& folder) {
  std::vector<std::string> arguments = {folder / "names.json", folder / "profile"};
  const auto add = [&](const char* name, const std::string& value) {
    // One argument, because a value may begin with a dash.
    if (!value.empty()) arguments.push_back(absl::StrCat(name, "=", value));
  };
  for (const auto& [name, path] : {std::pair("--device-configs", options.device_configs),
                                   std::pair("--convert-config", options.convert_config)}) {
    if (path.empty()) continue;
    const std::string copy = absl::StrCat(folder / "input", name);
    RETURN_IF_ERROR(cases::CopyForImport(path, copy));
    add(name, copy);
    add(absl::StrCat(name, "-as").c_str(), path);
  }
  add("--issue", options.issue);
  add("--expires", options.expires);
  add("--chip", options.chip);
  if (options.verbose) arguments.emplace_back("--verbose");
  return cases::RunPython(absl::StrCat(std::string(cases::HarnessScript()), kImportScript), arguments,
                          folder);
}

}  // namespace

absl::StatusOr<std::string> ImportProfile(const ImportOptions& options) {
  if (!options.expires.empty() && !ParseDay(options.expires).has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--expires: '", options.expires, "' is not a date; expected one such as 2026-12-31"));
  }
  ASSIGN_OR_RETURN(const TemporaryFolder made, TemporaryFolder::Make());
  const TemporaryFolder& folder = made;
  ASSIGN_OR_RETURN(const std::string names, KnownNames());
  RETURN_IF_ERROR(ReplaceFile(folder / "names.json", names));
  absl::StatusOr<std::string> report = RunScript(options, folder);
  if (!report.ok()) return report;
  const absl::StatusOr<std::string> profile = ReadFile(folder / "profile");
  const absl::Status sound = profile.ok() ? ReadProfile(folder / "profile").status() : profile.status();
  if (!sound.ok()) {
    return absl::InternalError(absl::StrCat("the importer wrote an invalid profile: ", sound.message()));
  }
  RETURN_IF_ERROR(ReplaceFile(options.output, *profile));
  return report;
}

}  // namespace diopi::profile
