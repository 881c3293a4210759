#include "reports/model/variant.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi::reports {
namespace {

// FNV-1a, 32 bits (Fowler, Noll, Vo: offset basis and prime are theirs).
std::string Hash(const std::string& text) {
  constexpr uint32_t kBasis = 2166136261U;
  constexpr uint32_t kPrime = 16777619U;
  uint32_t hash = kBasis;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad8));
}

// Texts may hold anything: a length before each keeps different lists distinct.
std::string Joined(const server::RunFacts& run) {
  std::string text;
  const auto add = [&text](const std::string& part) { absl::StrAppend(&text, part.size(), ":", part, ";"); };
  for (const std::string& part : {run.chip, run.vendor_name, run.impl_version, run.dialect, run.impl_sha256,
                                  absl::StrJoin(run.contracts, ",")}) {
    add(part);
  }
  // Adds nothing for an empty list, so that runs without it keep the variant that they had before.
  const auto add_list = [&](const char* name, const std::vector<std::string>& entries) {
    if (entries.empty()) return;
    absl::StrAppend(&text, name, entries.size(), "[");
    for (const std::string& entry : entries) add(entry);
  };
  add_list("environment", run.environment);
  add_list("adaptor", run.adaptor);
  return text;
}

}  // namespace

std::string VariantOf(const server::RunFacts& run) {
  return Hash(absl::StrCat(Joined(run), run.suite_hash));
}

std::string LibraryVariantOf(const server::RunFacts& run) {
  return Hash(Joined(run));
}

}  // namespace diopi::reports
