// Generates help, shell completion and man pages from a program's declared options. Options and subcommands
// in the empty group are hidden and appear nowhere.
#ifndef COMMAND_LINE_DOCUMENTS_H_
#define COMMAND_LINE_DOCUMENTS_H_

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

namespace diopi {

// Every long name, such as "--impl" and "--version".
std::vector<std::string> VisibleOptions(const CLI::App& app);
std::vector<std::string> VisibleSubcommands(const CLI::App& app);

// What --help prints, in lines of at most `width` columns; examples are longer where a command is. `only`:
// the options to show; empty: all of them.
std::string HelpText(const CLI::App& app, const std::set<const CLI::Option*>& only, size_t width);

// A bash script to be sourced: subcommands, options, and the values of options that take one of a few words.
// Where an option takes any other value, bash completes file names.
std::string BashCompletion(const CLI::App& app);

// A page for section 1, in roff's man macros. Paragraphs of the footer that begin with a line "Title:" become
// sections.
std::string ManPage(const CLI::App& app);

}  // namespace diopi

#endif  // COMMAND_LINE_DOCUMENTS_H_
