#include "client/proof/injected_library.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/status_macros.h"
#include "impl_loader/caller/in_process.h"
#include "impl_loader/library/library.h"
#include "proto/abi/abi.h"

namespace diopi::proof {
namespace {

absl::StatusOr<Injected> ParseLine(const std::string& line) {
  const std::vector<std::string> fields = absl::StrSplit(line, '\t');
  Injected injected;
  if (fields.size() != 5 || fields[0].empty() || !absl::SimpleAtoi(fields[1], &injected.catalogue)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", line, "' is not NAME, NUMBER, FUNCTIONS, CONTRACTS, TEXT separated by tabs"));
  }
  injected.name = fields[0];
  for (const auto& function : absl::StrSplit(fields[2], ' ', absl::SkipEmpty())) {
    injected.functions.emplace(function);
  }
  if (injected.functions.erase("*") > 0) {
    for (const abi::Function* function : abi::Functions()) injected.functions.insert(function->name());
  }
  for (const auto& field : absl::StrSplit(fields[2], ' ', absl::SkipEmpty())) {
    const std::string name(field);
    if (name[0] != '!') continue;
    injected.functions.erase(name);
    injected.functions.erase(name.substr(1));
  }
  for (const auto& contract : absl::StrSplit(fields[3], ' ', absl::SkipEmpty())) {
    injected.contracts.emplace_back(contract);
  }
  injected.text = fields[4];
  for (const std::string& function : injected.functions) {
    if (abi::FindFunction(function) == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(injected.name, ": the ABI has no function '", function, "'"));
    }
  }
  if (injected.functions.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(injected.name, ": names no function"));
  }
  return injected;
}

}  // namespace

absl::StatusOr<std::vector<Injected>> ParseInjected(const std::string& listing) {
  std::vector<Injected> all;
  for (const auto& line : absl::StrSplit(listing, '\n', absl::SkipEmpty())) {
    ASSIGN_OR_RETURN(Injected injected, ParseLine(std::string(line)));
    all.push_back(std::move(injected));
  }
  std::sort(all.begin(), all.end(), [](const Injected& a, const Injected& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(
      all.begin(), all.end(), [](const Injected& a, const Injected& b) { return a.name == b.name; });
  if (twice != all.end()) {
    return absl::InvalidArgumentError(absl::StrCat("two bugs or variants have the name ", twice->name));
  }
  return all;
}

absl::StatusOr<std::vector<Injected>> ReadInjected(const std::string& library_path) {
  // Opened like a reference: with the host's functions, which the library imports, in this process.
  ASSIGN_OR_RETURN(const auto vendor, loader::InProcessLibrary::Open(library_path));
  ASSIGN_OR_RETURN(const loader::Library library, loader::Library::Open(library_path));
  void* symbol = library.Symbol("diopiInjected");
  if (symbol == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(library_path, " has no injected bugs or variants: it does not export diopiInjected"));
  }
  const std::string listing = reinterpret_cast<const char* (*)()>(symbol)();
  absl::StatusOr<std::vector<Injected>> all = ParseInjected(listing);
  if (all.ok() && all->empty()) {
    return absl::InvalidArgumentError(absl::StrCat(library_path, " has no injected bugs or variants"));
  }
  return all;
}

}  // namespace diopi::proof
