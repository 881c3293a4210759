// Files that `diopi-cli new-operator` and `import-cases` write, and what the other commands make of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

namespace fs = std::filesystem;

class NewCasesTest : public ::testing::Test {
 protected:
  static Finished Cli(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), BinPath("diopi-cli"));
    return RunProgram(arguments);
  }
  Finished Agent(const std::string& cases, const std::string& pattern) {
    return RunProgram({BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--data",
                       folder_ / "data", "--cases", cases, "--case", pattern, "--error-report",
                       folder_ / "errors.csv", "--quiet"});
  }

  TempFolder folder_;
};

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(NewCasesTest, NewOperatorIsTakenAsItIsAndNeverOverwritten) {
  const std::vector<std::string> command = {"new-operator",    "my_not",   "--function",
                                            "diopiBitwiseNot", "--output", folder_ / "my_not"};
  const Finished made = Cli(command);
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_TRUE(Has(made.out, "my_not/my_not.textproto\n")) << made.out;
  EXPECT_TRUE(Has(made.out, "my_not/my_not_cpu.cc\n")) << made.out;
  EXPECT_TRUE(Has(ReadFile(folder_ / "my_not/README.md"), "cases/ops/GUIDE.md"));
  const Finished list = Cli({"list", "cases", "--cases", folder_ / "my_not", "--fname", "my_not"});
  EXPECT_EQ(list.out, "my_not.float32.first\n") << list.err;
  const Finished gen =
      Cli({"gen", "--cases", folder_ / "my_not", "--fname", "my_not", "--data", folder_ / "data"});
  EXPECT_EQ(gen.code, 1);
  EXPECT_TRUE(Has(gen.err, "diopiBitwiseNot has no reference")) << gen.err;

  const std::string before = ReadFile(folder_ / "my_not/my_not.textproto");
  fs::remove(folder_ / "my_not/README.md");
  const Finished again = Cli(command);
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(Has(again.err, "is there already")) << again.err;
  EXPECT_FALSE(fs::exists(folder_ / "my_not/README.md")) << "all or nothing";
  EXPECT_EQ(ReadFile(folder_ / "my_not/my_not.textproto"), before);
  if (access("/usr/bin/c++", X_OK) == 0) {
    const Finished compiled =
        RunProgram({"/usr/bin/c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I",
                    DIOPI_BINARY_DIR "/include", folder_ / "my_not/my_not_cpu.cc"});
    EXPECT_EQ(compiled.code, 0) << compiled.err;
  }
}

TEST_F(NewCasesTest, NewOperatorRefusesWhatIsNoName) {
  const Finished function = Cli({"new-operator", "x", "--function", "diopiAdds", "--output", folder_ / "x"});
  EXPECT_EQ(function.code, 2);
  EXPECT_TRUE(Has(function.err, "the ABI has no function 'diopiAdds'; nearest: diopiAdd")) << function.err;
  const Finished name = Cli({"new-operator", "../x", "--function", "diopiAdd"});
  EXPECT_EQ(name.code, 2);
  EXPECT_TRUE(Has(name.err, "'../x' is no name")) << name.err;
}

constexpr char kConfigs[] = R"(import numpy as np
from nowhere import run_me
run_me.now()

diopi_configs = {
    'relu': dict(
        name=["relu"],
        dtype=[np.float32, np.float16],
        tensor_para=dict(
            gen_fn='Genfunc.randn',
            args=[{"ins": ["input"], "shape": ((2, 3), (), (5,))}]),
    ),
    'add_case': dict(
        name=['add'], interface=['torch'], dtype=[np.float32], atol=1e-4,
        para=dict(alpha=[2, 0.5]),
        tensor_para=dict(args=[
            {"ins": ['input'], "shape": ((4, 7),
                                         (4, 6)), "gen_fn": dict(fn='Genfunc.randint', low=-3, high=4)},
            {"ins": ['other'], "shape": ((4, 7), (4, 5)), "gen_fn": 'Genfunc.randn'}]),
    ),
    'computed': dict(name=['add'], dtype=[np.float32],
        para=dict(alpha=[n for n in (1, 2)]), tensor_para=dict(args=[])),
    'stranger': dict(name=['no_such_operator'], dtype=[np.float32],
        tensor_para=dict(args=[{"ins": ["input"], "shape": ((2,),)}])),
}
)";

TEST_F(NewCasesTest, ThePublicConfigurationIsCarriedOverAndTheRestIsTold) {
  const std::string file = folder_ / "diopi_configs.py";
  WriteFile(file, kConfigs);
  const Finished run = Cli({"import-cases", file, "--output", folder_ / "mine"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_TRUE(Has(run.out, "4 cases carried over into 2 files")) << run.out;
  EXPECT_TRUE(Has(run.out, "3 left out")) << run.out;
  EXPECT_TRUE(Has(run.out, "left out: " + file + ":18: add_case: case 1: ")) << run.out;
  EXPECT_TRUE(Has(run.out, ":22: computed: alpha is not a list of literals")) << run.out;
  EXPECT_TRUE(Has(run.out, "the suite has no operator 'no_such_operator'")) << run.out;

  const Finished list = Cli({"list", "cases", "--cases", folder_ / "mine", "--case", "*.public_*"});
  EXPECT_TRUE(Has(list.out, "add.float32.public_add_case_0\n")) << list.out << list.err;
  EXPECT_TRUE(Has(list.out, "relu.float16.public_relu_2\n")) << list.out;
  const Finished tested = Agent(folder_ / "mine", "*.public_*");
  EXPECT_EQ(tested.code, 0) << tested.out << tested.err;
  for (const auto& row : ReportRows(folder_ / "data", "latest")) {
    EXPECT_EQ(row.at("outcome"), "pass") << row.at("case") << row.at("reason");
  }
  EXPECT_EQ(Cli({"import-cases", file, "--output", folder_ / "mine"}).code, 2) << "nothing is overwritten";
}

TEST_F(NewCasesTest, WhatIsNoConfiguration) {
  WriteFile(folder_ / "a.py", "x = 1\n");
  WriteFile(folder_ / "b.py", "x = 1\ny = (\n");
  const Finished none = Cli({"import-cases", folder_ / "a.py", "--output", folder_ / "mine"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(Has(none.err, "no `diopi_configs = {...}` in it")) << none.err;
  const Finished broken = Cli({"import-cases", folder_ / "b.py", "--output", folder_ / "mine"});
  EXPECT_EQ(broken.code, 2);
  EXPECT_TRUE(Has(broken.err, "b.py:2: no Python")) << broken.err;
  EXPECT_EQ(Cli({"import-cases", folder_ / "none.py", "--output", folder_ / "mine"}).code, 2);
}

}  // namespace
}  // namespace diopi::testing
