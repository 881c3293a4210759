#include "client/cli/merge_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/core/catalog.h"

namespace diopi::cli {
namespace {

using Shards = std::vector<Shard>;

// Seven cases in three shards, case i in shard i % 3.
Shards ThreeShards() {
  std::vector<v1::Case> whole(7);
  for (int i = 0; i < 7; ++i) {
    whole[i].set_id(absl::StrCat("add.c", i));
    whole[i].set_hash(absl::StrCat("hash", i));
  }
  Shards shards(3);
  for (uint32_t i = 0; i < 3; ++i) {
    shards[i].source = absl::StrCat("db", i);
    shards[i].info.set_run_id(absl::StrCat("run", i));
    v1::RunOptions& options = *shards[i].info.mutable_options();
    options.set_chip("chip");
    options.set_impl_sha256("sha");
    options.set_repeat(2);
    options.set_shard_index(i);
    options.set_shard_count(3);
    options.set_whole_suite_hash(cases::Catalog::SuiteHash(whole));
    options.set_host(i == 2 ? "other" : "host");
    options.mutable_machine()->set_processors(i == 2 ? 8 : 4);
    options.add_contracts(i == 1 ? "tf32" : "p_cast");
    options.add_contracts(i == 1 ? "p_cast" : "tf32");  // a set: the order does not matter
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    Shard& shard = shards[i % 3];
    shard.cases.push_back({whole[i].id(), whole[i].hash(), "diopiAdd", "add"});
    v1::Verdict& verdict = shard.verdicts.emplace_back();
    verdict.set_case_id(whole[i].id());
    verdict.set_case_hash(whole[i].hash());
    verdict.set_outcome(v1::OUTCOME_PASS);
  }
  return shards;
}

TEST(MergeRunsTest, OneRunInTheGivenOrder) {
  Shards shards = ThreeShards();
  std::swap(shards[0], shards[2]);
  const auto merged = MergeShards(shards, {"add.c6", "add.gone", "add.c0", "add.c3"});
  ASSERT_TRUE(merged.ok()) << merged.status();
  std::vector<std::string> ids;
  for (const server::RunCase& c : merged->cases) ids.push_back(c.case_id);
  EXPECT_THAT(ids,
              ::testing::ElementsAre("add.c6", "add.c0", "add.c3", "add.c1", "add.c2", "add.c4", "add.c5"));
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(merged->verdicts[i].case_id(), ids[i]);
  EXPECT_EQ(merged->options.shard_count(), 0U);
  EXPECT_EQ(merged->options.host(), "other,host");
  EXPECT_FALSE(merged->options.has_machine());  // the shards are of several
  EXPECT_EQ(merged->suite_hash, shards[0].info.options().whole_suite_hash());
}

TEST(MergeRunsTest, ACaseInTwoShardsMustHaveOneVerdict) {
  Shards shards = ThreeShards();
  shards[1].cases.push_back(shards[0].cases[0]);
  shards[1].verdicts.push_back(shards[0].verdicts[0]);
  shards[1].verdicts.back().set_call_us(17);
  shards[1].verdicts.back().set_device_index(3);
  const auto same = MergeShards(shards, {});
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(same->verdicts.size(), 7U);
  shards[1].verdicts.back().set_outcome(v1::OUTCOME_FAIL);
  const absl::Status other = MergeShards(shards, {}).status();
  EXPECT_THAT(std::string(other.message()),
              ::testing::AllOf(::testing::HasSubstr("add.c0 has two different verdicts"),
                               ::testing::HasSubstr("OUTCOME_PASS in run run0 of db0"),
                               ::testing::HasSubstr("OUTCOME_FAIL in run run1 of db1")));
}

struct Wrong {
  std::string says;
  std::function<void(Shards&)> make;
};

TEST(MergeRunsTest, WhatCannotBeMergedIsNamed) {
  const auto options = [](Shards& shards, size_t i) -> v1::RunOptions& {
    return *shards[i].info.mutable_options();
  };
  const std::vector<Wrong> table = {
      {"no shards to merge", [](Shards& shards) { shards.clear(); }},
      {"shard 1 of 3 is missing", [](Shards& shards) { shards.erase(shards.begin() + 1); }},
      {"shards 1, 2 of 3 are missing", [](Shards& shards) { shards.resize(1); }},
      {"shard 1 occurs twice: run run1 of db1 and run run2 of db2",
       [&](Shards& shards) { options(shards, 2).set_shard_index(1); }},
      {"run run1 of db1 is not a shard", [&](Shards& shards) { options(shards, 1).clear_shard_count(); }},
      {"number of shards is '3' in run run0 of db0 and '4' in run run1 of db1",
       [&](Shards& shards) { options(shards, 1).set_shard_count(4); }},
      {"chip is 'chip' in run run0 of db0 and 'x' in run run1 of db1",
       [&](Shards& shards) { options(shards, 1).set_chip("x"); }},
      {"library (SHA-256) is 'sha' in run run0 of db0 and 'x' in run run2",
       [&](Shards& shards) { options(shards, 2).set_impl_sha256("x"); }},
      {"selection is ",
       [&](Shards& shards) { options(shards, 2).mutable_selection()->add_functions("add"); }},
      {"suite (hash) is ", [&](Shards& shards) { options(shards, 2).set_whole_suite_hash("x"); }},
      {"set of contracts is 'p_cast,tf32' in run run0 of db0 and 'none'",
       [&](Shards& shards) { options(shards, 2).clear_contracts(); }},
      {"number of calls of a case is '2'", [&](Shards& shards) { options(shards, 2).set_repeat(3); }},
      {"run run0 of db0 is not complete: 2 of 3 cases",
       [](Shards& shards) { shards[0].verdicts.pop_back(); }},
      {"run run0 of db0 has no verdict on add.c6",
       [](Shards& shards) { shards[0].verdicts[2].set_case_id("add.c1"); }},
      {"6 cases are not those of the whole",
       [](Shards& shards) {
         shards[0].verdicts.pop_back();
         shards[0].cases.pop_back();
       }},
      {"are not those of the whole", [](Shards& shards) { shards[0].cases[0].case_hash = "older"; }},
  };
  for (const Wrong& wrong : table) {
    Shards shards = ThreeShards();
    wrong.make(shards);
    const absl::Status status = MergeShards(shards, {}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << wrong.says << ": " << status;
    EXPECT_TRUE(absl::StrContains(status.message(), wrong.says)) << wrong.says << ": " << status;
  }
}

}  // namespace
}  // namespace diopi::cli
