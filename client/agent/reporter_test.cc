#include "client/agent/reporter.h"

#include <gtest/gtest.h>

#include <future>

namespace diopi::agent {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLong{60'000};

v1::Verdict VerdictOf(const std::string& id) {
  v1::Verdict verdict;
  verdict.set_case_id(id);
  return verdict;
}

// A server that keeps the reports that it receives.
struct Server {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<v1::ReportRequest> requests;
  std::vector<std::string> stored;
  absl::Status answer;
  absl::Status failure;

  Reporter::Send send = [this](const v1::ReportRequest& request) {
    const std::lock_guard lock(mutex);
    requests.push_back(request);
    changed.notify_all();
    return answer;
  };
  Reporter::Stored on_stored = [this](const v1::Verdict& verdict) { stored.push_back(verdict.case_id()); };
  Reporter::Failed on_failed = [this](const absl::Status& status) { failure = status; };

  void WaitForRequests(size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return requests.size() >= count; });
  }
};

Reporter::Options Patient() {
  Reporter::Options options;
  options.run_id = std::string("r");
  options.agent_id = std::string("a");
  options.batch = 2;
  options.batch_wait = kLong;
  options.renew_every = kLong;
  return options;
}

TEST(Reporter, SendsFullBatchesAtOnce) {
  Server server;
  Reporter reporter(Patient(), server.send, server.on_stored, server.on_failed);
  for (const char* id : {"a", "b", "c"}) EXPECT_TRUE(reporter.Take("L", id));
  reporter.Add(VerdictOf("a"));
  reporter.Add(VerdictOf("b"));
  server.WaitForRequests(1);
  EXPECT_TRUE(reporter.Stop().ok());
  EXPECT_EQ(server.requests[0].verdicts_size(), 2);
  EXPECT_EQ(server.requests[0].run_id(), "r");
  EXPECT_EQ(server.stored, (std::vector<std::string>{"a", "b"}));
}

TEST(Reporter, TheLastVerdictInHandDoesNotWaitForABatch) {
  Server server;
  Reporter reporter(Patient(), server.send, server.on_stored, server.on_failed);
  EXPECT_TRUE(reporter.Take("L", "a"));
  reporter.Add(VerdictOf("a"));
  EXPECT_TRUE(reporter.WaitUntilIdle(kLong));
  EXPECT_EQ(server.requests.size(), 1u);
}

TEST(Reporter, ACaseInHandIsNotTakenTwice) {
  Server server;
  Reporter reporter(Patient(), server.send, server.on_stored, server.on_failed);
  EXPECT_TRUE(reporter.Take("L1", "a"));
  EXPECT_FALSE(reporter.Take("L2", "a"));
  reporter.Add(VerdictOf("a"));
  EXPECT_TRUE(reporter.WaitUntilIdle(kLong));
  EXPECT_TRUE(reporter.Take("L2", "a"));
  reporter.Abandon();
}

TEST(Reporter, RenewsLeasesWhileNothingHappens) {
  Server server;
  Reporter::Options options = Patient();
  options.renew_every = milliseconds(5);
  Reporter reporter(options, server.send, server.on_stored, server.on_failed);
  reporter.Take("L1", "a");
  reporter.Take("L2", "b");
  server.WaitForRequests(2);
  EXPECT_TRUE(reporter.Stop().ok());
  const v1::ReportRequest& last = server.requests.back();
  EXPECT_EQ(last.verdicts_size(), 0);
  EXPECT_EQ(std::vector<std::string>(last.renew_leases().begin(), last.renew_leases().end()),
            (std::vector<std::string>{"L1", "L2"}));
}

TEST(Reporter, AFailureIsToldOnceAndReleasesWaiters) {
  Server server;
  server.answer = absl::UnavailableError("gone");
  Reporter reporter(Patient(), server.send, server.on_stored, server.on_failed);
  reporter.Take("L", "a");
  reporter.Take("L", "b");
  reporter.Take("L", "c");
  reporter.Add(VerdictOf("a"));
  reporter.Add(VerdictOf("b"));
  EXPECT_TRUE(reporter.WaitUntilIdle(kLong));
  EXPECT_EQ(reporter.Stop().message(), "gone");
  EXPECT_EQ(server.failure.message(), "gone");
  EXPECT_TRUE(server.stored.empty());
}

TEST(Reporter, StopSendsWhatIsThere) {
  Server server;
  Reporter reporter(Patient(), server.send, server.on_stored, server.on_failed);
  for (const char* id : {"a", "b", "c"}) reporter.Take("L", id);
  reporter.Add(VerdictOf("a"));
  EXPECT_TRUE(reporter.Stop().ok());
  EXPECT_EQ(server.stored, std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace diopi::agent
