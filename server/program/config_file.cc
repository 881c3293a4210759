#include "server/program/config_file.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/core/operator_file.h"

namespace diopi::server {
namespace {

// CLI11 itself ignores unknown keys, or names them without their file.
class CheckedToml final : public CLI::ConfigTOML {
 public:
  explicit CheckedToml(CLI::App* app) : app_(app) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::vector<CLI::ConfigItem> found = CLI::ConfigTOML::from_config(input);
    std::set<std::string> seen;
    for (const CLI::ConfigItem& item : found) {
      if (!item.parents.empty()) Fail(item.parents.front(), "is a section; options must not be in a section");
      const std::string& key = item.name;
      const CLI::Option* option = app_->get_option_no_throw("--" + key);
      if (option == nullptr) Fail(key, absl::StrCat("is not an option", cases::NearestText(key, Known())));
      if (!option->get_configurable()) Fail(key, "cannot be set in a file");
      if (!seen.insert(key).second) Fail(key, "is set twice");
    }
    return found;
  }

 private:
  [[noreturn]] void Fail(const std::string& key, const std::string& why) const {
    throw CLI::ConfigError(absl::StrCat(app_->get_config_ptr()->as<std::string>(), ": '", key, "' ", why));
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

}  // namespace

void AddConfigFile(CLI::App* app) {
  app->set_config("--config", "",
                  "TOML file with one option per line (lease-s = 30); the command line overrides it");
  app->config_formatter(std::make_shared<CheckedToml>(app));
}

}  // namespace diopi::server
