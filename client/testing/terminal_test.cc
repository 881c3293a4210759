// What people see of the programs: help with every option under a heading, and a run on a terminal.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

constexpr size_t kMostShown = 18;  // options that --help shows
constexpr int kColumns = 72;

// Runs a program on a terminal of this many columns, which gets both outputs (`out`) with the control
// sequences.
Finished RunOnTerminal(std::vector<std::string> command, std::vector<std::string> environment, int columns) {
  const Descriptor terminal(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  EXPECT_EQ(grantpt(terminal.get()) | unlockpt(terminal.get()), 0);
  Descriptor program(open(ptsname(terminal.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<uint16_t>(columns);
  EXPECT_EQ(ioctl(program.get(), TIOCSWINSZ, &size), 0);
  ProcessOptions options;
  options.command = std::move(command);
  options.environment = std::move(environment);
  options.descriptors = {{program.get(), STDOUT_FILENO}, {program.get(), STDERR_FILENO}};
  Process process = Process::Start(options).value();
  program.Close();
  Finished finished;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(terminal.get(), buffer.data(), buffer.size())) > 0;)
    finished.out.append(buffer.data(), static_cast<size_t>(got));
  const ExitStatus status = process.Wait();
  finished.code = status.signal != 0 ? 128 + status.signal : status.code;
  return finished;
}

// One entry of a help text: a command or an option, with the words beside it.
struct Entry {
  std::string heading;
  std::string name;
  std::string text;
};

std::vector<Entry> EntriesOf(const std::string& help) {
  std::vector<Entry> entries;
  std::string heading;
  for (const absl::string_view line : absl::StrSplit(help.substr(0, help.find("\nExamples:\n")), '\n')) {
    if (!line.empty() && line.front() != ' ' && line.back() == ':')
      heading = std::string(line.substr(0, line.size() - 1));
    if (heading.empty() || !absl::StartsWith(line, "  ")) continue;
    if (line[2] == ' ') {
      entries.back().text += std::string(absl::StripLeadingAsciiWhitespace(line)) + " ";
      continue;
    }
    const size_t gap = std::min(line.find("  ", 2), line.size());
    entries.push_back({heading, std::string(line.substr(2, gap - 2)),
                       std::string(absl::StripLeadingAsciiWhitespace(line.substr(gap)))});
  }
  return entries;
}

Words With(Words command, const std::string& word) {
  command.push_back(word);
  return command;
}

// Calls `visit` for the program and all its subcommands.
void Walk(const Words& command, const std::function<void(const Words&, const std::vector<Entry>&)>& visit) {
  const Finished help = RunProgram(With(command, "--help-all"));
  ASSERT_EQ(help.code, 0) << absl::StrJoin(command, " ") << help.err;
  const std::vector<Entry> entries = EntriesOf(help.out);
  visit(command, entries);
  for (const Entry& entry : entries) {
    const bool is_command = entry.heading != "Arguments" && entry.name.front() != '-';
    if (is_command) Walk(With(command, entry.name), visit);
  }
}

TEST(HelpTest, EveryOptionHasAHeadingAndHelp) {
  const std::set<std::string> general = {"-h, --help", "--help-all", "--version"};
  size_t options = 0;
  for (const char* program : {"diopi-agent", "diopi-cli", "diopi-server", "diopi-proof"}) {
    const std::string page = RunProgram({BinPath(program), "--man-page"}).out;
    Walk({BinPath(program)}, [&](const Words& command, const std::vector<Entry>& entries) {
      SCOPED_TRACE(absl::StrJoin(command, " "));
      for (const Entry& entry : entries) {
        EXPECT_NE(entry.text, "") << entry.name;
        if (entry.name.front() != '-') continue;
        ++options;
        EXPECT_NE(entry.heading, "OPTIONS") << entry.name;
        EXPECT_EQ(entry.heading == "Help", general.contains(entry.name)) << entry.name;
        const std::string name = entry.name.substr(0, entry.name.find_first_of(" ,"));
        EXPECT_THAT(page, HasSubstr(absl::StrReplaceAll(name, {{"-", "\\-"}})));
      }
      const std::vector<Entry> shown = EntriesOf(RunProgram(With(command, "--help")).out);
      EXPECT_LE(std::count_if(shown.begin(), shown.end(),
                              [](const Entry& e) { return e.name.front() == '-' && e.heading != "Help"; }),
                kMostShown);
    });
  }
  EXPECT_GT(options, 300U);
}

TEST(HelpTest, IsAsWideAsTheTerminal) {
  for (const char* option : {"--help", "--help-all"}) {
    const std::string help = RunOnTerminal({BinPath("diopi-agent"), option}, {}, kColumns).out;
    for (const absl::string_view line : absl::StrSplit(help.substr(0, help.find("Examples:")), '\n'))
      EXPECT_LE(line.size(), kColumns + 1U) << line;  // with the terminal's \r
  }
}

class TerminalTest : public ::testing::Test {
 protected:
  Words Agent(const Words& more) const {
    Words command = {BinPath("diopi-agent"),
                     "--impl",
                     VendorPath("libdiopi_faulty"),
                     "--data",
                     folder_ / "data",
                     "--error-report",
                     folder_ / "errors.csv",
                     "--fname",
                     "exp",
                     "neg",
                     "--dtype",
                     "float32"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  TestFolder folder_;
};

TEST_F(TerminalTest, ShowsOneLineThatChangesAndWhatFailed) {
  const Finished run = RunOnTerminal(Agent({}), {"TERM=xterm"}, kColumns);
  EXPECT_EQ(run.code, 1) << run.out;
  EXPECT_THAT(run.out, HasSubstr("] 100 %  "));
  EXPECT_THAT(run.out, HasSubstr("\033[31mERROR \033[0m"));
  EXPECT_THAT(run.out, HasSubstr("Run diopi_functions.exp failed: "));
  EXPECT_THAT(run.out, Not(HasSubstr("diopi_functions.neg"))) << "it passes";
  EXPECT_THAT(run.out, Not(HasSubstr("DIOPI-Test")));
  EXPECT_EQ(absl::StrContains(run.out, "Sandbox"), absl::StrContains(run.out, "could not drop")) << run.out;
  EXPECT_THAT(RunOnTerminal(Agent({}), {"TERM=xterm", "NO_COLOR=1"}, kColumns).out, Not(HasSubstr("\033[3")));
}

TEST_F(TerminalTest, TheHarnessLinesStandInFilesAndWhereTheyAreAskedFor) {
  for (const Finished& run :
       {RunProgram(Agent({})), RunOnTerminal(Agent({"--harness-lines"}), {}, kColumns)}) {
    EXPECT_THAT(run.out, HasSubstr(" - DIOPI-Test - INFO - Run diopi_functions.neg succeed"));
    EXPECT_THAT(run.out, HasSubstr(" - DIOPI-Test - ERROR - Run diopi_functions.exp failed: "));
  }
  EXPECT_THAT(RunProgram(Agent({})).out, Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace diopi::testing
