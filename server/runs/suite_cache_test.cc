// Lists of cases are made once and shared, also while they are made; nobody works for a caller that has gone,
// and no more calls work at once than are admitted.
#include "server/runs/suite_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "server/runs/admission.h"

namespace diopi::server {
namespace {

using ::testing::StartsWith;

v1::Selection Functions(const std::vector<std::string>& names) {
  v1::Selection selection;
  *selection.mutable_functions() = {names.begin(), names.end()};
  selection.set_suite("smoke");
  return selection;
}

absl::Status Always() {
  return absl::OkStatus();
}

class SuiteCacheTest : public testing::Test {
 protected:
  LazyCatalog catalog_{cases::Catalog::LoadBuiltin};
};

TEST_F(SuiteCacheTest, CallsThatComeTogetherShareAnExpansion) {
  SuiteCache cache(&catalog_, 0);
  const v1::Selection selection = Functions({"relu", "add"});
  std::vector<std::shared_ptr<const SuiteList>> lists(8);
  std::vector<std::thread> threads;
  for (auto& list : lists) threads.emplace_back([&] { list = *cache.Get(selection, Always); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& list : lists) EXPECT_EQ(list, lists[0]);
  EXPECT_EQ(cache.expansions(), 1);
  const auto expected = (*catalog_.Get())->SelectRun(selection);
  ASSERT_EQ(lists[0]->cases.size(), expected->size());
  for (size_t i = 0; i < expected->size(); ++i)
    EXPECT_EQ(lists[0]->cases[i].row.case_id, (*expected)[i].id());
  EXPECT_EQ(lists[0]->hash, cases::Catalog::SuiteHash(*expected));
}

TEST_F(SuiteCacheTest, UnusedListsAreKeptWithinTheirLimit) {
  SuiteCache none(&catalog_, 0);
  SuiteCache some(&catalog_, 1 << 20);
  SuiteCache one(&catalog_, (*none.Get(Functions({"add"}), Always))->bytes);
  for (const char* name : {"add", "relu", "add"}) {
    for (SuiteCache* cache : {&none, &some, &one}) ASSERT_TRUE(cache->Get(Functions({name}), Always).ok());
  }
  EXPECT_EQ(none.expansions(), 4);
  EXPECT_EQ(some.expansions(), 2);
  EXPECT_EQ(one.expansions(), 3);  // relu took the place of add
  // A list that is used is shared, kept or not.
  const auto used = none.Get(Functions({"relu"}), Always);
  EXPECT_EQ(*none.Get(Functions({"relu"}), Always), *used);
}

TEST_F(SuiteCacheTest, ErrorsAreNotKept) {
  SuiteCache cache(&catalog_, 1 << 20);
  EXPECT_TRUE(absl::IsNotFound(cache.Get(Functions({"rellu"}), Always).status()));
  EXPECT_EQ(cache.expansions(), 0);
  int asked = 0;
  const auto twice = [&asked] { return ++asked <= 2 ? absl::OkStatus() : absl::CancelledError("gone"); };
  v1::Selection all;
  EXPECT_TRUE(absl::IsCancelled(cache.Get(all, twice).status()));
  EXPECT_EQ(asked, 3) << "operators were expanded for a caller that had gone";
  v1::Selection models;
  models.set_suite("models/*");
  asked = 0;
  EXPECT_TRUE(absl::IsCancelled(cache.Get(models, twice).status()));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(cache.expansions(), 0);
  EXPECT_TRUE(cache.Get(Functions({"relu"}), Always).ok());
}

TEST_F(SuiteCacheTest, AListIsFinishedForThoseThatWait) {
  SuiteCache cache(&catalog_, 0);
  const v1::Selection selection = Functions({"relu", "add"});
  std::atomic<bool> begun = false;
  std::atomic<bool> waits = false;
  std::thread first([&] {
    const auto gone = [&] {
      begun = true;
      while (!waits) std::this_thread::yield();
      return absl::CancelledError("gone");
    };
    EXPECT_TRUE(cache.Get(selection, gone).ok());  // there was no reason to throw it away
  });
  while (!begun) std::this_thread::yield();
  // Asked while it waits for the other call.
  const auto list = cache.Get(selection, [&waits] {
    waits = true;
    return absl::OkStatus();
  });
  first.join();
  EXPECT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(cache.expansions(), 1);
}

TEST(AdmissionTest, SomeWorkSomeWaitTheRestIsRefused) {
  Admission admission(2, 1);
  auto one = std::make_unique<Admission::Pass>(*admission.Enter(Always));
  const auto two = admission.Enter(Always);
  std::atomic<bool> waits = false;
  std::thread third([&] {
    const auto pass = admission.Enter([&waits] {
      waits = true;
      return absl::OkStatus();
    });
    EXPECT_TRUE(pass.ok()) << pass.status();
  });
  while (!waits) std::this_thread::yield();
  const absl::Status refused = admission.Enter(Always).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), StartsWith("busy: "));  // client/rpc relies on this word
  one = nullptr;
  third.join();
}

TEST(AdmissionTest, ACallerThatGoesLeavesItsPlace) {
  Admission admission(1, 1);
  auto working = std::make_unique<Admission::Pass>(*admission.Enter(Always));
  int asked = 0;
  const auto twice = [&asked] { return ++asked <= 2 ? absl::OkStatus() : absl::CancelledError("gone"); };
  for (int i = 0; i < 3; ++i) {
    asked = 0;
    EXPECT_TRUE(absl::IsCancelled(admission.Enter(twice).status())) << i;
  }
  working = nullptr;
  EXPECT_TRUE(admission.Enter(Always).ok());
}

}  // namespace
}  // namespace diopi::server
