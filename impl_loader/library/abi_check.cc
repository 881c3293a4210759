// Compares sets of names: the ABI's, those that the library exports and imports, and those that the libraries
// it needs export. A misspelt name is recognized by its edit distance from the ABI's, and a function compiled
// as C++ by its demangled name. For another architecture only names are compared, because the libraries it
// needs are not on this machine.
#include "impl_loader/library/abi_check.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "impl_loader/library/library.h"
#include "proto/abi/abi.h"

namespace diopi::loader {
namespace {

using Names = std::unordered_set<std::string>;

constexpr size_t kLongestLine = 4096;  // a library's names may have any length
constexpr size_t kLongestSlip = 256;   // of a name that is compared with the ABI's

Names NamesOf(const std::vector<const abi::Function*>& functions) {
  Names names;
  for (const abi::Function* function : functions) names.insert(function->name());
  return names;
}

std::string Demangle(const std::string& symbol) {
  if (symbol.rfind("_Z", 0) != 0) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      ::abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return text != nullptr ? text.get() : symbol;
}

// Levenshtein's distance, ignoring case: diopirelu is a slip of the shift key.
size_t EditDistance(const std::string& a, const std::string& b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

// At most three known names that are close enough to be meant, the closest first.
std::vector<std::string> NearestNames(const std::string& name, const Names& known) {
  if (name.size() > kLongestSlip) return {};
  const size_t farthest = std::max<size_t>(2, name.size() > 5 ? (name.size() - 5) / 3 : 0);
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(name, candidate);
    if (distance <= farthest) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  if (near.size() > 3) near.resize(3);
  std::vector<std::string> names;
  names.reserve(near.size());
  for (auto& [distance, candidate] : near) names.push_back(std::move(candidate));
  return names;
}

// "diopiAdd" for "impl::diopiAdd(diopiContext*, ...)"; empty for anything but a plain function.
std::string FunctionName(const std::string& demangled, bool* in_namespace) {
  const std::string head = demangled.substr(0, demangled.find('('));
  if (head.size() == demangled.size() || head.find_first_of(" <") != std::string::npos) return "";
  const size_t colons = head.rfind("::");
  *in_namespace = colons != std::string::npos;
  return *in_namespace ? head.substr(colons + 2) : head;
}

bool StartsWithDiopi(const std::string& name) {
  return name.rfind("diopi", 0) == 0;
}

// Builds the report of one library.
class Checker {
 public:
  Checker(const std::string& path, const AbiCheckOptions& options, const ElfSymbols& symbols)
      : options_(options),
        symbols_(symbols),
        exported_(symbols.exported.begin(), symbols.exported.end()),
        operators_(NamesOf(abi::Functions())),
        runtime_(NamesOf(abi::RuntimeFunctions())),
        device_(NamesOf(abi::DeviceFunctions())),
        meta_(NamesOf(abi::MetaFunctions())) {
    report_.path = path;
    report_.machine = symbols.other_machine;
    offered_ = operators_;
    offered_.insert(device_.begin(), device_.end());
    offered_.insert(meta_.begin(), meta_.end());
  }

  absl::StatusOr<AbiReport> Run() {
    for (const std::string& path : options_.beside) {
      ASSIGN_OR_RETURN(ElfSymbols beside, ReadForeignElfSymbols(path));
      if (beside.other_machine != report_.machine) {
        return absl::InvalidArgumentError(
            absl::StrCat(path, ": built for another architecture than ", report_.path));
      }
      beside_.push_back(std::move(beside));
    }
    ListFunctions();
    ListUnknown();
    ListMeta();
    FindDialect();
    ListUndefined();
    return std::move(report_);
  }

 private:
  void ListFunctions() {
    for (const abi::Function* function : abi::Functions()) {
      (exported_.count(function->name()) != 0 ? report_.implemented : report_.lacking)
          .push_back(function->name());
    }
  }

  void ListUnknown() {
    for (const std::string& symbol : symbols_.exported) {
      if (symbol.rfind("_Z", 0) == 0) {
        JudgeMangled(symbol);
      } else if (StartsWithDiopi(symbol) && offered_.count(symbol) == 0) {
        const bool hosts = runtime_.count(symbol) != 0;
        report_.unknown.push_back({symbol, symbol,
                                   hosts ? "the host provides this function; a library must not define it"
                                         : "the ABI has no such function",
                                   hosts ? std::vector<std::string>() : NearestNames(symbol, offered_)});
      }
    }
  }

  // Reports a function of the ABI that was compiled as C++, or one that seems to be meant as such.
  void JudgeMangled(const std::string& symbol) {
    const std::string demangled = Demangle(symbol);
    bool in_namespace = false;
    const std::string name = FunctionName(demangled, &in_namespace);
    const bool known = offered_.count(name) != 0;
    if (exported_.count(name) != 0) return;  // a helper with the name of a C symbol that exists, too
    if (!known && (in_namespace || !StartsWithDiopi(name))) return;
    mangled_.insert(name);
    report_.unknown.push_back({symbol, demangled, "mangled: declare it extern \"C\"",
                               known ? std::vector<std::string>{name} : NearestNames(name, offered_)});
  }

  void ListMeta() {
    for (const abi::Function* function : abi::MetaFunctions()) {
      MetaSymbol meta;
      meta.name = function->name();
      if (exported_.count(meta.name) != 0) {
        meta.state = MetaSymbol::State::kExported;
      } else if (mangled_.count(meta.name) != 0) {
        meta.state = MetaSymbol::State::kMangled;
      }
      report_.meta.push_back(meta);
    }
  }

  // conform_test: the device_* functions are exported. register: initLibrary is exported, and the host's
  // diopiRegister*Func are imported.
  void FindDialect() {
    Names exported = exported_;
    std::vector<std::string> imported = symbols_.undefined_strong;
    imported.insert(imported.end(), symbols_.undefined_weak.begin(), symbols_.undefined_weak.end());
    for (const ElfSymbols& beside : beside_) {
      exported.insert(beside.exported.begin(), beside.exported.end());
      imported.insert(imported.end(), beside.undefined_strong.begin(), beside.undefined_strong.end());
      imported.insert(imported.end(), beside.undefined_weak.begin(), beside.undefined_weak.end());
    }
    size_t present = 0;
    std::vector<std::string> lacking;
    for (const abi::Function* function : abi::DeviceFunctions()) {
      if (function->name().rfind("device_", 0) != 0) continue;
      if (exported.count(function->name()) != 0) {
        ++present;
      } else {
        lacking.push_back(function->name());
      }
    }
    const bool registers = exported.count("initLibrary") != 0 &&
                           std::any_of(imported.begin(), imported.end(), [](const std::string& name) {
                             return name.rfind("diopiRegister", 0) == 0;
                           });
    report_.dialect = registers ? "register" : present > 0 ? "conform_test" : "none";
    if (report_.dialect == "conform_test") report_.device_lacking = std::move(lacking);
  }

  void ListUndefined() {
    const bool here = report_.machine.empty();
    Dependencies found;
    if (here) found = FindDependencies(report_.path, symbols_, options_.search);
    if (here) AddHostLibraries(options_.search, &found);
    for (const ElfSymbols& beside : beside_)
      found.exported.insert(beside.exported.begin(), beside.exported.end());
    Names importable = runtime_;
    importable.insert(offered_.begin(), offered_.end());
    const auto provided = [&](const std::string& name) {
      return runtime_.count(name) != 0 || exported_.count(name) != 0 || found.exported.count(name) != 0;
    };
    for (const std::string& name : symbols_.undefined_strong) {
      if (provided(name) || (!here && !StartsWithDiopi(name))) continue;
      report_.undefined.push_back({name, Demangle(name),
                                   "no library provides it: the library cannot be loaded",
                                   NearestNames(name, importable)});
    }
    for (const std::string& name : symbols_.undefined_weak) {
      // Operators are declared weak, so that a library may test whether another one is there.
      if (!StartsWithDiopi(name) || provided(name) || offered_.count(name) != 0) continue;
      report_.undefined_weak.push_back(
          {name, name, "no library provides it: it is null when called", NearestNames(name, importable)});
    }
    report_.missing = std::move(found.missing);
    report_.dependencies = std::move(found.found);
  }

  const AbiCheckOptions& options_;
  const ElfSymbols& symbols_;
  const Names exported_;
  const Names operators_, runtime_, device_, meta_;
  Names offered_;  // all that a library may export
  Names mangled_;
  std::vector<ElfSymbols> beside_;
  AbiReport report_;
};

void AppendSymbols(const char* title, const std::vector<AbiSymbol>& symbols, std::string* out) {
  if (symbols.empty()) return;
  absl::StrAppend(out, title, " ", symbols.size(), "\n");
  for (const AbiSymbol& symbol : symbols) {
    std::string line = absl::StrCat(symbol.demangled, ": ", symbol.problem);
    if (symbol.demangled != symbol.symbol) absl::StrAppend(&line, " (symbol ", symbol.symbol, ")");
    if (!symbol.nearest.empty())
      absl::StrAppend(&line, "; the ABI has ", absl::StrJoin(symbol.nearest, ", "));
    absl::StrAppend(out, "  ", PrintableLine(line, kLongestLine), "\n");
  }
}

const char* StateName(MetaSymbol::State state) {
  switch (state) {
    case MetaSymbol::State::kExported:
      return "exported";
    case MetaSymbol::State::kMangled:
      return "mangled: declare it extern \"C\"";
    case MetaSymbol::State::kAbsent:
      break;
  }
  return "absent";
}

}  // namespace

absl::StatusOr<AbiReport> CheckAbi(const std::string& path, const AbiCheckOptions& options) {
  ASSIGN_OR_RETURN(const ElfSymbols symbols, ReadForeignElfSymbols(path));
  return Checker(path, options, symbols).Run();
}

std::string FormatAbiReport(const AbiReport& report, const AbiTextOptions& options) {
  std::string out = absl::StrCat(PrintableLine(report.path), "\n");
  if (!report.machine.empty()) {
    absl::StrAppend(&out, "built for ", report.machine,
                    ": its symbols are checked; the libraries it needs are not searched on this machine\n");
  }
  for (const MissingLibrary& missing : report.missing) {
    absl::StrAppend(
        &out, "missing library: ",
        PrintableLine(absl::StrCat(missing.name, ", needed by ", missing.needed_by), kLongestLine), "\n");
  }
  AppendSymbols("undefined symbols:", report.undefined, &out);
  AppendSymbols("undefined weak symbols:", report.undefined_weak, &out);
  AppendSymbols("exported names that are not in the ABI:", report.unknown, &out);
  if (!report.device_lacking.empty()) {
    absl::StrAppend(&out, "missing device functions: ", absl::StrJoin(report.device_lacking, ", "), "\n");
  }
  absl::StrAppend(&out, "implements ", report.implemented.size(), " of ",
                  report.implemented.size() + report.lacking.size(), " functions\n");
  for (const std::string& name : options.implemented ? report.implemented : std::vector<std::string>()) {
    absl::StrAppend(&out, "  ", name, "\n");
  }
  if (options.missing) absl::StrAppend(&out, "does not implement ", report.lacking.size(), " functions\n");
  for (const std::string& name : options.missing ? report.lacking : std::vector<std::string>()) {
    absl::StrAppend(&out, "  ", name, "\n");
  }
  absl::StrAppend(&out, "device functions: ", report.dialect, "\n");
  for (const MetaSymbol& meta : report.meta)
    absl::StrAppend(&out, meta.name, ": ", StateName(meta.state), "\n");
  absl::StrAppend(&out, report.refused() ? "problems found: runs reject this library\n"
                        : report.ok()    ? "no problems found\n"
                                         : "problems found: runs test only functions of the ABI\n");
  return out;
}

}  // namespace diopi::loader
