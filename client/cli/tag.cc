// diopi-cli tag: names for runs, which prune then keeps.
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

class TagCommand final : public Command {
 public:
  std::string name() const override { return "tag"; }
  std::string description() const override {
    return "Tags a run, which prune then keeps; every command accepts the tag as the run's id. Without "
           "arguments: lists the tags";
  }
  std::string examples() const override {
    return "  diopi-cli tag 20251120-101502-7f3a release-2.1    names a run and keeps it\n"
           "  diopi-cli tag                                     lists the tags\n";
  }
  void AddOptions(CLI::App* app) override {
    CLI::Option* run = app->add_option("RUN", run_, "Run id, or latest");
    app->add_option("NAME", tag_, "The tag; if another run has it, it moves to RUN")->needs(run);
    app->add_option("--remove", remove_, "Remove this tag from its run")->excludes(run);
    AddDataOption(app, &data_);
    AddFormatOption(app, reports::ListFormats(), &format_);
  }

  ExitCode Run() override { return PrintError(Change()); }

 private:
  absl::Status Change() const {
    if (run_.empty() != tag_.empty()) {
      return absl::InvalidArgumentError("a tag needs the run and the name: diopi-cli tag RUN NAME");
    }
    ASSIGN_OR_RETURN(const std::string path, DatabaseToChange(data_));
    if (!remove_.empty()) return server::RemoveTag(path, remove_);
    if (run_.empty()) return List(path, format_);
    ASSIGN_OR_RETURN(const std::string run, server::TagRun(path, run_, tag_));
    std::cout << "run " << run << " has the tag " << tag_ << "\n";
    return absl::OkStatus();
  }

  static absl::Status List(const std::string& path, const std::string& format) {
    ASSIGN_OR_RETURN(const std::vector<server::RunTag> tags, server::Tags(path));
    reports::Table table{{{"tag"}, {"run"}}, {}};
    table.empty = "no run has a tag";
    for (const server::RunTag& tag : tags) table.rows.push_back({{tag.tag}, {tag.run_id}});
    return WriteTable(table, format);
  }

  std::string data_;
  std::string format_;
  std::string run_;
  std::string tag_;
  std::string remove_;
};

}  // namespace

std::unique_ptr<Command> MakeTagCommand() {
  return std::make_unique<TagCommand>();
}

}  // namespace diopi::cli
