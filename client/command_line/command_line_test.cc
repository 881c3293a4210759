#include "client/command_line/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace diopi {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Said {
  std::optional<ExitCode> code;
  std::string out;
  std::string err;
};

// A program with an option, a flag, and two subcommands, one of which has its own.
Said Parse(std::vector<std::string> arguments) {
  CLI::App app("Does things.", "program");
  DescribeProgram("1.2", "  program repro CASE\n", &app);
  std::string text;
  bool flag = false;
  app.add_option("--data", text, "A folder");
  CLI::App* repro = app.add_subcommand("repro", "Repeats");
  repro->add_flag("--four-bytes", flag, "Narrow");
  app.add_subcommand("pack", "Packs")->add_subcommand("verify", "Verifies");
  app.require_subcommand(1);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Said said;
  said.code = ParseCommandLine(std::move(arguments), &app);
  said.out = ::testing::internal::GetCapturedStdout();
  said.err = ::testing::internal::GetCapturedStderr();
  return said;
}

TEST(CommandLine, UnderscoresInNamesOnly) {
  const char* argv[] = {"agent", "--filter_dtype", "int_8", "--timeout_s=1_0", "-x_y", "--", "--a_b"};
  EXPECT_EQ(NormalizeArguments(7, argv),
            (std::vector<std::string>{"--filter-dtype", "int_8", "--timeout-s=1_0", "-x_y", "--", "--a_b"}));
}

TEST(CommandLine, SuggestsTheNearestName) {
  struct Row {
    std::vector<std::string> arguments;
    const char* text;
  };
  const Row rows[] = {
      {{"repo"}, "There is no subcommand 'repo'; did you mean repro?"},
      {{"repro", "--fuor-bytes"}, "There is no option '--fuor-bytes'; did you mean --four-bytes?"},
      {{"--dta=x", "repro"}, "There is no option '--dta'; did you mean --data?"},
      {{"pack", "verfy"}, "There is no subcommand 'verfy'; did you mean verify?"},
  };
  for (const Row& row : rows) {
    const Said said = Parse(row.arguments);
    EXPECT_EQ(said.code, ExitCode::kUsage);
    EXPECT_THAT(said.err, HasSubstr(row.text));
    EXPECT_THAT(said.err, HasSubstr("--help"));
  }
  EXPECT_THAT(Parse({"pak", "--dat"}).err, Not(HasSubstr("--data")))
      << "it may be an option of the subcommand";
  EXPECT_THAT(Parse({"--entirely-different", "repro"}).err, Not(HasSubstr("did you mean")));
}

TEST(CommandLine, HelpHasExamplesAndExitStatuses) {
  const Said help = Parse({"--help"});
  EXPECT_EQ(help.code, ExitCode::kOk);
  EXPECT_THAT(help.out, HasSubstr("Examples:\n  program repro CASE\n"));
  EXPECT_THAT(help.out, HasSubstr("  4    the environment"));
  const Said version = Parse({"--version"});
  EXPECT_EQ(version.code, ExitCode::kOk);
  EXPECT_EQ(version.out, "1.2\n");
  EXPECT_EQ(Parse({"repro"}).code, std::nullopt);
}

}  // namespace
}  // namespace diopi
