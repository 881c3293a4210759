// Merges the shards of a run into one run.
#ifndef CLIENT_CLI_MERGE_RUNS_H_
#define CLIENT_CLI_MERGE_RUNS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "server/store/database.h"

namespace diopi::cli {

struct Shard {
  std::string source;  // the database it was read from, for messages
  v1::RunInfo info;
  std::vector<server::RunCase> cases;
  std::vector<v1::Verdict> verdicts;
};

struct MergedRun {
  v1::RunOptions options;  // without shard fields
  std::string suite_hash;
  std::vector<server::RunCase> cases;
  std::vector<v1::Verdict> verdicts;
};

// `order`: case ids in an undivided run's order; cases not in it come last, by id. InvalidArgument, naming
// the runs and the problem: shards of different runs (chip, library, selection, suite, contracts, calls of a
// case), a missing, duplicate or incomplete shard, or a case with two different verdicts.
absl::StatusOr<MergedRun> MergeShards(const std::vector<Shard>& shards,
                                      const std::vector<std::string>& order);

// Compares everything that does not depend on who ran the case and when: all fields but times, the device,
// and the reference's provenance, which has a date.
bool SameVerdict(v1::Verdict a, v1::Verdict b);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_MERGE_RUNS_H_
