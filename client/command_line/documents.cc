// Everything is derived from the options as declared, so help, completion and man pages cannot differ from
// what a program accepts. CLI11 does not tell which words an option takes; they are read from the type's
// name, as CLI::IsMember writes it.
#include "client/command_line/documents.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace diopi {
namespace {

std::vector<const CLI::Option*> OptionsOf(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

std::vector<const CLI::App*> SubcommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::vector<std::string> NamesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool TakesValue(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// The words that an option takes, as CLI::IsMember describes them: "TEXT:{strict,default,off}".
std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{');
  const size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return absl::StrSplit(type.substr(begin + 1, end - begin - 1), ',');
}

// Calls `visit` for the program and each of its subcommands, with the path: "", " pack", " pack make".
template <typename Visit>
void ForEachApp(const CLI::App& app, const std::string& path, const Visit& visit) {
  visit(app, path);
  for (const CLI::App* sub : SubcommandsOf(app)) {
    ForEachApp(*sub, absl::StrCat(path, " ", sub->get_name()), visit);
  }
}

std::string Quoted(const std::vector<std::string>& words) {
  return absl::StrCat("\"", absl::StrJoin(words, " "), "\"");
}

// Escapes text for roff: no macros, and dashes that can be copied.
std::string Roff(const std::string& text) {
  std::string out =
      absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {"\n.", "\n\\&."}, {"\n'", "\n\\&'"}});
  return absl::StartsWith(out, ".") || absl::StartsWith(out, "'") ? "\\&" + out : out;
}

// The placeholder of the option's value: "text|csv", "N", "SIZE", "FNAME ...".
std::string ValueOf(const CLI::Option& option) {
  const std::vector<std::string> choices = ChoicesOf(option);
  if (!choices.empty()) return absl::StrJoin(choices, "|");
  if (!TakesValue(option) || option.get_positional()) return "";
  const std::string type = option.get_type_name();
  if (absl::StrContains(type, "SIZE")) return "SIZE";
  const bool number = absl::StrContains(type, "INT") || absl::StartsWith(type, "FLOAT");
  const std::string value = number ? "N" : absl::AsciiStrToUpper(option.get_lnames().front());
  return option.get_items_expected_max() > 1 ? value + " ..." : value;
}

// The names, or that of a positional argument.
std::vector<std::string> ShownNames(const CLI::Option& option) {
  const std::vector<std::string> names = NamesOf(option);
  return names.empty() ? std::vector<std::string>{absl::AsciiStrToUpper(option.get_name())} : names;
}

std::string DescriptionOf(const CLI::Option& option) {
  std::string text = option.get_description();
  const std::string value = option.get_default_str();
  if (!value.empty() && !absl::StrContains(text, "(default"))
    absl::StrAppend(&text, " (default: ", value, ")");
  if (option.get_required() && !option.get_positional()) text += " (required)";
  return text;
}

std::string OptionText(const CLI::Option& option) {
  std::vector<std::string> names = ShownNames(option);
  for (std::string& name : names) name = absl::StrCat("\\fB", Roff(name), "\\fR");
  const std::string value = ValueOf(option);
  return absl::StrCat(".TP\n", absl::StrJoin(names, ", "),
                      value.empty() ? "" : absl::StrCat(" \\fI", Roff(value), "\\fR"), "\n",
                      Roff(DescriptionOf(option)), "\n");
}

struct Group {
  std::string name;
  std::vector<const CLI::Option*> options;
};

// Groups in the order in which they first occur; arguments first, help last.
std::vector<Group> GroupsOf(const CLI::App& app) {
  std::vector<Group> groups(1, {"Arguments", {}});
  Group help{"Help", {}};
  for (const CLI::Option* option : OptionsOf(app)) {
    const std::string name = option->get_positional() ? groups.front().name : option->get_group();
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return group.name == name; });
    Group& group = name == help.name       ? help
                   : found != groups.end() ? *found
                                           : groups.emplace_back(Group{name, {}});
    group.options.push_back(option);
  }
  if (groups.front().options.empty()) groups.erase(groups.begin());
  groups.push_back(std::move(help));
  return groups;
}

std::string OptionsText(const CLI::App& app) {
  std::string out;
  for (const Group& group : GroupsOf(app)) {
    absl::StrAppend(&out, ".PP\n", Roff(group.name), ":\n");
    for (const CLI::Option* option : group.options) out += OptionText(*option);
  }
  return out;
}

constexpr size_t kTextColumn = 28;

// The text in lines that end before `width`; those after the first begin with `indent` spaces.
std::string Wrapped(const std::string& text, size_t width, size_t indent) {
  std::string out;
  size_t column = indent;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const bool first = column == indent;
    const bool fits = first || column + 1 + word.size() <= width;
    if (!fits) absl::StrAppend(&out, "\n", std::string(indent, ' '));
    if (!fits) column = indent;
    absl::StrAppend(&out, fits && !first ? " " : "", word);
    column += word.size() + (fits && !first ? 1 : 0);
  }
  return out + "\n";
}

// A name with its text, which begins at kTextColumn.
std::string Entry(const std::string& name, const std::string& text, size_t width) {
  const std::string gap = name.size() + 4 > kTextColumn ? absl::StrCat("\n", std::string(kTextColumn, ' '))
                                                        : std::string(kTextColumn - 2 - name.size(), ' ');
  return absl::StrCat("  ", name, gap, Wrapped(text, width, kTextColumn));
}

// The usage line: the program, its subcommands and its arguments.
std::string Usage(const CLI::App& app) {
  std::string usage = app.get_name();
  for (const CLI::App* at = app.get_parent(); at != nullptr; at = at->get_parent())
    usage = absl::StrCat(at->get_name(), " ", usage);
  if (!SubcommandsOf(app).empty()) usage += " [COMMAND]";
  usage += " [OPTION]...";
  for (const CLI::Option* option : OptionsOf(app)) {
    if (!option->get_positional()) continue;
    const std::string name = absl::StrCat(absl::AsciiStrToUpper(option->get_name()),
                                          option->get_items_expected_max() > 1 ? "..." : "");
    absl::StrAppend(&usage, " ", option->get_required() ? name : absl::StrCat("[", name, "]"));
  }
  return usage;
}

std::string FooterText(const std::string& footer) {
  std::string out;
  for (const absl::string_view line : absl::StrSplit(footer, '\n')) {
    if (!line.empty() && line.front() != ' ' && line.back() == ':') {
      absl::StrAppend(&out, out.empty() ? "" : ".fi\n", ".SH ",
                      absl::AsciiStrToUpper(line.substr(0, line.size() - 1)), "\n.nf\n");
    } else {
      absl::StrAppend(&out, Roff(std::string(line)), "\n");
    }
  }
  return out + (footer.empty() ? "" : ".fi\n");
}

}  // namespace

std::vector<std::string> VisibleOptions(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : OptionsOf(app)) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> VisibleSubcommands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : SubcommandsOf(app)) names.push_back(sub->get_name());
  return names;
}

std::string HelpText(const CLI::App& app, const std::set<const CLI::Option*>& only, size_t width) {
  std::string out = absl::StrCat(Wrapped(app.get_description(), width, 0), "\nUsage: ", Usage(app), "\n");
  std::vector<std::pair<std::string, std::string>> commands;
  for (const CLI::App* sub : SubcommandsOf(app)) {
    if (commands.empty() || commands.back().first != sub->get_group())
      commands.emplace_back(sub->get_group(), "");
    commands.back().second += Entry(sub->get_name(), sub->get_description(), width);
  }
  for (const auto& [name, text] : commands) absl::StrAppend(&out, "\n", name, ":\n", text);
  size_t left_out = 0;
  for (const Group& group : GroupsOf(app)) {
    std::string text;
    for (const CLI::Option* option : group.options) {
      const bool shown =
          only.empty() || only.contains(option) || option->get_positional() || group.name == "Help";
      if (!shown) ++left_out;
      if (!shown) continue;
      const std::string value = ValueOf(*option);
      const std::string left =
          absl::StrCat(absl::StrJoin(ShownNames(*option), ", "), value.empty() ? "" : " ", value);
      text += Entry(left, DescriptionOf(*option), width);
    }
    if (!text.empty()) absl::StrAppend(&out, "\n", group.name, ":\n", text);
  }
  if (left_out > 0) absl::StrAppend(&out, "\n--help-all also shows the other options (", left_out, ").\n");
  return absl::StrCat(out, app.get_footer().empty() ? "" : "\n", app.get_footer(), "\n");
}

std::string BashCompletion(const CLI::App& app) {
  const std::string function = "_" + absl::StrReplaceAll(app.get_name(), {{"-", "_"}});
  std::vector<std::string> paths;
  std::string values, words;
  ForEachApp(app, "", [&](const CLI::App& sub, const std::string& path) {
    if (!path.empty()) paths.push_back(absl::StrCat("\"", path, "\""));
    std::vector<std::string> known = VisibleSubcommands(sub);
    for (const std::string& name : VisibleOptions(sub)) known.push_back(name);
    absl::StrAppend(&words, "    \"", path, "\") words=", Quoted(known), " ;;\n");
    for (const CLI::Option* option : OptionsOf(sub)) {
      const std::vector<std::string> choices = ChoicesOf(*option);
      for (const std::string& name : TakesValue(*option) ? NamesOf(*option) : std::vector<std::string>()) {
        absl::StrAppend(&values, "    \"", path, " ", name, "\") words=", Quoted(choices), "; value=1 ;;\n");
      }
    }
  });
  if (paths.empty()) paths.emplace_back("\" \"");  // no subcommands
  return absl::StrCat(
      "# bash completion for ", app.get_name(), "; generated by ", app.get_name(), " --completion bash\n",
      function, "() {\n",
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local path='' words='' value='' word\n"
      "  COMPREPLY=()\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \"$path $word\" in\n      ",
      absl::StrJoin(paths, "|"), ") path+=\" $word\" ;;\n    esac\n  done\n", "  case \"$path $prev\" in\n",
      values, "    *) ;;\n  esac\n", "  if [ -z \"$value\" ]; then\n  case \"$path\" in\n", words,
      "  esac\n  fi\n",
      "  [ -z \"$words\" ] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n",
      "complete -o default -F ", function, " ", app.get_name(), "\n");
}

std::string ManPage(const CLI::App& app) {
  const std::string name = Roff(app.get_name());
  const bool subcommands = !SubcommandsOf(app).empty();
  std::string out = absl::StrCat(".TH \"", absl::AsciiStrToUpper(name), "\" 1 \"\" \"diopi\\-conformance ",
                                 app.version(), "\"\n.SH NAME\n", name, " \\- ", Roff(app.get_description()),
                                 "\n.SH SYNOPSIS\n.B ", name, "\n", subcommands ? "[\\fICOMMAND\\fR] " : "",
                                 "[\\fIOPTION\\fR]...\n", ".SH OPTIONS\n", OptionsText(app));
  if (subcommands) out += ".SH COMMANDS\n";
  ForEachApp(app, "", [&](const CLI::App& sub, const std::string& path) {
    if (path.empty()) return;
    absl::StrAppend(&out, ".SS \"", name, Roff(path), "\"\n", Roff(sub.get_description()), "\n",
                    OptionsText(sub));
  });
  return out + FooterText(app.get_footer());
}

}  // namespace diopi
