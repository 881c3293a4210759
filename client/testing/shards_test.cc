// A run in shards, each with a server of its own, merged: the verdicts are those of the undivided run.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "client/cli/merge_runs.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

using Words = std::vector<std::string>;

class ShardsTest : public ::testing::Test {
 protected:
  // Runs an agent and returns the run's id.
  std::string RunAgent(const std::string& data, const Words& more) {
    Words command = {BinPath("diopi-agent"),
                     "--impl",
                     LibPath("libdiopi_cpu.so"),
                     "--data",
                     folder_ / data,
                     "--chip",
                     "here",
                     "--error-report",
                     folder_ / "errors"};
    command.insert(command.end(), more.begin(), more.end());
    const Finished finished = RunProgram(command);
    EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
    const size_t id = finished.out.find("Run ") + 4;
    return finished.out.substr(id, finished.out.find(':', id) - id);
  }
  std::string RunShard(const std::string& data, int index, Words more) {
    more.insert(more.end(), {"--shard-index", absl::StrCat(index), "--shard-count", "3"});
    return RunAgent(data, more);
  }
  Finished Merge(const Words& more) {
    Words command = {BinPath("diopi-cli"), "merge", "--into", folder_ / "merged"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command);
  }

  TestFolder folder_;
};

TEST_F(ShardsTest, MergedAreTheWhole) {
  const Words some = {"--fname", "relu,add"};
  const std::string whole = RunAgent("a", some);
  const std::string first = RunShard("a", 0, some);
  const std::string second = RunShard("a", 1, some);
  const std::string third = RunShard("b", 2, some);
  const Words from = {"--from", folder_ / "a", "--from", folder_ / "b"};
  const auto with = [&from](Words runs) {
    runs.insert(runs.end(), from.begin(), from.end());
    return runs;
  };
  const Finished missing = Merge(with({first, third}));
  EXPECT_EQ(missing.code, 2) << missing.err;
  EXPECT_NE(missing.err.find("shard 1 of 3 is missing"), std::string::npos) << missing.err;
  const Finished undivided = Merge(with({whole}));
  EXPECT_EQ(undivided.code, 2) << undivided.err;
  EXPECT_NE(undivided.err.find("is not a shard"), std::string::npos) << undivided.err;
  const Finished merged = Merge(with({third, first, second}));
  ASSERT_EQ(merged.code, 0) << merged.err;

  const StoredRun expected = ReadRun(folder_ / "a", whole);
  const StoredRun run = ReadRun(folder_ / "merged");
  EXPECT_EQ(run.info.state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(run.info.suite_hash(), expected.info.suite_hash());
  EXPECT_EQ(run.info.options().shard_count(), 0U);
  ASSERT_EQ(run.verdicts.size(), expected.verdicts.size());
  for (size_t i = 0; i < run.verdicts.size(); ++i) {
    EXPECT_TRUE(cli::SameVerdict(run.verdicts[i], expected.verdicts[i]))
        << expected.verdicts[i].case_id() << "\n"
        << run.verdicts[i].case_id();
  }
  // No shard is a complete run.
  for (const auto& [data, id] : {std::pair("a", first), std::pair("a", second), std::pair("b", third)}) {
    const size_t cases = ReadRun(folder_ / data, id).verdicts.size();
    EXPECT_LT(cases, expected.verdicts.size() / 2) << id;
    EXPECT_GT(cases, expected.verdicts.size() / 5) << id;
  }
}

// The file cannot grow enough, as on a full disk: whatever was written by then, there is no run. The same
// command succeeds when there is room.
TEST_F(ShardsTest, AMergeOnAFullDiskLeavesNoRun) {
  const Words some = {"--fname", "relu"};
  std::string merge = absl::StrCat(BinPath("diopi-cli"), " merge");
  for (int i = 0; i < 3; ++i) absl::StrAppend(&merge, " ", RunShard("a", i, some));
  absl::StrAppend(&merge, " --into ", folder_ / "merged", " --from ", folder_ / "a");
  int failures = 0;
  Finished merged;
  for (int kib = 16; failures < 200; kib += 32) {
    // SIGXFSZ ignored: writing says EFBIG.
    merged = RunProgram({"/bin/bash", "-c", absl::StrCat("trap '' XFSZ; ulimit -f ", kib, "; exec ", merge)});
    if (merged.code == 0) break;
    ++failures;
    EXPECT_EQ(merged.code, 4) << merged.err;
    EXPECT_NE(merged.err.find("results.db"), std::string::npos) << merged.err;
    const Finished runs = RunProgram({BinPath("diopi-cli"), "runs", "--data", folder_ / "merged"});
    EXPECT_EQ(runs.out.find("here"), std::string::npos) << kib << " KiB: " << runs.out;
  }
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_GT(failures, 3);
  EXPECT_EQ(ReadRun(folder_ / "merged").info.state(), v1::RUN_STATE_FINISHED);
}

// More shards than cases: some shards are empty, but still count.
TEST_F(ShardsTest, AShardMayBeEmpty) {
  const Words few = {"--case", "add.float32.n17", "--fname", "add"};
  Words from;
  for (int i = 0; i < 3; ++i) {
    const std::string data = absl::StrCat("d", i);
    RunShard(data, i, few);
    from.insert(from.end(), {"--from", folder_ / data});
  }
  const Finished merged = Merge(from);
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(ReadRun(folder_ / "merged").verdicts.size(), 1U);
}

}  // namespace
}  // namespace diopi::testing
