// User errors: each gives a clear message and exit status 2, or 4 for the environment.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "baselines/store/store.h"
#include "cases/core/catalog.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

const std::string& Cpu() {
  static const auto& path = *new std::string(LibPath("libdiopi_cpu.so"));
  return path;
}

class BadInputTest : public ::testing::Test {
 protected:
  std::vector<std::string> Agent(std::vector<std::string> more) const {
    std::vector<std::string> command = {BinPath("diopi-agent"), "--data", data(), "--error-report",
                                        folder_ / "errors.csv"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  std::vector<std::string> Cli(std::vector<std::string> more) const {
    more.insert(more.begin(), BinPath("diopi-cli"));
    return more;
  }
  std::string data() const { return folder_ / "data"; }
  std::string baseline() const { return baselines::BaselinePath(data(), "cpu", "relu"); }

  void Gen() const {
    const Finished gen = RunProgram(Cli({"gen", "--data", data(), "--fname", "relu"}));
    ASSERT_EQ(gen.code, 0) << gen.err;
  }

  // Runs an agent with a separate server for this folder.
  Finished RunWithServer() const {
    Running server({BinPath("diopi-server"), "--data", data(), "--listen", "127.0.0.1:0", "--log-level",
                    "error", "--ready-fd", "1"},
                   {});
    const std::string address = server.WaitForLine("ready ").substr(6);
    Finished finished = RunProgram(Agent({"--impl", Cpu(), "--fname", "relu", "--server", address}));
    server.Signal(SIGTERM);
    EXPECT_EQ(server.Finish().code, 0);
    return finished;
  }

  TestFolder folder_;
};

TEST_F(BadInputTest, CommandLinesAndFiles) {
  WriteFile(folder_ / "text.so", "this is no library\n");
  WriteFile(folder_ / "empty.so", "");
  std::string other = ReadFile(Cpu());
  other[18] = '\xb7';  // e_machine: AArch64
  WriteFile(folder_ / "arm.so", other);
  WriteFile(folder_ / "short.so", ReadFile(Cpu()).substr(0, 5000));
  std::string libm = RunProgram({"/usr/bin/cc", "-print-file-name=libm.so.6"}).out;
  libm.resize(libm.find('\n'));
  struct Row {
    const char* name;
    std::vector<std::string> command;
    int code;
    const char* text;
  };
  const Row rows[] = {
      {"no --impl", Agent({}), 2, "--impl"},
      {"unknown option", Agent({"--impl", Cpu(), "--no-such-option"}), 2, "--no-such-option"},
      {"misspelt option", Agent({"--impl", Cpu(), "--fail_fats"}), 2, "did you mean --fail-fast"},
      {"misspelt subcommand", Cli({"repo", "add.float32.n17"}), 2, "did you mean repro"},
      {"misspelt option of a subcommand", Cli({"list", "--fnam", "add"}), 2, "did you mean --fname"},
      {"missing library", Agent({"--impl", "/nonexistent/lib.so"}), 2, "/nonexistent/lib.so"},
      {"not ELF", Agent({"--impl", folder_ / "text.so"}), 2, "ELF"},
      {"empty file", Agent({"--impl", folder_ / "empty.so"}), 2, "empty.so"},
      {"wrong architecture", Agent({"--impl", folder_ / "arm.so"}), 2, "arm.so"},
      {"truncated library", Agent({"--impl", folder_ / "short.so"}), 2, "short.so"},
      {"library of something else", Agent({"--impl", libm, "--fname", "relu"}), 2,
       "exports none of the 538 DIOPI functions"},
      {"library that cannot be loaded",
       Agent({"--impl", VendorPath("vendor_missing_symbol"), "--fname", "relu"}), 2, "cannot be loaded"},
      {"unknown operator", Agent({"--impl", Cpu(), "--fname", "sofmax"}), 2, "softmax"},
      {"unknown dtype", Agent({"--impl", Cpu(), "--filter_dtype", "flaot32"}), 2, "float32"},
      {"unknown suite", Agent({"--impl", Cpu(), "--suite", "cor"}), 2, "cor"},
      {"no address", Agent({"--impl", Cpu(), "--server", "nowhere"}), 2, "'nowhere' is not a server address"},
      {"chip's name too long", Agent({"--impl", Cpu(), "--chip", std::string(65, 'c')}), 2,
       "--chip: the name of a chip has at most 64 bytes; this one has 65"},
      {"chip's name too long, submitted",
       Cli({"submit", "--server", "127.0.0.1:1", "--chip", std::string(65, 'c')}), 2,
       "--chip: the name of a chip has at most 64 bytes; this one has 65"},
      {"unknown run", Agent({"--impl", Cpu(), "--resume", "no-such-run"}), 2, "no-such-run"},
      {"no subcommand", Cli({}), 2, "subcommand"},
      {"list of an unknown operator", Cli({"list", "--fname", "adr"}), 2, "add"},
      {"show of an unknown case", Cli({"show", "relu.float32.no_such_point"}), 2, "relu."},
      {"report without a database", Cli({"report", "--data", folder_ / "none"}), 2, "results.db"},
      {"unknown format", Cli({"report", "--data", folder_ / "none", "--format", "pdf"}), 2, "pdf"},
      {"abi-check of a text", Cli({"abi-check", "--impl", folder_ / "text.so"}), 2, "ELF"},
      {"gen without a library",
       Cli({"gen", "--fname", "relu", "--data", data(), "--library", "/nonexistent.so"}), 2,
       "/nonexistent.so"},
  };
  for (const Row& row : rows) {
    const Finished finished = RunProgram(row.command);
    EXPECT_EQ(finished.code, row.code) << row.name << ": " << finished.err;
    EXPECT_NE((finished.err + finished.out).find(row.text), std::string::npos)
        << row.name << ": " << finished.err << finished.out;
  }
}

TEST_F(BadInputTest, MissingBaselinesAndAServerOfSomebodyElse) {
  const Finished finished = RunWithServer();
  EXPECT_EQ(finished.code, 4);
  EXPECT_NE(finished.err.find("no baselines of relu"), std::string::npos) << finished.err;
  EXPECT_NE(finished.err.find("diopi-cli gen --data"), std::string::npos) << finished.err;
}

// Exactly the run's cases; globs of other operators and of the library's checks are not gen's business.
TEST_F(BadInputTest, MissingBaselinesAreThoseOfTheSelection) {
  const auto run = [this](const std::vector<std::string>& globs) {
    std::vector<std::string> words = {"--impl", Cpu(), "--fname", "relu", "add", "library", "--case"};
    words.insert(words.end(), globs.begin(), globs.end());
    return RunProgram(Agent(words));
  };
  const Finished one = run({"add.float32.n1", "library.last_error"});
  EXPECT_EQ(one.code, 0) << one.out << one.err;
  EXPECT_NE(one.out.find("add: 1 of 1 cases written"), std::string::npos) << one.out;
  const Finished more = run({"add.float32.n?", "relu.float32.size_1"});
  EXPECT_EQ(more.code, 0) << more.out << more.err;
  EXPECT_NE(more.out.find("add: 2 of 3 cases written"), std::string::npos) << more.out;
  EXPECT_NE(more.out.find("relu: 1 of 1 cases written"), std::string::npos) << more.out;
  const Finished again = run({"add.float32.n1", "relu.float32.size_1"});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_EQ(again.out.find("cases written"), std::string::npos) << again.out;
}

TEST_F(BadInputTest, BaselineThatIsNoHdf5) {
  WriteFile(baseline(), std::string(10'000, 'x'));
  const Finished finished = RunWithServer();
  EXPECT_EQ(finished.code, 4);
  EXPECT_NE(finished.err.find("diopi-cli gen --data"), std::string::npos) << finished.err;
  // An agent with its own server repairs it.
  const Finished own = RunProgram(Agent({"--impl", Cpu(), "--fname", "relu"}));
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_NE(own.out.find("Generating missing baselines first: relu"), std::string::npos) << own.out;
}

TEST_F(BadInputTest, TruncatedBaseline) {
  Gen();
  const auto size = std::filesystem::file_size(baseline());
  std::filesystem::resize_file(baseline(), size / 2);
  const Finished finished = RunWithServer();
  EXPECT_EQ(finished.code, 4);
  EXPECT_NE(finished.err.find("no baselines of relu"), std::string::npos) << finished.err;
}

TEST_F(BadInputTest, DamagedTensorsAreOurFaultNeverTheChips) {
  Gen();
  // Zeroes the second half of the file except its last tenth: that damages data, structure or both, and must
  // never pass.
  std::string bytes = ReadFile(baseline());
  for (size_t i = bytes.size() / 2; i < bytes.size() / 10 * 9; ++i)
    bytes[i] = static_cast<char>(bytes[i] ^ 0x5A);
  WriteFile(baseline(), bytes);
  const Finished finished = RunWithServer();
  const bool judged = finished.out.find("harness_error") != std::string::npos;
  EXPECT_EQ(finished.code, judged ? 3 : 4) << finished.out;
  EXPECT_TRUE(judged || finished.err.find("no baselines of relu") != std::string::npos)
      << finished.out << finished.err;
  EXPECT_EQ(finished.out.find(": fail:"), std::string::npos) << finished.out;
}

TEST_F(BadInputTest, BaselineOfAnotherVersion) {
  // The same cases with other hashes, as another generator version makes them.
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  v1::Selection selection;
  selection.add_functions("relu");
  auto cases = (*catalog)->Select(selection);
  ASSERT_TRUE(cases.ok()) << cases.status();
  std::filesystem::create_directories(std::filesystem::path(baseline()).parent_path());
  auto writer = baselines::BaselineWriter::Create(baseline(), "relu", {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (v1::Case& c : *cases) {
    c.set_hash(std::string(32, '0'));
    ASSERT_TRUE((*writer)->Add({c, {}, {}}).ok());
  }
  ASSERT_TRUE((*writer)->Commit().ok());
  const Finished finished = RunWithServer();
  EXPECT_EQ(finished.code, 4);
  EXPECT_NE(finished.err.find("no baselines of relu"), std::string::npos) << finished.err;
}

TEST_F(BadInputTest, CorruptDatabase) {
  WriteFile(data() + "/results.db", std::string(4096, 'x'));
  const Finished report = RunProgram(Cli({"report", "--data", data()}));
  EXPECT_EQ(report.code, 4);
  EXPECT_NE(report.err.find("results.db"), std::string::npos) << report.err;
  const Finished agent = RunProgram(Agent({"--impl", Cpu(), "--fname", "relu"}));
  EXPECT_EQ(agent.code, 4);
  EXPECT_NE(agent.err.find("results.db"), std::string::npos) << agent.err;
}

TEST_F(BadInputTest, PortInUse) {
  const auto serve = [](const std::string& folder, const std::string& listen) -> std::vector<std::string> {
    return {BinPath("diopi-server"),
            "--data",
            folder,
            "--log-level",
            "error",
            "--ready-fd",
            "1",
            "--listen",
            listen};
  };
  Running first(serve(data(), "127.0.0.1:0"), {});
  const std::string address = first.WaitForLine("ready ").substr(6);
  const Finished second = RunProgram(serve(folder_ / "other", address));
  EXPECT_EQ(second.code, 4) << second.err;
  EXPECT_NE(second.err.find(address), std::string::npos) << second.err;
  first.Signal(SIGTERM);
  EXPECT_EQ(first.Finish().code, 0);
}

TEST_F(BadInputTest, AStopWhileBaselinesAreMade) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Running agent(Agent({"--impl", Cpu()}), {});  // all of core, which takes a minute
    agent.WaitForLine("Generating missing baselines");
    agent.Signal(signal);
    const Finished finished = agent.Finish();
    EXPECT_EQ(finished.code, 128 + signal) << finished.err;
    EXPECT_NE(finished.err.find("stopped while baselines were being generated"), std::string::npos)
        << finished.err;
  }
}

TEST_F(BadInputTest, ServerGone) {
  const std::string address = "unix:" + (folder_ / "nobody");
  const Finished finished = RunProgram(Agent({"--impl", Cpu(), "--fname", "relu", "--server", address}));
  EXPECT_EQ(finished.code, 4);
  EXPECT_NE(finished.err.find("cannot reach the server at " + address), std::string::npos) << finished.err;
}

TEST_F(BadInputTest, EveryProgramDescribesItself) {
  const std::string version = RunProgram({BinPath("diopi-cli"), "--version"}).out;
  EXPECT_NE(version, "");
  EXPECT_EQ(RunProgram({BinPath("diopi-worker"), "--version"}).out, version);
  for (const char* program : {"diopi-agent", "diopi-cli", "diopi-server"}) {
    EXPECT_EQ(RunProgram({BinPath(program), "--version"}).out, version) << program;
    const std::string help = RunProgram({BinPath(program), "--help"}).out;
    EXPECT_NE(help.find("Examples:\n  " + std::string(program)), std::string::npos) << help;
    EXPECT_NE(help.find("  130  stopped by Ctrl-C"), std::string::npos) << help;
    const Finished completion = RunProgram({BinPath(program), "--completion", "bash"});
    EXPECT_EQ(completion.code, 0);
    WriteFile(folder_ / "completion", completion.out);
    EXPECT_EQ(RunProgram({"/bin/bash", "-n", folder_ / "completion"}).err, "") << program;
    const Finished page = RunProgram({BinPath(program), "--man-page"});
    EXPECT_EQ(page.code, 0);
    EXPECT_NE(page.out.find("\n.SH EXIT STATUS\n"), std::string::npos) << page.out;
  }
}

// Found before the run, not hours later.
TEST_F(BadInputTest, AReportThatCannotBeWrittenIsFoundBeforeTheRun) {
  WriteFile(folder_ / "file", "not a folder\n");
  for (const std::vector<std::string>& where :
       {std::vector<std::string>{"--error-report", folder_ / "file/errors.csv"},
        std::vector<std::string>{"--error-report", "/proc/errors.csv"},
        std::vector<std::string>{"--report-dir", folder_ / "file", "--failure-debug-level", "1"}}) {
    std::vector<std::string> command = {
        BinPath("diopi-agent"), "--data", data(), "--impl", Cpu(), "--fname", "relu"};
    command.insert(command.end(), where.begin(), where.end());
    const Finished finished = RunProgram(command);
    EXPECT_EQ(finished.code, 4) << finished.out << finished.err;
    EXPECT_NE(finished.err.find(where[1]), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("cannot be written"), std::string::npos) << finished.err;
    EXPECT_EQ(finished.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(data()));
  // An existing file stays until it is replaced.
  WriteFile(folder_ / "errors.csv", "of an earlier run\n");
  EXPECT_EQ(RunProgram(Agent({"--impl", "/nonexistent.so"})).code, 2);
  EXPECT_EQ(ReadFile(folder_ / "errors.csv"), "of an earlier run\n");
}

TEST_F(BadInputTest, MissingWorkerProgram) {
  Gen();
  const Finished finished =
      RunProgram(Agent({"--impl", Cpu(), "--fname", "relu", "--worker-program", "/nonexistent/worker"}));
  EXPECT_EQ(finished.code, 3);
  EXPECT_NE(finished.err.find("/nonexistent/worker"), std::string::npos) << finished.err;
}

TEST_F(BadInputTest, ASecondGenWaitsAndIsThenRefused) {
  // Simulates a running gen by holding its lock file with flock(1).
  std::filesystem::create_directories(data());
  Running holder(
      {"/usr/bin/flock", "--no-fork", data() + "/gen.lock", "/bin/sh", "-c", "echo locked; exec sleep 1000"},
      {});
  ASSERT_NE(holder.WaitForLine("locked"), "");
  const Finished gen = RunProgram(Cli({"gen", "--data", data(), "--fname", "relu", "--lock-wait-s", "0.1"}));
  EXPECT_EQ(gen.code, 4);
  EXPECT_NE(gen.err.find("gen.lock is locked: waiting up to 0.1 s"), std::string::npos) << gen.err;
  EXPECT_NE(gen.err.find("gen.lock is locked: another diopi-cli gen is running there"), std::string::npos)
      << gen.err;
  // An agent that needs baselines waits, too, and runs when the other has ended.
  Running agent({"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh", BinPath("diopi-agent"), "--data", data(),
                 "--error-report", folder_ / "errors.csv", "--impl", Cpu(), "--fname", "relu"},
                {});
  ASSERT_NE(agent.WaitForLine("gen.lock is locked: waiting up to 600 s"), "");
  holder.Signal(SIGKILL);
  const Finished ran = agent.Finish();
  EXPECT_EQ(ran.code, 0) << ran.out;
}

}  // namespace
}  // namespace diopi::testing
