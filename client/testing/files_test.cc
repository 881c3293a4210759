// Every program and subcommand that reads or writes a file, with every file that is not what it should be:
// missing, a folder, a loop of links, a pipe, huge, binary, without permission; to a full disk, into no
// folder, through a file, over a folder. Each ends soon with the exit status of one table
// (cases/base/exit_code.h), and names the file: a file that is not what it should be is bad input
// (2), one that cannot be read, or written at all, is the environment (4).
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr char kOneCase[] = "relu.float32.size_1";
constexpr size_t kMostPrinted = 64 * 1024;
constexpr size_t kHugeBytes = size_t{20} << 20;

// A file, and the status that a program ends with that reads or writes it.
struct FileKind {
  const char* name;
  int status;
};
constexpr FileKind kReadKinds[] = {{"missing", 2}, {"folder", 2}, {"loop", 2},   {"through a file", 2},
                                   {"pipe", 2},    {"huge", 2},   {"binary", 2}, {"forbidden", 4}};
constexpr FileKind kWrittenKinds[] = {
    {"full", 4}, {"no folder", 4}, {"through a file", 4}, {"folder", 4}, {"forbidden", 4}};

// A program's command; "@" stands for the file. `other`: where a kind has another status, and why.
struct FileCommand {
  const char* name;
  Words command;
  std::map<std::string, int> other = {};
};

class FilesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TestFolder;
    const Finished run =
        RunProgram(Agent({"--impl", Cpu(), "--data", Data(), "--chip", "chip", "--performance",
                          "--performance-seconds", "0.01", "--error-report", *shared_ / "errors.csv"}));
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    const Finished shard =
        RunProgram(Agent({"--impl", Cpu(), "--data", Shard(), "--shard-index", "0", "--shard-count", "1",
                          "--error-report", *shared_ / "errors.csv"}));
    ASSERT_EQ(shard.code, 0) << shard.out << shard.err;
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }

  static std::string Cpu() { return LibPath("libdiopi_cpu.so"); }
  static std::string Data() { return *shared_ / "data"; }
  static std::string Shard() { return *shared_ / "shard"; }

  static Words Cli(Words more) {
    more.insert(more.begin(), BinPath("diopi-cli"));
    return more;
  }
  static Words Agent(Words more) {
    more.insert(more.begin(), {BinPath("diopi-agent"), "--case", kOneCase, "--fname", "relu", "--quiet"});
    return more;
  }
  static Words Server(Words more) {
    more.insert(more.begin(), BinPath("diopi-server"));
    return more;
  }

  // Makes the file and returns its path.
  std::string Make(const TestFolder& folder, const std::string& kind) {
    const std::string path = folder / "named.file";
    if (kind == "folder") fs::create_directory(path);
    if (kind == "loop") fs::create_symlink(path, path);
    if (kind == "pipe") {
      EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    }
    if (kind == "huge") WriteFile(path, std::string(kHugeBytes, 'x'));
    if (kind == "binary") {
      std::string bytes;
      for (int i = 0; i < 70'000; ++i) bytes.push_back(static_cast<char>(i * i / 7));
      WriteFile(path, bytes);
    }
    if (kind == "full") return "/dev/full";
    if (kind == "no folder") return folder / "none/named.file";
    if (kind == "through a file") {
      WriteFile(path, "a file\n");
      return path + "/named.file";
    }
    return path;
  }

  // Root may read and write everything.
  static Words WithoutPermission(Words command) {
    if (geteuid() == 0)
      command.insert(command.begin(),
                     {"/usr/bin/setpriv", "--bounding-set", "-dac_override,-dac_read_search"});
    return command;
  }

  void Try(const FileCommand& row, const FileKind& kind, bool reads) {
    const TestFolder folder;
    fs::create_directory(folder / "out");
    const std::string path = Make(folder, kind.name);
    Words command = row.command;
    for (std::string& word : command) {
      for (size_t at = 0; (at = word.find('@')) != std::string::npos;) word.replace(at, 1, path);
      for (size_t at = 0; (at = word.find("OUT")) != std::string::npos;) word.replace(at, 3, folder / "out");
    }
    if (std::string(kind.name) == "forbidden") {
      if (reads) WriteFile(path, "a file\n");
      chmod((reads ? path : folder.path()).c_str(), reads ? 0 : 0500);
      command = WithoutPermission(command);
    }
    command.insert(command.begin(), {"/usr/bin/timeout", "--kill-after=5", "60"});
    std::unique_ptr<Running> writer;
    if (std::string(kind.name) == "pipe") {
      writer = std::make_unique<Running>(
          Words{"/bin/sh", "-c", "exec printf '\\1\\2garbage\\n\\377' >\"$0\"", path}, Words{});
    }
    const Finished finished = RunProgram(command);
    if (writer != nullptr) writer->Signal(SIGKILL);
    chmod(folder.path().c_str(), 0700);
    const auto other = row.other.find(kind.name);
    const int status = other == row.other.end() ? kind.status : other->second;
    const std::string said = finished.err + finished.out;
    const std::string what = std::string(row.name) + ", " + kind.name;
    std::cout << what << ": " << finished.code << ", "
              << said.substr(0, std::min<size_t>(said.find('\n'), 200)) << "\n";
    EXPECT_EQ(finished.code, status) << what << ": " << said.substr(0, 2000);
    EXPECT_LT(said.size(), kMostPrinted) << what;
    EXPECT_TRUE(status == 0 || said.find(path) != std::string::npos) << what << ": " << said.substr(0, 2000);
  }

  static TestFolder* shared_;
};

TestFolder* FilesTest::shared_ = nullptr;

// A folder takes the place of a file, or a file that of a folder.
const std::map<std::string, int>& ForFolders() {
  static const auto& folders =
      *new std::map<std::string, int>{{"pipe", 2}, {"huge", 2}, {"binary", 2}, {"forbidden", 2}};
  return folders;
}

TEST_F(FilesTest, Read) {
  // Of many files, those that cannot be read are left out; the status is that of a capture without calls.
  const std::map<std::string, int> each_is_left_out = {{"forbidden", 2}};
  const FileCommand rows[] = {
      {"gate --expect", Cli({"gate", "--data", Data(), "--expect", "@"})},
      {"evaluate --spec",
       Cli({"evaluate", "--data", Data(), "--run", "latest", "--spec", "@", "--output", "OUT/a.html"})},
      {"performance --spec", Cli({"performance", "--data", Data(), "--spec", "@"})},
      {"profile check", Cli({"profile", "check", "@"})},
      {"profile import --device-configs",
       Cli({"profile", "import", "--device-configs", "@", "--output", "OUT/p"})},
      {"profile import --convert-config",
       Cli({"profile", "import", "--convert-config", "@", "--output", "OUT/p"})},
      {"import-cases", Cli({"import-cases", "@", "--output", "OUT"})},
      {"pack show", Cli({"pack", "show", "@"}), {{"huge", 4}, {"binary", 4}}},
      {"pack verify", Cli({"pack", "verify", "@"}), {{"huge", 4}, {"binary", 4}}},
      {"pack install", Cli({"pack", "install", "@", "--data", "OUT"}), {{"huge", 4}, {"binary", 4}}},
      {"replay", Cli({"replay", "@", "--impl", Cpu()}), each_is_left_out},
      {"capture-to-cases", Cli({"capture-to-cases", "@", "--output", "OUT"}), each_is_left_out},
      {"abi-check", Cli({"abi-check", "--impl", "@"})},
      {"repro --impl", Cli({"repro", kOneCase, "--data", Data(), "--impl", "@", "--output", "OUT/a.c"})},
      {"repro --profile",
       Cli({"repro", kOneCase, "--data", Data(), "--impl", Cpu(), "--profile", "@", "--output", "OUT/a.c"})},
      {"shrink --impl", Cli({"shrink", kOneCase, "--data", Data(), "--impl", "@", "--output", "OUT"})},
      {"time --impl", Cli({"time", "--fname", "relu", "--case", kOneCase, "--impl", "@"})},
      {"call --impl", Cli({"call", "--fname", "relu", "--case", kOneCase, "--impl", "@"})},
      {"changed, old", Cli({"changed", "@", Cpu()})},
      {"changed, new", Cli({"changed", Cpu(), "@"})},
      {"list --cases", Cli({"list", "cases", "--cases", "@"}), ForFolders()},
      {"gen --library", Cli({"gen", "--data", "OUT", "--fname", "relu", "--library", "@"})},
      {"gen --device-reference", Cli({"gen", "--data", "OUT", "--fname", "relu", "--device-reference", "@"})},
      {"report --data", Cli({"report", "--data", "@"}), {{"loop", 4}, {"huge", 4}, {"binary", 4}}},
      {"merge --from",
       Cli({"merge", "--into", "OUT", "--from", "@"}),
       {{"loop", 4}, {"pipe", 4}, {"huge", 4}, {"binary", 4}}},
      {"submit --token-file", Cli({"submit", "--server", "127.0.0.1:1", "--chip", "c", "--token-file", "@"})},
      {"submit --tls-ca", Cli({"submit", "--server", "127.0.0.1:1", "--chip", "c", "--tls-ca", "@"})},
      {"agent --impl", Agent({"--data", "OUT", "--error-report", "OUT/e.csv", "--impl", "@"})},
      {"agent --profile",
       Agent({"--data", "OUT", "--error-report", "OUT/e.csv", "--impl", Cpu(), "--profile", "@"})},
      {"agent --changed-functions", Words{BinPath("diopi-agent"), "--data", "OUT", "--error-report",
                                          "OUT/e.csv", "--impl", Cpu(), "--changed-functions", "@"}},
      {"agent --changed-since", Words{BinPath("diopi-agent"), "--data", "OUT", "--error-report", "OUT/e.csv",
                                      "--impl", Cpu(), "--changed-since", "@"}},
      {"agent --cases",
       Agent({"--data", "OUT", "--error-report", "OUT/e.csv", "--impl", Cpu(), "--cases", "@"}),
       ForFolders()},
      {"server --config", Server({"--data", "OUT", "--config", "@"})},
      {"server --tls-cert",
       Server({"--data", "OUT", "--tls-cert", "@", "--tls-key", *shared_ / "errors.csv"})},
      {"server --cases", Server({"--data", "OUT", "--cases", "@"}), ForFolders()},
  };
  for (const FileCommand& row : rows) {
    for (const FileKind& kind : kReadKinds) Try(row, kind, true);
  }
}

TEST_F(FilesTest, Written) {
  WriteFile(*shared_ / "configs.py",
            "import numpy as np\ndiopi_configs = {'x': dict(name=['relu'], dtype=[np.float32], "
            "tensor_para=dict(args=[dict(ins=['input'], shape=((2,),))]))}\n");
  WriteFile(*shared_ / "device.py", "device_configs = {}\n");
  WriteFile(*shared_ / "expect.txt", "# nothing fails\n");
  const std::map<std::string, int> makes_folders = {{"no folder", 0}, {"folder", 0}};
  const FileCommand rows[] = {
      {"report", Cli({"report", "--data", Data(), "--output", "@"})},
      {"report, html", Cli({"report", "--data", Data(), "--format", "html", "--output", "@"})},
      {"diff", Cli({"diff", "latest", "latest", "--data", Data(), "--output", "@"})},
      {"gate --output",
       Cli({"gate", "--data", Data(), "--expect", *shared_ / "expect.txt", "--partial", "--output", "@"})},
      {"gate --also",
       Cli({"gate", "--data", Data(), "--expect", *shared_ / "expect.txt", "--partial", "--also", "text=@"})},
      {"evaluate",
       Cli({"evaluate", "--data", Data(), "--run", "latest", "--format", "markdown", "--output", "@"})},
      {"evaluate --spec-template", Cli({"evaluate", "--spec-template", "--output", "@"})},
      {"time --output", Cli({"time", "--fname", "relu", "--case", kOneCase, "--samples", "3", "--impl", Cpu(),
                             "--output", "@"})},
      {"repro", Cli({"repro", kOneCase, "--data", Data(), "--impl", Cpu(), "--output", "@"})},
      {"profile import",
       Cli({"profile", "import", "--device-configs", *shared_ / "device.py", "--output", "@"})},
      {"archive",
       Cli({"archive", "latest", "--data", Data(), "--to", "@"}),
       {{"full", 2}, {"folder", 2}, {"no folder", 0}}},
      {"import-cases", Cli({"import-cases", *shared_ / "configs.py", "--output", "@"}), makes_folders},
      {"new-operator", Cli({"new-operator", "mine", "--function", "diopiRelu", "--output", "@"}),
       makes_folders},
      {"gen --data", Cli({"gen", "--fname", "relu", "--case", kOneCase, "--data", "@"}), makes_folders},
      {"merge --into", Cli({"merge", "--from", Shard(), "--into", "@"}), makes_folders},
      {"agent --error-report", Agent({"--data", Data(), "--impl", Cpu(), "--error-report", "@"})},
      {"agent --report-dir", Agent({"--data", Data(), "--impl", Cpu(), "--report-dir", "@"}), makes_folders},
      {"agent --data",
       Agent({"--data", "@", "--impl", Cpu(), "--error-report", "OUT/e.csv"}),
       {{"full", 2}, {"no folder", 0}, {"folder", 0}}},
      {"agent --explore",
       Words{BinPath("diopi-agent"), "--fname", "relu", "--data", Data(), "--impl", Cpu(), "--explore", "1",
             "--report-dir", "@"},
       makes_folders},
      {"server backup", Server({"backup", "--data", Data(), "--to", "@"}), {{"full", 2}, {"folder", 2}}},
      {"server token add", Server({"token", "add", "--data", "@", "--name", "a", "--role", "read"}),
       makes_folders},
  };
  for (const FileCommand& row : rows) {
    for (const FileKind& kind : kWrittenKinds) Try(row, kind, false);
  }
}

TEST_F(FilesTest, StandardOutput) {
  const Words commands[] = {
      Cli({"list", "--fname", "relu"}),
      Cli({"show", kOneCase}),
      Cli({"runs", "--data", Data()}),
      Cli({"chips", "--data", Data()}),
      Cli({"report", "--data", Data()}),
      Cli({"diff", "latest", "latest", "--data", Data()}),
      Cli({"history", kOneCase, "--chip", "chip", "--data", Data()}),
      Cli({"coverage", "--data", Data()}),
      Cli({"abi-check", "--impl", Cpu()}),
      Cli({"--help"}),
      Server({"check", "--data", Data()}),
      Server({"token", "add", "--data", *shared_ / "tokens", "--name", "a", "--role", "read"}),
  };
  for (Words command : commands) {
    command.insert(command.begin(), {"/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"});
    const Finished finished = RunProgram(command);
    EXPECT_EQ(finished.code, 4) << command[5] << finished.err;
    EXPECT_NE(finished.err.find("standard output cannot be written"), std::string::npos)
        << command[5] << finished.err;
  }
}

TEST_F(FilesTest, AnErrorReportMakesNoFolders) {
  const TestFolder folder;
  const std::string report = folder / "a/b/errors.csv";
  const Finished finished = RunProgram(Agent({"--data", Data(), "--impl", Cpu(), "--error-report", report}));
  EXPECT_EQ(finished.code, 4) << finished.out;
  EXPECT_NE(finished.err.find(report + ": cannot be written: No such file or directory"), std::string::npos)
      << finished.err;
  EXPECT_FALSE(fs::exists(folder / "a"));
}

}  // namespace
}  // namespace diopi::testing
