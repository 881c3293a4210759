// Every example in a subcommand's --help is accepted by its options.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/cli/command.h"

namespace diopi::cli {
namespace {

constexpr absl::string_view kProgram = "  diopi-cli ";

// The words of the example's command; four or more spaces separate it from its description.
std::vector<std::string> ArgumentsOf(absl::string_view line) {
  const absl::string_view command = absl::StripPrefix(line, kProgram);
  std::vector<std::string> words =
      absl::StrSplit(command.substr(0, command.find("    ")), ' ', absl::SkipEmpty());
  if (std::find(words.begin(), words.end(), ">") != words.end()) words.resize(words.size() - 2);
  for (std::string& word : words) word = std::string(absl::StripSuffix(absl::StripPrefix(word, "'"), "'"));
  std::reverse(words.begin(), words.end());  // the order that CLI11 expects
  return words;
}

TEST(ExamplesTest, AreAccepted) {
  for (const CommandGroup& group : AllCommands()) {
    for (const std::unique_ptr<Command>& command : group.commands) {
      SCOPED_TRACE(command->name());
      const std::string examples = command->examples();
      ASSERT_TRUE(absl::EndsWith(examples, "\n")) << examples;
      for (const absl::string_view line : absl::StrSplit(examples, '\n', absl::SkipEmpty())) {
        ASSERT_TRUE(absl::StartsWith(line, kProgram)) << line;
        CLI::App app;
        command->AddOptions(app.add_subcommand(command->name()));
        try {
          app.parse(ArgumentsOf(line));
        } catch (const CLI::ParseError& error) {
          ADD_FAILURE() << line << ": " << error.what();
        }
        EXPECT_TRUE(app.got_subcommand(command->name())) << line;
      }
    }
  }
}

}  // namespace
}  // namespace diopi::cli
