// Whole runs over TLS with tokens, and refusals with their messages: the real programs on a loopback port.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "client/testing/programs.h"
#include "client/testing/results.h"
#include "server/security/certificates_testing.h"

namespace diopi::testing {
namespace {

using server::TestAuthority;
using server::TestPair;
using Arguments = std::vector<std::string>;

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class SecurityTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    authority_ = new TestAuthority;
    const Finished gen =
        RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "relu", "--quiet"});
    ASSERT_EQ(gen.code, 0) << gen.err;
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete authority_;
  }
  static std::string data() { return *folder_ / "data"; }

  void SetUp() override {
    for (const char* file : {"/results.db", "/results.db-wal", "/results.db-shm", "/tokens"}) {
      std::filesystem::remove(data() + file);
    }
  }

  void StartServer(const Arguments& more) {
    server_ = std::make_unique<Running>(Arguments{BinPath("diopi-server"), "--data", data(), "--listen",
                                                  "127.0.0.1:0", "--ready-fd", "1", "--log-level", "off"} +
                                            more,
                                        Arguments{});
    const std::string line = server_->WaitForLine("ready ");
    ASSERT_NE(line, "");
    address_ = line.substr(6);
  }
  // Adds a token as an administrator does, while the server runs; returns the path of the file with the
  // token.
  static std::string Token(const std::string& name, const std::string& role) {
    const Finished made = RunProgram(
        {BinPath("diopi-server"), "token", "add", "--data", data(), "--name", name, "--role", role});
    EXPECT_EQ(made.code, 0) << made.err;
    WriteFile(*folder_ / name, made.out);
    return *folder_ / name;
  }

  Arguments AgentCommand(const Arguments& more) const {
    return Arguments{BinPath("diopi-agent"),
                     "--impl",
                     LibPath("libdiopi_cpu.so"),
                     "--server",
                     address_,
                     "--quiet",
                     "--error-report",
                     *folder_ / "errors.csv",
                     "--cache-dir",
                     *folder_ / "cache"} +
           more;
  }
  Finished Run(const Arguments& credentials, const Arguments& environment = {}) const {
    return RunProgram(AgentCommand(Arguments{"--fname", "relu"} + credentials), environment);
  }
  Finished Cli(const std::string& command, const Arguments& more) const {
    return RunProgram(Arguments{BinPath("diopi-cli"), command, "--server", address_} + more);
  }
  // "Run ID: submitted" to ID
  std::string Submit(const std::string& token) const {
    const Finished done = Cli("submit", {"--chip", "c", "--fname", "relu", "--token-file", token});
    EXPECT_EQ(done.code, 0) << done.err;
    const size_t end = done.out.find(':');
    return end == std::string::npos ? "" : done.out.substr(4, end - 4);
  }

  static std::string StateOf(const std::string& run) {
    std::string list = RunProgram({BinPath("diopi-cli"), "runs", "--data", data()}).out;
    for (const char* state : {"queued", "running", "finished", "aborted"}) {
      if (list.find(run + "  " + state) != std::string::npos) return state;
    }
    return list;
  }

  static TestFolder* folder_;
  static TestAuthority* authority_;
  std::unique_ptr<Running> server_;
  std::string address_;
};

TestFolder* SecurityTest::folder_ = nullptr;
TestAuthority* SecurityTest::authority_ = nullptr;

void ExpectRefused(const Finished& done, int code, const std::string& text, const char* who) {
  EXPECT_EQ(done.code, code) << who << ": " << done.out << done.err;
  EXPECT_NE(done.err.find(text), std::string::npos) << who << ": " << done.err;
}

TEST_F(SecurityTest, ARunOverTlsWithAToken) {
  const TestPair own = authority_->Issue("server");
  StartServer({"--tls-cert", own.certificate, "--tls-key", own.key});
  const std::string token = Token("ci", "run");
  const Finished run = Run({"--tls-ca", authority_->ca(), "--token-file", token});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  EXPECT_EQ(stored.info.state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(stored.info.options().owner(), "ci");
  ASSERT_FALSE(stored.verdicts.empty());
  for (const v1::Verdict& verdict : stored.verdicts) {
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id();
  }
  // The same with the token from the environment.
  std::string text = ReadFile(token);
  text.pop_back();
  const Finished again = Run({}, {"DIOPI_TLS_CA=" + authority_->ca(), "DIOPI_TOKEN=" + text});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(ReadRun(data()).info.options().owner(), "ci");
  // The token is in no output and no stored file.
  for (const std::string& said : {run.out, run.err, again.out, again.err, ReadFile(data() + "/tokens")}) {
    EXPECT_EQ(said.find(text), std::string::npos);
  }
}

TEST_F(SecurityTest, WhoIsRefusedIsToldWhy) {
  const TestPair own = authority_->Issue("server");
  StartServer({"--tls-cert", own.certificate, "--tls-key", own.key});
  const std::string read = Token("reader", "read");
  const std::string gone = Token("gone", "admin");
  ASSERT_EQ(RunProgram({BinPath("diopi-server"), "token", "revoke", "--data", data(), "--name", "gone"}).code,
            0);
  const std::string wrong = *folder_ / "wrong";
  WriteFile(wrong, "diopi_" + std::string(64, '0') + "\n");
  const TestAuthority stranger;
  const Arguments tls = {"--tls-ca", authority_->ca()};
  struct Row {
    const char* name;
    Arguments credentials;
    int code;
    std::string text;
  };
  const Row rows[] = {
      {"no token", tls, 4, "this server requires a token: use --token-file FILE or set $DIOPI_TOKEN"},
      {"wrong token", tls + Arguments{"--token-file", wrong}, 4,
       "does not know the token, or it was revoked"},
      {"revoked", tls + Arguments{"--token-file", gone}, 4, "does not know the token, or it was revoked"},
      {"reader", tls + Arguments{"--token-file", read}, 4,
       "the token of 'reader' has the role read; this needs run"},
      {"missing file", tls + Arguments{"--token-file", *folder_ / "nothing"}, 2, *folder_ / "nothing"},
      {"another authority", {"--tls-ca", stranger.ca(), "--token-file", read}, 4, "certificate"},
      {"no TLS", {"--token-file", read}, 4, "--tls-ca"},
      {"token in sight", {"--token", "diopi_0"}, 2, "every user of this machine can see a token"},
  };
  for (const Row& row : rows) ExpectRefused(Run(row.credentials), row.code, row.text, row.name);
  EXPECT_EQ(RunProgram({BinPath("diopi-cli"), "runs", "--data", data()}).out, "");
  const Arguments reader = tls + Arguments{"--token-file", read};
  EXPECT_EQ(Cli("agents", reader).code, 0);
  ExpectRefused(Cli("submit", reader + Arguments{"--chip", "c", "--fname", "relu"}), 4, "this needs run",
                "submit");
  const Finished serve = RunProgram(AgentCommand(reader + Arguments{"--serve", "--chip", "c"}));
  ExpectRefused(serve, 4, "this needs run", "serve");
}

TEST_F(SecurityTest, MutualTls) {
  const TestPair own = authority_->Issue("server");
  const TestPair client = authority_->Issue("client");
  const TestAuthority stranger;
  const TestPair other = stranger.Issue("other");
  StartServer({"--tls-cert", own.certificate, "--tls-key", own.key, "--tls-client-ca", authority_->ca()});
  const Arguments token = {"--token-file", Token("ci", "run"), "--tls-ca", authority_->ca()};
  const Finished run = Run(token + Arguments{"--tls-cert", client.certificate, "--tls-key", client.key});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(ReadRun(data()).info.state(), v1::RUN_STATE_FINISHED);
  ExpectRefused(Run(token), 4, "certificate", "without one");
  ExpectRefused(Run(token + Arguments{"--tls-cert", other.certificate, "--tls-key", other.key}), 4,
                "certificate", "another authority's");
  // A certificate does not replace a token.
  ExpectRefused(
      Run({"--tls-ca", authority_->ca(), "--tls-cert", client.certificate, "--tls-key", client.key}), 4,
      "this server requires a token", "no token");
}

TEST_F(SecurityTest, WhoMayCancelWhoseRun) {
  StartServer({});
  const std::string alice = Token("alice", "run");
  const std::string bob = Token("bob", "run");
  const std::string reader = Token("reader", "read");
  const std::string boss = Token("boss", "admin");
  const auto cancel = [&](const std::string& run, const std::string& token) {
    return Cli("submit", {"--cancel", run, "--token-file", token});
  };
  const std::string first = Submit(alice);
  ExpectRefused(
      cancel(first, bob), 4,
      "run " + first +
          " belongs to 'alice', and the token of 'bob' has the role run: only its owner and admin tokens "
          "may cancel it",
      "bob");
  ExpectRefused(cancel(first, reader), 4, "the token of 'reader' has the role read; this needs run",
                "reader");
  ExpectRefused(Cli("submit", {"--cancel", first}), 4, "this server requires a token", "nobody");
  EXPECT_EQ(StateOf(first), "queued");
  EXPECT_EQ(cancel(first, alice).code, 0);
  EXPECT_EQ(StateOf(first), "aborted");
  ExpectRefused(cancel(first, alice), 2, "nothing to cancel", "twice");
  const std::string second = Submit(alice);
  EXPECT_EQ(cancel(second, boss).code, 0);
  EXPECT_EQ(StateOf(second), "aborted");
}

TEST_F(SecurityTest, BringingALibraryAlongNeedsAdminAndAnAgentThatTakesIt) {
  StartServer({});
  const Arguments user = {"--token-file", Token("user", "run")};
  const Arguments boss = {"--token-file", Token("boss", "admin")};
  const Arguments upload = {"--chip", "c", "--fname", "relu", "--impl", LibPath("libdiopi_cpu.so"), "--wait"};
  Running careful(AgentCommand(user + Arguments{"--serve", "--chip", "c"}), {});
  ASSERT_NE(careful.WaitForLine("waiting for runs"), "");
  ExpectRefused(Cli("submit", upload + user), 4,
                "the token of 'user' has the role run; uploading a library needs admin", "user");
  ExpectRefused(Cli("submit", upload + boss), 2,
                "takes an uploaded library; these were started without --impl-upload", "boss");
  Running open(AgentCommand(user + Arguments{"--serve", "--chip", "c", "--impl-upload"}), {});
  ASSERT_NE(open.WaitForLine("waiting for runs"), "");
  ExpectRefused(Cli("submit", upload + user), 4, "uploading a library needs admin", "user");
  const Finished run = Cli("submit", upload + boss);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  EXPECT_EQ(stored.info.options().owner(), "boss");
  EXPECT_EQ(stored.info.submission().upload_name(), "libdiopi_cpu.so");
}

}  // namespace
}  // namespace diopi::testing
