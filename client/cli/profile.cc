// diopi-cli profile check FILE: lists what each rule of a profile matches, and rules that match no case.
// diopi-cli profile import: makes a profile from the public harness's files for a device.
#include "client/profile/profile.h"

#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/text.h"
#include "cases/findings/finding_text.h"
#include "client/cli/command.h"
#include "client/cli/selection.h"
#include "client/profile/adaptor_rules.h"
#include "client/profile/applied.h"
#include "client/profile/import/import.h"
#include "client/profile/match.h"
#include "client/profile/waivers.h"

namespace diopi::cli {
namespace {

bool LooksSecret(const std::string& variable) {
  const std::string name = absl::AsciiStrToUpper(variable);
  for (const char* part :
       {"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "PRIVATE", "API_KEY", "APIKEY"}) {
    if (absl::StrContains(name, part)) return true;
  }
  return false;
}

class ProfileCommand final : public Command {
 public:
  std::string name() const override { return "profile"; }
  std::string description() const override {
    return "Checks a device profile, or makes one from the public harness's files";
  }
  std::string examples() const override {
    return "  diopi-cli profile check chip.textproto                                     what each rule "
           "matches\n"
           "  diopi-cli profile import --device-configs configs.py --output chip.textproto\n";
  }
  void AddOptions(CLI::App* app) override {
    CLI::App* check = app->add_subcommand("check", "Parses a profile and lists what each rule matches");
    check->add_option("file", file_, "The profile")->required();
    import_ = app->add_subcommand("import", "Makes a profile from the public harness's device files");
    import_->add_option("--device-configs", importing_.device_configs,
                        "The public harness's device_configs.py");
    import_->add_option("--convert-config", importing_.convert_config,
                        "The public harness's convert_config.yaml, which configures its adaptor");
    import_->add_option("--output", importing_.output, "The profile to write")->required();
    import_->add_option("--issue", importing_.issue,
                        "Issue link for the waivers that overridden tolerances become");
    import_->add_option("--expires", importing_.expires, "Last day of these waivers, such as 2026-12-31");
    import_->add_option("--chip", importing_.chip, "Name of the chip");
    import_->add_flag("--verbose", importing_.verbose, "Print a line for everything that was left out");
    app->require_subcommand(1);
  }

  ExitCode Run() override { return import_->parsed() ? Import() : Check(); }

 private:
  ExitCode Import() {
    if (importing_.device_configs.empty() && importing_.convert_config.empty()) {
      return PrintError(
          absl::InvalidArgumentError("name what to import with --device-configs, --convert-config or both"));
    }
    const absl::StatusOr<std::string> report = profile::ImportProfile(importing_);
    if (!report.ok()) return PrintError(report.status());
    std::cout << *report << "Profile    " << importing_.output << "\n";
    return ExitCode::kOk;
  }

  ExitCode Check() {
    const absl::StatusOr<profile::Profile> read = profile::ReadProfile(file_);
    if (!read.ok()) return PrintError(read.status());
    const absl::StatusOr<std::vector<v1::Case>> cases = SelectRunCases({});
    if (!cases.ok()) return PrintError(cases.status());
    cases_ = &*cases;
    const v1::DeviceProfile& rules = read->rules;
    std::cout << "Profile    " << read->file << ", " << read->hash << "\n";
    if (!rules.chip().empty()) std::cout << "Chip       " << PrintableLine(rules.chip()) << "\n";
    if (!rules.contract().empty())
      std::cout << "Contracts  " << PrintableLine(absl::StrJoin(rules.contract(), ", ")) << "\n";
    for (int i = 0; i < rules.skip_size(); ++i) {
      const std::string& at = read->skip_at[static_cast<size_t>(i)];
      Line("Skip", at, rules.skip(i).match(), rules.skip(i).reason());
    }
    const v1::RunProfile run = profile::AppliedProfile(*read, profile::Today()).ForRun();
    for (int i = 0; i < run.waiver_size(); ++i) {
      const v1::RunProfile::Waiver& waiver = run.waiver(i);
      const std::string state = absl::StrCat(waiver.expired() ? "EXPIRED on " : "until ", waiver.expires(),
                                             ", ", profile::ToleranceText(waiver.tolerance()), ": ",
                                             waiver.reason(), " (", waiver.issue(), ")");
      Line("Waiver", waiver.id(), rules.waiver(i).match(), state);
    }
    for (int i = 0; i < rules.timeout_size(); ++i) {
      Line("Timeout", read->timeout_at[static_cast<size_t>(i)], rules.timeout(i).match(),
           absl::StrCat(rules.timeout(i).seconds(), " s"));
    }
    const absl::StatusOr<profile::Adaptor> adaptor =
        profile::Adaptor::Make({rules.adaptor().begin(), rules.adaptor().end()});
    if (!adaptor.ok()) return PrintError(adaptor.status());
    for (const v1::Finding& rule : adaptor->Rules())
      std::cout << "Adaptor    " << PrintableLine(FindingText(rule)) << "\n";
    for (const v1::Variable& variable : rules.environment()) {
      std::cout << "Variable   " << PrintableLine(absl::StrCat(variable.name(), "=", variable.value()))
                << "\n";
      if (LooksSecret(variable.name())) {
        std::cerr << "diopi-cli: " << read->file << ": environment: " << PrintableLine(variable.name())
                  << " looks like a secret; its value is stored with every run and shown in reports\n";
      }
    }
    for (const std::string& at : idle_)
      std::cerr << "diopi-cli: " << PrintableLine(at) << ": matches no case\n";
    return ExitCode::kOk;
  }

  void Line(const char* kind, const std::string& at, const v1::CaseMatch& match, const std::string& what) {
    int64_t count = 0;
    for (const v1::Case& c : *cases_) count += profile::Matches(match, c) ? 1 : 0;
    if (count == 0) idle_.push_back(at);
    std::cout << absl::StrFormat("%-10s %s: %d cases, %s: %s\n", kind, PrintableLine(at), count,
                                 PrintableLine(profile::MatchText(match)), PrintableLine(what));
  }

  CLI::App* import_ = nullptr;
  profile::ImportOptions importing_;
  std::string file_;
  const std::vector<v1::Case>* cases_ = nullptr;
  std::vector<std::string> idle_;
};

}  // namespace

std::unique_ptr<Command> MakeProfileCommand() {
  return std::make_unique<ProfileCommand>();
}

}  // namespace diopi::cli
