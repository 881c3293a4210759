// diopi-cli pack: a device's outputs in one small file, for users without such a device. A pack of selected
// cases says "a part of SUITE" in its header. It is verified against the cases that it has, unless the user
// selects cases: then a missing one is a fault. Installing first makes the oracle's baselines where they are
// missing, because a device's outputs are judged by the oracle before they are stored beside it.
#include "baselines/generate/pack.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "baselines/generate/generate.h"
#include "cases/base/match.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "client/cli/baselines_lock.h"
#include "client/cli/command.h"
#include "client/cli/selection.h"
#include "client/setup/paths.h"

namespace diopi::cli {
namespace {

using baselines::PackReader;

constexpr size_t kShownFaults = 20;
constexpr char kPartOf[] = "a part of ";

double Mebibytes(int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

class PackCommand final : public Command {
 public:
  std::string name() const override { return "pack"; }
  std::string description() const override {
    return "Makes, verifies, installs and shows packs: a device reference's outputs in one file";
  }
  std::string examples() const override {
    return "  diopi-cli pack make nvidia.h5      the outputs that gen --reference cuda stored\n"
           "  diopi-cli pack verify nvidia.h5    against cases and oracle\n";
  }
  void AddOptions(CLI::App* app) override {
    make_ = Action(app, "make", "Packs the outputs that gen --reference cuda (or --device-reference) stored");
    TakesBytes(0, int64_t{1} << 40,
               make_->add_option("--full-bytes", making_.full_bytes, "Size above which a tensor is sampled")
                   ->capture_default_str());
    make_->add_option("--samples", making_.samples, "Number of elements kept of a sampled tensor")
        ->capture_default_str()
        ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
    verify_ =
        Action(app, "verify", "Checks a pack against the cases and the oracle: hashes, checksums, gates");
    install_ = Action(app, "install", "Puts a pack's outputs beside the oracle's in a data folder");
    show_ = app->add_subcommand(
        "show", "Shows what a pack contains for each case: all elements, or a sample with statistics");
    show_->add_option("file", file_, "The pack")->required();
    show_->add_option("--case", shown_, "Only cases whose id matches this glob");
    for (CLI::App* action : {make_, install_}) {
      AddDataOption(action, &data_);
    }
    for (CLI::App* action : {verify_, install_}) {
      AddLibraryOption(action, &library_);
    }
    app->require_subcommand(1);
  }

  ExitCode Run() override {
    if (show_->parsed()) return Show();
    const absl::StatusOr<std::vector<v1::Case>> cases = SelectCases(selection_);
    if (!cases.ok()) return PrintError(cases.status());
    if (make_->parsed()) return Make(*cases);
    return verify_->parsed() ? Verify(*cases) : Install(*cases);
  }

 private:
  CLI::App* Action(CLI::App* app, const std::string& name, const std::string& description) {
    CLI::App* action = app->add_subcommand(name, description);
    action->add_option("file", file_, "The pack")->required();
    agent::AddSelectionOptions(action, &selection_);
    return action;
  }

  bool SelectsAPart() const {
    return !selection_.functions.empty() || !selection_.cases.empty() || !selection_.dtypes.empty() ||
           !selection_.filter_dtypes.empty();
  }

  // Describes the cases: a suite, or a part of it.
  std::string SuiteText() const {
    const std::string suite = selection_.suite.empty() ? "core" : selection_.suite;
    return SelectsAPart() ? kPartOf + suite : suite;
  }

  // The cases that a partial pack has, so that nobody needs to know the options that made it.
  absl::StatusOr<std::vector<v1::Case>> ExpectedOf(const PackReader& pack,
                                                   const std::vector<v1::Case>& cases) const {
    if (SelectsAPart() || !absl::StartsWith(pack.header().suite, kPartOf)) return cases;
    std::set<std::string> packed;
    for (const std::string& name : pack.operators()) {
      ASSIGN_OR_RETURN(const std::vector<baselines::PackCase> read, pack.Read(name));
      for (const baselines::PackCase& c : read) packed.insert(c.id);
    }
    std::vector<v1::Case> expected;
    for (const v1::Case& c : cases) {
      if (packed.contains(c.id())) expected.push_back(c);
    }
    return expected;
  }

  std::string Oracle() const { return agent::ReferenceLibraryOr(library_); }

  static void PrintFigures(const baselines::PackFigures& figures) {
    std::cout << absl::StrFormat(
        "%d cases: %d tensors in full, %d sampled; %d cases quarantined, %d without outputs\n"
        "%.2f MiB of elements in a file of %.2f MiB\n",
        figures.cases, figures.full, figures.sampled, figures.quarantined, figures.without,
        Mebibytes(figures.value_bytes), Mebibytes(figures.file_bytes));
  }

  static void PrintOrigin(const baselines::PackHeader& header) {
    const baselines::DeviceProvenance& device = header.device;
    std::cout << PrintableLine(absl::StrCat("Outputs of ", device.vendor, " ", device.version, ", library ",
                                            device.sha256, ", contracts ",
                                            device.contracts.empty() ? "none" : device.contracts, ", run ",
                                            device.created, "; suite: ", header.suite))
              << "\n";
  }

  ExitCode Make(const std::vector<v1::Case>& cases) {
    making_.data_folder = data_;
    making_.suite = SuiteText();
    const absl::StatusOr<baselines::PackFigures> figures = baselines::MakePack(cases, making_, file_);
    if (!figures.ok()) return PrintError(figures.status());
    PrintFigures(*figures);
    std::cout << "Pack " << file_ << "\n";
    return ExitCode::kOk;
  }

  ExitCode Verify(const std::vector<v1::Case>& cases) {
    const absl::StatusOr<std::unique_ptr<PackReader>> pack = PackReader::Open(file_);
    if (!pack.ok()) return PrintError(pack.status());
    const absl::StatusOr<std::vector<v1::Case>> expected = ExpectedOf(**pack, cases);
    if (!expected.ok()) return PrintError(expected.status());
    const absl::StatusOr<baselines::PackReport> report = baselines::VerifyPack(*expected, **pack, Oracle());
    if (!report.ok()) return PrintError(report.status());
    PrintOrigin((*pack)->header());
    PrintFigures(report->figures);
    std::cout << report->judged << " cases compared with the oracle, " << report->other_inputs
              << " not compared: their inputs differ on this machine\n";
    if (expected->size() < cases.size()) {
      std::cout << cases.size() - expected->size() << " cases of the suite are not in this pack\n";
    }
    const std::vector<std::string>& faults = report->faults;
    for (size_t i = 0; i < std::min(faults.size(), kShownFaults); ++i) {
      std::cerr << "diopi-cli: " << file_ << ": " << PrintableLine(faults[i]) << "\n";
    }
    if (faults.size() > kShownFaults) {
      std::cerr << "diopi-cli: " << file_ << ": and " << faults.size() - kShownFaults << " more\n";
    }
    std::cout << (faults.empty() ? "The pack is correct" : absl::StrCat(faults.size(), " faults")) << "\n";
    return faults.empty() ? ExitCode::kOk : ExitCode::kFailed;
  }

  // How many cases have each reason, with one of them; `without` has lines "CASE: reason".
  static void PrintWithout(const std::vector<std::string>& without) {
    std::map<std::string, std::vector<std::string>> ids;
    for (const std::string& line : without) {
      const std::pair<std::string, std::string> parts = absl::StrSplit(line, absl::MaxSplits(": ", 1));
      ids[parts.second].push_back(parts.first);
    }
    for (const auto& [reason, of] : ids) {
      std::cout << absl::StrFormat("not installed: %d of the cases (%s, for example): %s\n", of.size(),
                                   PrintableLine(of.front()), PrintableLine(reason));
    }
  }

  ExitCode Install(const std::vector<v1::Case>& cases) {
    const absl::StatusOr<std::unique_ptr<PackReader>> pack = PackReader::Open(file_);
    if (!pack.ok()) return PrintError(pack.status());
    baselines::GenerateOptions options;
    options.data_folder = data_;
    options.library_path = Oracle();
    const absl::StatusOr<FileLock> lock = LockBaselines(options.data_folder, kLockWaitS);
    if (!lock.ok()) return PrintError(lock.status());
    const absl::StatusOr<baselines::GenerateSummary> made = baselines::Generate(cases, options);
    if (!made.ok()) return PrintError(made.status());
    const absl::StatusOr<baselines::DeviceReferenceSummary> summary =
        baselines::InstallPack(cases, **pack, options.data_folder, options.reference);
    if (!summary.ok()) return PrintError(summary.status());
    PrintOrigin((*pack)->header());
    for (const std::string& text : summary->quarantined)
      std::cout << "quarantined: " << PrintableLine(text) << "\n";
    PrintWithout(summary->without);
    std::cout << summary->admitted << " cases now have its outputs beside the oracle's, "
              << summary->quarantined.size() << " are quarantined, " << summary->without.size()
              << " have none: " << options.data_folder << "/baselines\n";
    return ExitCode::kOk;
  }

  ExitCode Show() {
    const absl::StatusOr<std::unique_ptr<PackReader>> pack = PackReader::Open(file_);
    if (!pack.ok()) return PrintError(pack.status());
    PrintOrigin((*pack)->header());
    for (const std::string& name : (*pack)->operators()) {
      const absl::StatusOr<std::vector<baselines::PackCase>> cases = (*pack)->Read(name);
      if (!cases.ok()) return PrintError(cases.status());
      for (const baselines::PackCase& c : *cases) {
        if (shown_.empty() || GlobMatch(shown_, c.id)) ShowCase(c);
      }
    }
    return ExitCode::kOk;
  }

  static void ShowCase(const baselines::PackCase& c) {
    std::cout << PrintableLine(c.id) << "\n";
    if (!c.quarantined.empty()) std::cout << "  quarantined: " << PrintableLine(c.quarantined) << "\n";
    if (!c.without.empty()) std::cout << "  no outputs: " << PrintableLine(c.without) << "\n";
    for (const baselines::PackTensor& tensor : c.tensors) {
      std::cout << "  " << PrintableLine(tensor.key) << " " << DtypeName(tensor.values.dtype) << " "
                << ShapeText(tensor.shape);
      if (tensor.sampled) {
        const baselines::TensorStatistics& s = tensor.statistics;
        std::cout << absl::StrFormat(
            ": %d elements kept; of all %d: %d NaN, %d infinite, min %g, max %g, mean %g, std %g",
            NumElements(tensor.values.shape), NumElements(tensor.shape), s.nans, s.infinities, s.min, s.max,
            s.mean, s.deviation);
      }
      std::cout << "\n";
    }
  }

  CLI::App* make_ = nullptr;
  CLI::App* verify_ = nullptr;
  CLI::App* install_ = nullptr;
  CLI::App* show_ = nullptr;
  agent::SelectionArguments selection_;
  baselines::PackOptions making_;
  std::string file_;
  std::string data_;
  std::string library_;
  std::string shown_;
};

}  // namespace

std::unique_ptr<Command> MakePackCommand() {
  return std::make_unique<PackCommand>();
}

}  // namespace diopi::cli
