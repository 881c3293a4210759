// A merged run must be one that a single agent could have made. So shards must agree in everything that
// decides verdicts (kTraits), each must be complete and present once, and the hash of all their cases must be
// the one that each shard recorded for the undivided run.
#include "client/cli/merge_runs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "cases/findings/describe.h"

namespace diopi::cli {
namespace {

std::string NameOf(const Shard& shard) {
  return absl::StrCat("run ", shard.info.run_id(), " of ", shard.source);
}

std::string ContractsOf(const v1::RunOptions& options) {
  const std::set<std::string> names(options.contracts().begin(), options.contracts().end());
  return names.empty() ? "none" : absl::StrJoin(names, ",");
}

struct Trait {
  const char* name;
  std::string (*of)(const v1::RunOptions& options);
};

// Properties that all shards of a run share.
constexpr Trait kTraits[] = {
    {"chip", [](const v1::RunOptions& options) { return options.chip(); }},
    {"library (SHA-256)", [](const v1::RunOptions& options) { return options.impl_sha256(); }},
    {"number of shards", [](const v1::RunOptions& options) { return absl::StrCat(options.shard_count()); }},
    {"selection", [](const v1::RunOptions& options) { return options.selection().ShortDebugString(); }},
    {"suite (hash)", [](const v1::RunOptions& options) { return options.whole_suite_hash(); }},
    {"set of contracts", ContractsOf},
    {"device profile (hash)", [](const v1::RunOptions& options) { return options.profile().hash(); }},
    {"adaptor",
     [](const v1::RunOptions& options) { return absl::StrJoin(AdaptorLines(options.profile()), "; "); }},
    {"number of calls of a case",
     [](const v1::RunOptions& options) { return absl::StrCat(options.repeat()); }},
};

absl::Status CheckOneRun(const std::vector<Shard>& shards) {
  for (const Shard& shard : shards) {
    const v1::RunOptions& options = shard.info.options();
    if (options.shard_count() == 0 || options.whole_suite_hash().empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(NameOf(shard), " is not a shard: it was not made with --shard-count"));
    }
    for (const Trait& trait : kTraits) {
      const std::string first = trait.of(shards[0].info.options());
      const std::string other = trait.of(options);
      if (first == other) continue;
      return absl::InvalidArgumentError(absl::StrCat("not shards of one run: ", trait.name, " is '", first,
                                                     "' in ", NameOf(shards[0]), " and '", other, "' in ",
                                                     NameOf(shard)));
    }
    const auto done = static_cast<int64_t>(shard.verdicts.size());
    if (done < static_cast<int64_t>(shard.cases.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat(NameOf(shard), " is not complete: ", done, " of ", shard.cases.size(),
                       " cases have a verdict; complete it with diopi-agent --resume"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAllThere(const std::vector<Shard>& shards) {
  std::map<uint32_t, const Shard*> by_index;
  for (const Shard& shard : shards) {
    const uint32_t index = shard.info.options().shard_index();
    const auto [found, fresh] = by_index.emplace(index, &shard);
    if (fresh) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("shard ", index, " occurs twice: ", NameOf(*found->second), " and ", NameOf(shard)));
  }
  const uint32_t count = shards[0].info.options().shard_count();
  std::vector<uint32_t> missing;
  for (uint32_t i = 0; i < count; ++i) {
    if (!by_index.contains(i)) missing.push_back(i);
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(missing.size() == 1 ? "shard " : "shards ",
                                                 absl::StrJoin(missing, ", "), " of ", count,
                                                 missing.size() == 1 ? " is" : " are", " missing"));
}

struct Piece {
  const Shard* shard;
  const server::RunCase* c;
  const v1::Verdict* verdict;
};

// Returns the verdict of each case, by case id.
absl::StatusOr<std::map<std::string, Piece>> Collect(const std::vector<Shard>& shards) {
  std::map<std::string, Piece> pieces;
  for (const Shard& shard : shards) {
    std::map<std::string, const v1::Verdict*> verdicts;
    for (const v1::Verdict& verdict : shard.verdicts) verdicts[verdict.case_id()] = &verdict;
    for (const server::RunCase& c : shard.cases) {
      const auto verdict = verdicts.find(c.case_id);
      if (verdict == verdicts.end()) {
        return absl::InvalidArgumentError(absl::StrCat(NameOf(shard), " has no verdict on ", c.case_id));
      }
      const auto [found, fresh] = pieces.emplace(c.case_id, Piece{&shard, &c, verdict->second});
      if (fresh || SameVerdict(*found->second.verdict, *verdict->second)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          c.case_id, " has two different verdicts: ", v1::Outcome_Name(found->second.verdict->outcome()),
          " in ", NameOf(*found->second.shard), " and ", v1::Outcome_Name(verdict->second->outcome()), " in ",
          NameOf(shard)));
    }
  }
  return pieces;
}

// The distinct values, in order of occurrence.
std::string Joined(const std::vector<Shard>& shards, const std::string& (v1::RunOptions::*field)() const) {
  std::vector<std::string> values;
  for (const Shard& shard : shards) {
    const std::string& value = (shard.info.options().*field)();
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return absl::StrJoin(values, ",");
}

}  // namespace

bool SameVerdict(v1::Verdict a, v1::Verdict b) {
  for (v1::Verdict* verdict : {&a, &b}) {
    verdict->clear_call_us();
    verdict->clear_calls();  // depends on the time for a sampled case
    verdict->clear_elapsed_us();
    verdict->clear_device_index();
    verdict->clear_reference();
  }
  return a.SerializeAsString() == b.SerializeAsString();
}

absl::StatusOr<MergedRun> MergeShards(const std::vector<Shard>& shards,
                                      const std::vector<std::string>& order) {
  if (shards.empty()) return absl::InvalidArgumentError("no shards to merge");
  absl::Status status = CheckOneRun(shards);
  if (status.ok()) status = CheckAllThere(shards);
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(auto pieces, Collect(shards));
  MergedRun merged;
  merged.options = shards[0].info.options();
  merged.options.clear_shard_index();
  merged.options.clear_shard_count();
  merged.options.set_host(Joined(shards, &v1::RunOptions::host));
  const auto elsewhere = [&merged](const Shard& shard) {
    return shard.info.options().machine().SerializeAsString() != merged.options.machine().SerializeAsString();
  };
  if (std::any_of(shards.begin(), shards.end(), elsewhere)) merged.options.clear_machine();
  merged.options.set_agent_version(Joined(shards, &v1::RunOptions::agent_version));
  std::vector<v1::Case> cases;
  for (const auto& [id, piece] : pieces) {
    cases.emplace_back().set_id(id);
    cases.back().set_hash(piece.c->case_hash);
  }
  merged.suite_hash = cases::Catalog::SuiteHash(cases);
  if (merged.suite_hash != merged.options.whole_suite_hash()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the shards' ", cases.size(), " cases are not those of the whole run: their hash is ",
                     merged.suite_hash, ", the whole run's is ", merged.options.whole_suite_hash()));
  }
  const auto take = [&merged](const Piece& piece) {
    merged.cases.push_back(*piece.c);
    merged.verdicts.push_back(*piece.verdict);
  };
  for (const std::string& id : order) {
    if (const auto node = pieces.extract(id)) take(node.mapped());
  }
  for (const auto& [id, piece] : pieces) take(piece);
  return merged;
}

}  // namespace diopi::cli
