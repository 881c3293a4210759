// diopi-cli archive: copies or moves runs to a results database of their own.
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/upkeep.h"
#include "reports/render/lists.h"
#include "server/store/upkeep.h"

namespace diopi::cli {
namespace {

class ArchiveCommand final : public Command {
 public:
  std::string name() const override { return "archive"; }
  std::string description() const override {
    return "Copies runs to a results database of their own, which every command reads with --data FILE";
  }
  std::string examples() const override {
    return "  diopi-cli archive 20251120-101502-7f3a --to 2025.db             copies a run\n"
           "  diopi-cli archive 20251120-101502-7f3a --to 2025.db --remove    moves it\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("RUN", runs_, "Ids or tags of the runs")->required();
    app->add_option("--to", to_, "New file to write them to")->required();
    AddDataOption(app, &data_);
    app->add_flag("--remove", remove_,
                  "Remove the runs from the data folder once the copy has been verified");
    app->add_flag("--dry-run", dry_run_, "Print the size of the runs, and write nothing");
    app->add_flag("--yes", yes_, "With --remove: do not ask");
  }

  ExitCode Run() override { return PrintError(Archive()); }

 private:
  absl::Status Archive() const {
    ASSIGN_OR_RETURN(const std::string path, DatabaseToChange(data_));
    if (dry_run_) return Show(path);
    if (remove_) {
      RETURN_IF_ERROR(server::CheckRemovable(path, runs_));
      RETURN_IF_ERROR(Confirm(
          absl::StrCat("Remove ", runs_.size(), " runs from ", path, " after they are archived?"), yes_));
    }
    ASSIGN_OR_RETURN(const server::Archived archived, server::ArchiveRuns(path, runs_, to_));
    std::cerr << to_ << ": " << archived.verdicts << " verdicts, " << Megabytes(archived.bytes)
              << ", compared with the original\n";
    if (!remove_) return absl::OkStatus();
    ASSIGN_OR_RETURN(const server::Removed removed, server::RemoveRuns(path, runs_));
    std::cerr << "removed " << removed.runs << " runs with " << removed.verdicts << " verdicts from " << path
              << "\n";
    return absl::OkStatus();
  }

  absl::Status Show(const std::string& path) const {
    ASSIGN_OR_RETURN(const std::vector<server::RunBytes> bytes, server::BytesOfRuns(path, runs_));
    reports::Table table{{{"run"}, {"verdicts", true}, {"bytes", true}}, {}};
    for (const server::RunBytes& run : bytes) {
      table.rows.push_back({{run.run_id}, {absl::StrCat(run.verdicts)}, {absl::StrCat(run.bytes)}});
    }
    return WriteTable(table, "text");
  }

  std::vector<std::string> runs_;
  std::string to_;
  std::string data_;
  bool remove_ = false;
  bool dry_run_ = false;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeArchiveCommand() {
  return std::make_unique<ArchiveCommand>();
}

}  // namespace diopi::cli
