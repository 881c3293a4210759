// Bad files on a user's machine or from a contributor, tested with the programs: a full disk, an operator
// file with an error, a library that does not start. bad_input_test has the other bad input.
#include <gtest/gtest.h>

#include <filesystem>

#include "build_paths.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

class BadFilesTest : public ::testing::Test {
 protected:
  std::string data() const { return folder_ / "data"; }

  // The files under the data folder that are not empty.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data())) {
      if (entry.is_regular_file() && entry.file_size() > 0) files.push_back(entry.path().filename());
    }
    return files;
  }

  TestFolder folder_;
};

// A full disk: no file may grow beyond 32 KiB, and writing more is an error.
TEST_F(BadFilesTest, GenOnAFullDisk) {
  const std::vector<std::string> gen = {BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "relu"};
  std::vector<std::string> limited = {"/bin/bash", "-c", "trap '' XFSZ; ulimit -f 32; exec \"$@\"", "bash"};
  limited.insert(limited.end(), gen.begin(), gen.end());
  const Finished full = RunProgram(limited);
  EXPECT_EQ(full.code, 4) << full.out << full.err;
  EXPECT_NE(full.err.find("relu.h5: File too large"), std::string::npos) << full.err;
  EXPECT_EQ(Files(), std::vector<std::string>{}) << "something half-written stayed";
  // With room again, the same command succeeds.
  const Finished again = RunProgram(gen);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Files(), std::vector<std::string>{"relu.h5"});
}

// Killed while writing by the limit's own signal, always at the same place.
TEST_F(BadFilesTest, AKilledGenLeavesNoBaselineAndIsTakenUp) {
  std::vector<std::string> gen = {
      BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "relu", "sqrt", "--jobs", "1"};
  ASSERT_EQ(RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "relu"}).code, 0);
  std::vector<std::string> limited = {"/bin/bash", "-c", "ulimit -f 32; exec \"$@\"", "bash"};
  limited.insert(limited.end(), gen.begin(), gen.end());
  const Finished killed = RunProgram(limited);
  EXPECT_EQ(killed.code, 128 + SIGXFSZ) << killed.out << killed.err;
  EXPECT_FALSE(std::filesystem::exists(data() + "/baselines/cpu/sqrt.h5"));
  // With several processes, the one that died is named.
  gen.back() = limited.back() = "2";
  const Finished one_killed = RunProgram(limited);
  EXPECT_EQ(one_killed.code, 3) << one_killed.out << one_killed.err;
  EXPECT_NE(one_killed.err.find("sqrt: its process ended with signal 25"), std::string::npos)
      << one_killed.err;
  EXPECT_FALSE(std::filesystem::exists(data() + "/baselines/cpu/sqrt.h5"));
  const Finished again = RunProgram(gen);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("relu: up to date"), std::string::npos) << again.out;
  EXPECT_EQ(again.out.find("sqrt: up to date"), std::string::npos) << again.out;
  const Finished run =
      RunProgram({BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--data", data(), "--fname",
                  "relu", "sqrt", "--quiet", "--error-report", folder_ / "errors.csv"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  // The killed write leaves no file.
  for (const std::string& file : Files()) EXPECT_EQ(file.find(".tmp"), std::string::npos) << file;
}

TEST_F(BadFilesTest, OperatorFiles) {
  struct Row {
    const char* name;
    const char* text;
    const char* finding;  // after the file's name
  };
  const Row rows[] = {
      {"unknown field", "operator: \"x\"\nfamily: \"y\"\nbogus: 3\n", ":3:"},
      {"unclosed", "operator: \"x\"\nfunction {\n  name: \"diopiRelu\"\n", ":4:"},
      {"unknown function", "operator: \"x\"\nfamily: \"y\"\nfunction {\n  name: \"diopiReluu\"\n}\n",
       ":3: the ABI has no function 'diopiReluu'; nearest: diopiRelu"},
      {"no grid", "operator: \"x\"\nfamily: \"y\"\n", ": no grid"},
  };
  const std::string path = folder_ / "x.textproto";
  for (const Row& row : rows) {
    WriteFile(path, row.text);
    const Finished finished = RunProgram({DIOPI_BINARY_DIR "/tools/case_compiler", path});
    EXPECT_EQ(finished.code, 1) << row.name;
    EXPECT_NE((finished.out + finished.err).find(path + row.finding), std::string::npos)
        << row.name << ": " << finished.out << finished.err;
  }
  const Finished missing = RunProgram({DIOPI_BINARY_DIR "/tools/case_compiler", folder_ / "none.textproto"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("none.textproto: cannot be read"), std::string::npos) << missing.err;
}

TEST_F(BadFilesTest, LibrariesThatDoNotStart) {
  struct Row {
    const char* environment;
    const char* text;
  };
  const Row rows[] = {
      {"DIOPI_TEST_INIT=fail", "initLibrary returned 7: no device"},
      {"DIOPI_TEST_INIT=crash", "SIGABRT"},
  };
  for (const Row& row : rows) {
    const Finished finished =
        RunProgram({BinPath("diopi-agent"), "--impl", VendorPath("vendor_init_fails"), "--data", data(),
                    "--fname", "relu", "--error-report", folder_ / "errors.csv"},
                   {row.environment});
    EXPECT_EQ(finished.code, 2) << row.environment << ": " << finished.err;
    EXPECT_NE(finished.err.find("cannot be loaded"), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find(row.text), std::string::npos) << finished.err;
  }
}

}  // namespace
}  // namespace diopi::testing
