#include "baselines/compare/contract.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi::baselines {
namespace {

struct Entry {
  const char* name;
  bool Contracts::*flag;
};
constexpr std::array<Entry, 5> kEntries = {{{"tf32", &Contracts::tf32},
                                            {"tc32", &Contracts::tc32},
                                            {"fastconv", &Contracts::fastconv},
                                            {"p_cast", &Contracts::p_cast},
                                            {"native16", &Contracts::native16}}};

}  // namespace

absl::StatusOr<Contracts> ParseContracts(const std::vector<std::string>& names) {
  Contracts contracts;
  for (const std::string& name : names) {
    const auto* entry = std::find_if(kEntries.begin(), kEntries.end(),
                                     [&](const Entry& each) { return std::string_view(each.name) == name; });
    if (entry == kEntries.end()) {
      const auto list = [](std::string* out, const Entry& each) { out->append(each.name); };
      return absl::InvalidArgumentError(
          absl::StrCat("unknown contract '", name, "'; known: ", absl::StrJoin(kEntries, ", ", list)));
    }
    contracts.*(entry->flag) = true;
  }
  return contracts;
}

std::vector<std::string> ContractNames(const Contracts& contracts) {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    if (contracts.*(entry.flag)) names.emplace_back(entry.name);
  }
  return names;
}

Contracts Allowed(const Contracts& declared, v1::Judge::Arithmetic arithmetic) {
  const bool matrix = arithmetic != v1::Judge::PLAIN;
  Contracts allowed = declared;
  allowed.tf32 = declared.tf32 && matrix;
  allowed.tc32 = declared.tc32 && matrix;
  allowed.fastconv = declared.fastconv && arithmetic == v1::Judge::CONVOLUTION;
  allowed.p_cast = declared.p_cast && arithmetic == v1::Judge::ATTENTION;
  return allowed;
}

Contracts Union(const Contracts& a, const Contracts& b) {
  Contracts both;
  for (const Entry& entry : kEntries) both.*(entry.flag) = a.*(entry.flag) || b.*(entry.flag);
  return both;
}

}  // namespace diopi::baselines
