#include "server/program/config_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <istream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/excerpt.h"
#include "cases/base/exit_code.h"
#include "cases/base/file_error.h"
#include "cases/base/match.h"
#include "server/program/config_text.h"

namespace diopi::server {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;

// Sets the options itself: CLI11's own reader ignores unknown keys, cuts strings at '#', and reports a wrong
// value with all of its text and neither file nor line.
class CheckedToml final : public CLI::ConfigTOML {
 public:
  explicit CheckedToml(CLI::App* app) : app_(app) {}

  // Returns nothing that is left to be set.
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    const std::string path = app_->get_config_ptr()->as<std::string>();
    const absl::StatusOr<std::vector<Setting>> settings = ParseSettings(ReadText(path, input));
    if (!settings.ok()) throw CLI::ConfigError(absl::StrCat(path, ":", settings.status().message()));
    std::set<std::string> seen;
    for (const Setting& setting : *settings) {
      const auto fail = [&](absl::string_view why) {
        throw CLI::ConfigError(absl::StrCat(path, ":", setting.line, ": '", Excerpt(setting.key), "' ", why));
      };
      CLI::Option* option = app_->get_option_no_throw("--" + setting.key);
      if (option == nullptr)
        fail(absl::StrCat("is not an option", NearestText(Excerpt(setting.key), Known())));
      if (!option->get_configurable()) fail("cannot be set in a file");
      if (!seen.insert(setting.key).second) fail("is set twice");
      if (!option->empty()) continue;  // by the command line
      const std::string wrong = Set(setting, option);
      if (!wrong.empty()) fail(wrong);
    }
    return {};
  }

 private:
  static std::string ReadText(const std::string& path, std::istream& input) {
    std::string text(kMostBytes + 1, '\0');
    input.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (input.bad())
      throw CLI::ConfigError(path + ": cannot be read", static_cast<int>(ExitCode::kEnvironment));
    text.resize(static_cast<size_t>(input.gcount()));
    if (text.size() > kMostBytes)
      throw CLI::ConfigError(absl::StrCat(path, ": has more than ", kMostBytes, " bytes"));
    return text;
  }

  // Why the option does not take the values; empty: it does.
  static std::string Set(const Setting& setting, CLI::Option* option) {
    const std::string shown = setting.values.size() == 1 ? absl::StrCat("'", Excerpt(setting.values[0]), "'")
                                                         : absl::StrCat(setting.values.size(), " values");
    if (option->get_expected_min() == 0) {  // a flag
      const bool is_bool =
          setting.values.size() == 1 && (setting.values[0] == "true" || setting.values[0] == "false");
      if (!is_bool) return absl::StrCat("is ", shown, "; expected true or false");
      option->add_result(setting.values[0]);
      return "";
    }
    try {
      option->add_result(setting.values);
      option->run_callback();
      return "";
    } catch (const CLI::ParseError& error) {
      const std::string why = error.what();
      // CLI11 repeats the value, and the option's name, in front of what it has to say.
      const bool range = absl::StrContains(why, "not in range") || absl::StrContains(why, "not in {");
      return absl::StrCat("cannot be ", shown, range ? ": " + Excerpt(why.substr(why.rfind("not in "))) : "");
    }
  }

  std::vector<std::string> Known() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : static_cast<const CLI::App*>(app_)->get_options()) {
      if (option->get_configurable()) names.push_back(option->get_single_name());
    }
    return names;
  }

  CLI::App* const app_;
};

// CLI11 says of any file that it cannot open that it is perhaps missing, and reads a folder as an empty file.
std::string CheckPath(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) == 0) {
    if (S_ISDIR(facts.st_mode)) return std::string(ReadError(path, EISDIR).message());
    if (access(path.c_str(), R_OK) == 0) return "";
  }
  const absl::Status status = ReadError(path, errno);
  const std::string text(status.message());
  if (ExitCodeFor(status) == ExitCode::kUsage) return text;
  throw CLI::ConfigError(text, static_cast<int>(ExitCode::kEnvironment));
}

}  // namespace

void AddConfigFile(CLI::App* app) {
  app->set_config("--config", "",
                  "TOML file with one option per line (lease-s = 30); the command line overrides it")
      ->check(CheckPath);
  app->config_formatter(std::make_shared<CheckedToml>(app));
}

}  // namespace diopi::server
