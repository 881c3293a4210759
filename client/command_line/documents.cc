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

std::string OptionText(const CLI::Option& option) {
  std::vector<std::string> names = NamesOf(option);
  if (names.empty()) names.push_back(absl::AsciiStrToUpper(option.get_name()));
  for (std::string& name : names) name = absl::StrCat("\\fB", Roff(name), "\\fR");
  const std::vector<std::string> choices = ChoicesOf(option);
  std::string value;
  if (!choices.empty()) {
    value = " " + Roff(absl::StrJoin(choices, "|"));
  } else if (TakesValue(option) && !option.get_positional()) {
    value = absl::StrCat(" \\fI", Roff(absl::AsciiStrToUpper(option.get_lnames().front())), "\\fR");
  }
  return absl::StrCat(".TP\n", absl::StrJoin(names, ", "), value, "\n", Roff(option.get_description()), "\n");
}

// Groups in the order in which they first occur.
std::string OptionsText(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const CLI::Option* option : OptionsOf(app)) {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == option->get_group(); });
    auto& group = found != groups.end() ? *found : groups.emplace_back(option->get_group(), "");
    group.second += OptionText(*option);
  }
  std::string out;
  for (const auto& [name, text] : groups) {
    absl::StrAppend(&out, groups.size() > 1 ? absl::StrCat(".PP\n", Roff(name), ":\n") : "", text);
  }
  return out;
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
