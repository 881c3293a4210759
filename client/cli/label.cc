// diopi-cli label: labels of a run, such as its ticket or a note.
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "client/cli/command.h"
#include "client/cli/upkeep.h"
#include "server/store/labels.h"
#include "server/store/upkeep.h"

namespace diopi::cli {
namespace {

class LabelCommand final : public Command {
 public:
  std::string name() const override { return "label"; }
  std::string description() const override { return "Adds labels to a run, or lists those that it has"; }
  std::string examples() const override {
    return "  diopi-cli label latest ticket=OPS-12 note='before the driver update'    two labels\n"
           "  diopi-cli label latest note=                                            removes one\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option("RUN", run_, "Run id, tag, or latest")->required();
    app->add_option("LABEL", labels_, "KEY=VALUE; KEY= removes the label");
    AddDataOption(app, &data_);
  }

  ExitCode Run() override { return PrintError(Change()); }

 private:
  absl::Status Change() const {
    server::Labels labels;
    for (const std::string& text : labels_) {
      const absl::StatusOr<server::Labels::value_type> label = server::ParseLabel(text);
      if (!label.ok()) return absl::InvalidArgumentError(absl::StrCat("LABEL: ", label.status().message()));
      labels[label->first] = PrintableText(label->second);
    }
    ASSIGN_OR_RETURN(const std::string path, DatabaseToChange(data_));
    ASSIGN_OR_RETURN(const server::LabelledRun run, server::LabelRun(path, run_, labels));
    std::cout << "run " << run.run_id << ": "
              << (run.labels.empty() ? "no labels" : PrintableLine(server::LabelsText(run.labels))) << "\n";
    return absl::OkStatus();
  }

  std::string data_;
  std::string run_;
  std::vector<std::string> labels_;
};

}  // namespace

std::unique_ptr<Command> MakeLabelCommand() {
  return std::make_unique<LabelCommand>();
}

}  // namespace diopi::cli
