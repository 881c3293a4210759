// The agent's tensor cache across whole runs: a real server counts the bytes that it sent, and entries are
// damaged on disk.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

// The answer of 127.0.0.1:PORT to GET `path`, with its headers.
std::string HttpGet(const std::string& address, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(send(fd, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t got = 0; (got = recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
    answer.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  return answer;
}

// The parts of verdicts that do not change from run to run.
std::map<std::string, std::string> Verdicts(const StoredRun& run) {
  std::map<std::string, std::string> verdicts;
  for (const v1::Verdict& verdict : run.verdicts) {
    v1::Verdict same;
    same.set_outcome(verdict.outcome());
    same.set_reason(verdict.reason());
    *same.mutable_outputs() = verdict.outputs();
    verdicts[verdict.case_id()] = same.SerializeAsString();
  }
  return verdicts;
}

class CacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Finished gen =
        RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "add", "matmul", "--quiet"});
    ASSERT_EQ(gen.code, 0) << gen.err;
    server_ = std::make_unique<Running>(
        std::vector<std::string>{BinPath("diopi-server"), "--data", data(), "--listen", "127.0.0.1:0",
                                 "--http", "127.0.0.1:0", "--ready-fd", "1", "--log-level", "error"},
        std::vector<std::string>{});
    const std::string ready = server_->WaitForLine("ready ");
    const std::string http = server_->WaitForLine("http ");
    ASSERT_NE(http, "");
    address_ = ready.substr(6);
    http_ = http.substr(5);
  }
  std::string data() const { return folder_ / "data"; }
  std::string cache() const { return folder_ / "cache"; }

  int64_t Streamed() const {
    const std::string text = HttpGet(http_, "/metrics");
    const size_t at = text.find("\ndiopi_streamed_bytes_total ");
    EXPECT_NE(at, std::string::npos) << text.substr(0, 200);
    return at == std::string::npos ? 0
                                   : static_cast<int64_t>(std::strtod(&text[text.find(' ', at)], nullptr));
  }

  // Makes one run and returns how many bytes of tensors the server sent.
  int64_t BytesOfRun() {
    const int64_t before = Streamed();
    const Finished run = RunProgram({BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--server",
                                     address_, "--fname", "add", "matmul", "--inputs", "bytes", "--cache-dir",
                                     cache(), "--quiet", "--error-report", folder_ / "errors.csv"});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    verdicts_ = Verdicts(ReadRun(data()));
    return Streamed() - before;
  }

  // Path and size.
  std::map<std::string, int64_t> Entries() const {
    std::map<std::string, int64_t> entries;
    for (const auto& file : std::filesystem::directory_iterator(cache())) {
      if (file.path().filename() != "size") entries[file.path()] = static_cast<int64_t>(file.file_size());
    }
    return entries;
  }

  const TestFolder folder_;
  std::unique_ptr<Running> server_;
  std::string address_;
  std::string http_;
  std::map<std::string, std::string> verdicts_;  // of the last run, by case
};

TEST_F(CacheTest, WhatIsThereIsNotSentAgainAndWhatIsDamagedIs) {
  const int64_t cold = BytesOfRun();
  const std::map<std::string, std::string> expected = verdicts_;
  ASSERT_GT(expected.size(), 100u);
  const std::map<std::string, int64_t> entries = Entries();
  ASSERT_GT(entries.size(), 4u);
  int64_t kept = 0;
  for (const auto& [path, bytes] : entries) kept += bytes;
  const int64_t warm = BytesOfRun();
  EXPECT_LE(warm, cold - kept) << "a tensor of the cache was sent again";
  EXPECT_EQ(verdicts_, expected);
  EXPECT_EQ(Entries(), entries);
  EXPECT_EQ(BytesOfRun(), warm);  // only tensors that are too small for the cache

  const auto& [path, bytes] = *std::next(entries.begin());
  const std::string good = ReadFile(path);
  std::string flipped = good;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  const std::pair<const char*, std::string> damages[] = {
      {"one bit", flipped},
      {"cut off", good.substr(0, good.size() - 1)},
      {"longer", good + "x"},
      {"empty", ""},
      {"another's content", ReadFile(entries.begin()->first)},
      {"zeros", std::string(good.size(), '\0')},
  };
  for (const auto& [name, content] : damages) {
    WriteFile(path, content);
    EXPECT_GE(BytesOfRun(), warm + bytes) << name << ": it was not fetched again";
    EXPECT_EQ(verdicts_, expected) << name;
    EXPECT_TRUE(ReadFile(path) == good) << name;
    EXPECT_EQ(Entries(), entries) << name;
  }
  EXPECT_EQ(BytesOfRun(), warm);
}

}  // namespace
}  // namespace diopi::testing
