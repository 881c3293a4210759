// diopi-cli vacuum: returns the space of removed runs to the disk.
#include <iostream>
#include <memory>

#include "cases/base/status_macros.h"
#include "client/cli/command.h"
#include "client/cli/upkeep.h"
#include "server/store/upkeep.h"

namespace diopi::cli {
namespace {

class VacuumCommand final : public Command {
 public:
  std::string name() const override { return "vacuum"; }
  std::string description() const override {
    return "Returns unused space in the results database to the disk, after prune, archive or an upgrade";
  }
  std::string examples() const override {
    return "  diopi-cli vacuum --data DIR    returns the space of removed runs to the disk\n";
  }
  void AddOptions(CLI::App* app) override {
    AddDataOption(app, &data_);
    app->add_flag(
        "--whole", whole_,
        "Rewrite the whole file even if it can shrink in place: needs free space, and no server can "
        "write meanwhile");
  }

  ExitCode Run() override { return PrintError(Vacuum()); }

 private:
  absl::Status Vacuum() const {
    ASSIGN_OR_RETURN(const std::string path, DatabaseToChange(data_));
    ASSIGN_OR_RETURN(const server::FileUse before, server::UseOf(path));
    std::cerr << path << ": " << Megabytes(before.bytes) << ", of which " << Megabytes(before.free)
              << " are free\n";
    if (whole_ || !before.in_pieces) {
      std::cerr << "Rewriting the file needs " << Megabytes(before.bytes - before.free)
                << " of free space beside it and as much in the folder for temporary files.\n";
    }
    RETURN_IF_ERROR(server::Vacuum(path, whole_));
    ASSIGN_OR_RETURN(const server::FileUse after, server::UseOf(path));
    std::cerr << path << ": " << Megabytes(after.bytes) << "\n";
    return absl::OkStatus();
  }

  std::string data_;
  bool whole_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeVacuumCommand() {
  return std::make_unique<VacuumCommand>();
}

}  // namespace diopi::cli
