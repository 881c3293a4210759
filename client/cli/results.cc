#include "client/cli/results.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/core/catalog.h"
#include "client/cli/command.h"
#include "server/store/database.h"

namespace diopi::cli {
namespace {

constexpr size_t kSuggestions = 3;
constexpr size_t kShown = 5;

}  // namespace

absl::StatusOr<std::unique_ptr<server::Queries>> OpenResults(const std::string& data_folder) {
  return server::Queries::Open(server::DatabasePath(data_folder));
}

absl::StatusOr<std::string> Resolve(const std::string& what, const std::string& given,
                                    const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), given) != known.end()) return given;
  const bool glob = given.find_first_of("*?") != std::string::npos;
  std::vector<std::string> matches;
  for (const std::string& name : known) {
    const bool match = glob ? cases::GlobMatch(given, name) : !given.empty() && absl::StartsWith(name, given);
    if (match) matches.push_back(name);
  }
  if (matches.size() == 1) return matches.front();
  if (matches.empty()) {
    const std::vector<std::string> near = cases::Nearest(given, known, kSuggestions);
    return absl::NotFoundError(
        absl::StrCat("no ", what, " '", given, "'",
                     near.empty() ? "" : absl::StrCat("; nearest: ", absl::StrJoin(near, ", "))));
  }
  const size_t count = matches.size();
  matches.resize(std::min(count, kShown));
  return absl::InvalidArgumentError(absl::StrCat("'", given, "' is ", count, " ", what,
                                                 "s: ", absl::StrJoin(matches, ", "),
                                                 count > kShown ? ", ..." : ""));
}

absl::StatusOr<std::string> ResolveChip(server::Queries& queries, const std::string& given) {
  const absl::StatusOr<std::vector<server::ChipRow>> rows = queries.Chips();
  if (!rows.ok()) return rows.status();
  std::vector<std::string> chips;
  chips.reserve(rows->size());
  for (const server::ChipRow& row : *rows) chips.push_back(row.chip);
  return Resolve("chip", given, chips);
}

}  // namespace diopi::cli
