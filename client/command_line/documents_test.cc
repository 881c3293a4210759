// Completion and man pages, checked with the programs that read them.
#include "client/command_line/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "client/command_line/command_line.h"

namespace diopi {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A shell command's output, including standard error.
std::string Output(const std::string& command) {
  // NOLINTNEXTLINE(bugprone-command-processor): the test writes the command itself
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  for (size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    text.append(buffer.data(), got);
  pclose(pipe);
  return text;
}

class DocumentsTest : public ::testing::Test {
 protected:
  DocumentsTest() : app_("Does things, as \\n in C.", "my-program") {
    DescribeProgram("1.2", "  my-program report --run latest\n", &app_);
    app_.add_option("--data", text_, "A folder");
    app_.add_option("--secret", text_, "Hidden")->group("");
    CLI::App* report = app_.add_subcommand("report", ".Writes a report");
    report->add_option("--format", text_, "The form")->check(CLI::IsMember({"text", "html"}));
    report->add_option("--output", text_, "A file")->group("Files");
    app_.add_subcommand("pack", "Packs")->add_subcommand("verify", "Verifies");
  }

  // What bash offers for these words; the last one is being typed.
  std::string Complete(const std::string& words, int last) const {
    const std::string path = ::testing::TempDir() + "/completion.bash";
    std::ofstream(path) << BashCompletion(app_) << "COMP_WORDS=(" << words << ")\nCOMP_CWORD=" << last
                        << "\n_my_program\necho \"${COMPREPLY[*]}\"\n";
    return Output("bash -eu " + path);
  }

  std::string text_;
  CLI::App app_;
};

TEST_F(DocumentsTest, BashCompletesSubcommandsOptionsAndWords) {
  EXPECT_EQ(Complete("my-program re", 1), "report\n");
  EXPECT_EQ(Complete("my-program --d", 1), "--data\n");
  EXPECT_EQ(Complete("my-program report --", 2), "--help --help-all --format --output\n");
  EXPECT_EQ(Complete("my-program report --format h", 3), "html\n");
  EXPECT_EQ(Complete("my-program report --output re", 3), "\n") << "file names, which are bash's own";
  EXPECT_EQ(Complete("my-program --data re", 2), "\n");
  EXPECT_EQ(Complete("my-program pack v", 2), "verify\n");
  EXPECT_THAT(BashCompletion(app_), Not(HasSubstr("secret")));
}

TEST_F(DocumentsTest, HelpIsWrappedAndShowsWhatIsChosen) {
  const CLI::Option* data = app_.get_option("--data");
  CLI::Option* size =
      app_.add_option("--a-size-of-something", "Takes a number of words that are wrapped")->group("Sizes");
  size->type_name("INT:SIZE");
  const std::string report = HelpText(*app_.get_subcommand("report"), {}, 60);
  EXPECT_THAT(report, HasSubstr(".Writes a report\n\nUsage: my-program report [OPTION]...\n"));
  EXPECT_THAT(report, HasSubstr("\nFiles:\n  --output OUTPUT           A file\n"));
  EXPECT_THAT(HelpText(app_, {}, 60),
              HasSubstr("\nSizes:\n  --a-size-of-something SIZE\n"
                        "                            Takes a number of words that are\n"
                        "                            wrapped\n"));
  const std::string chosen = HelpText(app_, {data}, 60);
  EXPECT_THAT(chosen, HasSubstr("  --data DATA               A folder\n"));
  EXPECT_THAT(chosen, HasSubstr("\n--help-all also shows the other options (1).\n"));
  EXPECT_THAT(chosen, Not(HasSubstr("Sizes")));
}

TEST_F(DocumentsTest, ManPageHasEveryOptionAndNoMacroOfTheTexts) {
  const std::string page = ManPage(app_);
  for (const char* text :
       {".TH \"MY\\-PROGRAM\" 1", ".SH NAME\nmy\\-program \\- Does things, as \\en in C.",
        ".SS \"my\\-program report\"\n\\&.Writes", "\\fB\\-\\-format\\fR \\fItext|html\\fR",
        "Files:\n.TP\n\\fB\\-\\-output\\fR", ".SS \"my\\-program pack verify\"",
        ".SH EXAMPLES\n.nf\n  my\\-program report", ".SH EXIT STATUS\n.nf\n  0 "}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace diopi
