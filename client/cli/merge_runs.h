// Shards of a run into the one run that they are.
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
  v1::RunOptions options;  // of no shard
  std::string suite_hash;
  std::vector<server::RunCase> cases;
  std::vector<v1::Verdict> verdicts;
};

// `order`: case ids as an undivided run has them; cases that it lacks come last, by id. InvalidArgument,
// naming the runs and what is wrong: not of one run (chip, library, selection, suite, contracts, calls of a
// case), a shard missing or there twice, not complete, or a case with two different verdicts.
absl::StatusOr<MergedRun> MergeShards(const std::vector<Shard>& shards,
                                      const std::vector<std::string>& order);

// What is the same whoever runs a case on whichever day: all but times, the device, and the reference's
// provenance, which says when it was made.
bool SameVerdict(v1::Verdict a, v1::Verdict b);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_MERGE_RUNS_H_
