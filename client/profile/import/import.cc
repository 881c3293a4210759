#include "client/profile/import/import.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/process.h"
#include "cases/base/read_file.h"
#include "cases/base/temporary_folder.h"
#include "cases/core/catalog.h"
#include "cases/import/import_configs.h"
#include "client/profile/import/import_script.h"
#include "client/profile/profile.h"
#include "client/profile/waivers.h"
#include "proto/abi/abi.h"

namespace diopi::profile {
namespace {

// Debian's own python3: other installations may come first on PATH, and lack python3-yaml.
constexpr char kPython[] = "/usr/bin/python3";

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

absl::Status RunScript(const ImportOptions& options, const TemporaryFolder& folder) {
  ProcessOptions process;
  const std::string script = absl::StrCat(std::string(cases::HarnessScript()), kImportScript);
  process.command = {kPython, "-I", "-c", script, folder / "names.json", folder / "profile"};
  const auto add = [&](const char* name, const std::string& value) {
    // One argument, because a value may begin with a dash.
    if (!value.empty()) process.command.push_back(absl::StrCat(name, "=", value));
  };
  add("--device-configs", options.device_configs);
  add("--convert-config", options.convert_config);
  add("--issue", options.issue);
  add("--expires", options.expires);
  add("--chip", options.chip);
  if (options.verbose) process.command.push_back("--verbose");
  const Descriptor out(open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const Descriptor err(open((folder / "err").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  process.descriptors = {{out.get(), STDOUT_FILENO}, {err.get(), STDERR_FILENO}};
  absl::StatusOr<Process> started = Process::Start(process);
  if (!started.ok()) {
    return absl::InternalError(
        absl::StrCat(kPython, " is needed to read these files: ", started.status().message()));
  }
  const ExitStatus status = started->Wait();
  const std::string text(absl::StripAsciiWhitespace(ReadFile(folder / "err").value_or("")));
  if (status.signal == 0 && status.code == 0) return absl::OkStatus();
  if (status.signal == 0 && status.code == 2) return absl::InvalidArgumentError(text);
  return absl::InternalError(absl::StrCat("the importer ended with ", status.Text(), ": ", text));
}

}  // namespace

absl::StatusOr<std::string> ImportProfile(const ImportOptions& options) {
  if (!options.expires.empty() && !ParseDay(options.expires).has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--expires: '", options.expires, "' is not a date; expected one such as 2026-12-31"));
  }
  const absl::StatusOr<TemporaryFolder> made = TemporaryFolder::Make();
  if (!made.ok()) return made.status();
  const TemporaryFolder& folder = *made;
  const absl::StatusOr<std::string> names = KnownNames();
  if (!names.ok()) return names.status();
  std::ofstream(folder / "names.json") << *names;
  if (absl::Status ran = RunScript(options, folder); !ran.ok()) return ran;
  const absl::StatusOr<std::string> profile = ReadFile(folder / "profile");
  const absl::Status sound = profile.ok() ? ReadProfile(folder / "profile").status() : profile.status();
  if (!sound.ok()) {
    return absl::InternalError(absl::StrCat("the importer wrote an invalid profile: ", sound.message()));
  }
  // Written atomically.
  const std::string partial = absl::StrCat(options.output, ".part");
  std::ofstream file(partial, std::ios::binary);
  file << *profile;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(partial, options.output, error);
  if (!file || error) return absl::InvalidArgumentError(absl::StrCat(options.output, ": cannot be written"));
  return ReadFile(folder / "out");
}

}  // namespace diopi::profile
