// diopi-cli report: a run as a document.
#include "reports/model/report.h"

#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "reports/render/render.h"
#include "server/store/database.h"

namespace diopi::cli {
namespace {

class ReportCommand final : public Command {
 public:
  std::string name() const override { return "report"; }
  std::string description() const override { return "Writes a run's report"; }
  void AddOptions(CLI::App* app) override {
    app->add_option("--data", data_, "Data folder (default: $DIOPI_DATA, or diopi-data here)");
    app->add_option("--run", run_, "Run id (default: latest)");
    app->add_option("--format", format_, "text, csv, json, junit or error_report (default: text)")
        ->check(CLI::IsMember(reports::Formats()));
    app->add_option("--output", output_, "File (default: standard output)");
  }

  ExitCode Run() override {
    const absl::StatusOr<std::unique_ptr<server::Database>> database =
        server::Database::Open(server::DatabasePath(DataFolder(data_)), {.read_only = true});
    if (!database.ok()) return Tell(database.status());
    const absl::StatusOr<reports::RunReport> report = reports::LoadReport(**database, run_);
    if (!report.ok()) return Tell(report.status());
    const absl::StatusOr<std::string> text = reports::Render(*report, format_);
    if (!text.ok()) return Tell(text.status());
    if (output_.empty()) {
      std::cout << *text << std::flush;
      return ExitCode::kOk;
    }
    std::ofstream file(output_, std::ios::binary);
    file << *text;
    file.close();
    return file ? ExitCode::kOk : Tell(absl::InternalError(absl::StrCat(output_, ": cannot be written")));
  }

 private:
  std::string data_;
  std::string run_ = "latest";
  std::string format_ = "text";
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> MakeReportCommand() {
  return std::make_unique<ReportCommand>();
}

}  // namespace diopi::cli
