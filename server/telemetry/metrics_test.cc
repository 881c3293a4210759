#include "server/telemetry/metrics.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "server/telemetry/exposition.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

std::map<std::string, double> Parsed(const Metrics& metrics) {
  const std::string text = metrics.Text();
  const auto parsed = ParseExposition(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
  return parsed.ok() ? *parsed : std::map<std::string, double>();
}

TEST(MetricsTest, WhatIsCountedIsShown) {
  Metrics metrics("1.2 \"odd\\\"");
  metrics.Call("Lease", "OK", absl::Milliseconds(3));
  metrics.Call("Lease", "OK", absl::Seconds(100));
  metrics.Call("Lease", "NOT_FOUND", absl::Microseconds(1));
  metrics.Leased(5);
  metrics.Reported(3, 2);
  metrics.Verdict("c", "pass");
  metrics.Verdict("c", "pass");
  metrics.Verdict("c", "fail");
  metrics.Expired(4);
  metrics.Streamed(size_t{1} << 40);
  metrics.Appended(absl::Milliseconds(1));
  metrics.AddSource([] {
    return std::vector<Sample>{{"diopi_runs", "Runs.", Sample::Kind::kGauge, {{"state", "running"}}, 2},
                               {"diopi_runs", "Runs.", Sample::Kind::kGauge, {{"state", "finished"}}, 7}};
  });
  std::map<std::string, double> series = Parsed(metrics);
  const std::map<std::string, double> expected = {
      {R"(diopi_rpc_seconds_count{code="OK",method="Lease"})", 2},
      {R"(diopi_rpc_seconds_bucket{code="OK",method="Lease",le="0.005"})", 1},
      {R"(diopi_rpc_seconds_bucket{code="OK",method="Lease",le="60"})", 1},
      {R"(diopi_rpc_seconds_count{code="NOT_FOUND",method="Lease"})", 1},
      {"diopi_cases_leased_total", 5},
      {"diopi_cases_reported_total", 5},
      {"diopi_cases_duplicate_total", 2},
      {R"(diopi_verdicts_total{chip="c",outcome="pass"})", 2},
      {R"(diopi_verdicts_total{chip="c",outcome="fail"})", 1},
      {"diopi_cases_expired_total", 4},
      {"diopi_streamed_bytes_total", 1099511627776.0},
      {"diopi_database_append_seconds_count", 1},
      {R"(diopi_runs{state="running"})", 2},
      {R"(diopi_runs{state="finished"})", 7},
      {R"(diopi_build_info{version="1.2 \"odd\\\""})", 1},
  };
  for (const auto& [key, value] : expected) {
    ASSERT_TRUE(series.contains(key)) << key << "\n" << metrics.Text();
    EXPECT_EQ(series[key], value) << key;
  }
}

TEST(MetricsTest, TheProcessMeasuresItself) {
  const Metrics metrics("1");
  const std::map<std::string, double> before = Parsed(metrics);
  EXPECT_GT(before.at("process_resident_memory_bytes"), 1e6);
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(Parsed(metrics).at("process_open_fds"), before.at("process_open_fds") + 1);
  close(fd);
  EXPECT_GE(Parsed(metrics).at("process_cpu_seconds_total"), before.at("process_cpu_seconds_total"));
}

TEST(MetricsTest, ThreadsCountTogether) {
  Metrics metrics("1");
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&metrics] {
      for (int i = 0; i < 500; ++i) {
        metrics.Call("Report", "OK", absl::Milliseconds(1));
        metrics.Verdict("c", "pass");
      }
      EXPECT_NE(metrics.Text(), "");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Parsed(metrics).at(R"(diopi_rpc_seconds_count{code="OK",method="Report"})"), 2000);
}

// The checks are only worth something when they can fail.
TEST(ExpositionTest, RefusesWhatAScraperWould) {
  const std::string good = "# HELP a_total Help.\n# TYPE a_total counter\na_total 1\n";
  ASSERT_TRUE(ParseExposition(good).ok());
  const std::string histogram = "# HELP h H.\n# TYPE h histogram\nh_count 2\nh_sum 3\n";
  ASSERT_TRUE(ParseExposition(histogram + "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 2\n").ok());
  struct Row {
    std::string text;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"", "no end"},
      {"# HELP a A.\n# TYPE a gauge\na 1", "no end"},
      {"a 1\n", "without HELP"},
      {"# HELP a A.\na 1\n", "without HELP and TYPE"},
      {"# HELP a_total A.\n", "HELP without TYPE"},
      {good + good, "not together"},
      {good + "a_total 1\n", "twice"},
      {good + "b 1\n", "outside its family"},
      {good + "\n", "empty line"},
      {"# HELP a A.\n# TYPE a counter\na 1\n", "without _total"},
      {"# HELP a_total A.\n# TYPE a_total counter\na_total -1\n", "negative"},
      {"# HELP a A.\n# TYPE a gauge\na one\n", "not a number"},
      {"# HELP a A.\n# TYPE a gauge\na{b=\"c} 1\n", "not a sample"},
      {"# HELP a A.\n# TYPE a gauge\na{b=\"c\"d\"} 1\n", "not a sample"},
      {"# HELP a A.\n# TYPE a thing\na 1\n", "unknown type"},
      {histogram + "h_bucket{le=\"1\"} 3\nh_bucket{le=\"+Inf\"} 2\n", "fall"},
      {histogram + "h_bucket{le=\"+Inf\"} 1\n", "not the count"},
      {histogram + "h_bucket{le=\"1\"} 2\n", "not the count"},
      {histogram + "h_bucket 2\n", "without le"},
  };
  for (const Row& row : rows) {
    const absl::Status status = ParseExposition(row.text).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says)) << row.text;
  }
}

}  // namespace
}  // namespace diopi::server
