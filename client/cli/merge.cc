// diopi-cli merge: combines the shards of a run into one run.
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "cases/core/catalog.h"
#include "client/cli/command.h"
#include "client/cli/merge_runs.h"
#include "server/store/database.h"

namespace diopi::cli {
namespace {

using server::Database;

// A data folder, or the database itself.
std::string PathOf(const std::string& given) {
  std::error_code ignored;
  return std::filesystem::is_directory(given, ignored) ? server::DatabasePath(given) : given;
}

class MergeCommand final : public Command {
 public:
  std::string name() const override { return "merge"; }
  std::string description() const override { return "Combines the shards of a run into one run"; }
  std::string examples() const override {
    return "  diopi-cli merge --into all --from shard0 shard1 shard2    one run of three shards\n";
  }
  void AddOptions(CLI::App* app) override {
    app->add_option(
        "--into", into_,
        "Data folder to write the run to (default: $DIOPI_DATA, or diopi-data in the current folder)");
    app->add_option(
        "--from", from_,
        "Data folders or databases with the shards (default: --into); without RUN, the newest run of each");
    app->add_option("RUN", runs_, "Ids of the shards' runs in --from");
  }

  ExitCode Run() override {
    if (runs_.empty() && from_.empty()) {
      return PrintError(absl::InvalidArgumentError("name the shards' runs, or their databases with --from"));
    }
    absl::StatusOr<std::vector<Shard>> shards = ReadShards();
    if (!shards.ok()) return PrintError(shards.status());
    const absl::StatusOr<MergedRun> merged = MergeShards(*shards, OrderOf(*shards));
    if (!merged.ok()) return PrintError(merged.status());
    const absl::StatusOr<std::string> run = Write(*merged);
    if (!run.ok()) return PrintError(run.status());
    std::cout << "Run " << *run << ": " << merged->verdicts.size() << " cases of " << shards->size()
              << " shards\n";
    return ExitCode::kOk;
  }

 private:
  struct Source {
    std::string path;
    std::unique_ptr<Database> database;
  };

  absl::StatusOr<std::vector<Source>> OpenSources() const {
    std::vector<std::string> paths = from_;
    if (paths.empty()) paths.push_back(into_);
    std::vector<Source> sources;
    for (const std::string& given : paths) {
      const std::string path = PathOf(given);
      ASSIGN_OR_RETURN(std::unique_ptr<Database> database, Database::Open(path, {.read_only = true}));
      sources.push_back({path, std::move(database)});
    }
    return sources;
  }

  static absl::StatusOr<Shard> ReadShard(const Source& source, const std::string& run) {
    Shard shard;
    shard.source = source.path;
    ASSIGN_OR_RETURN(shard.info, source.database->GetRun(run));
    ASSIGN_OR_RETURN(shard.cases, source.database->CasesOf(shard.info.run_id()));
    ASSIGN_OR_RETURN(shard.verdicts, source.database->Verdicts(shard.info.run_id(), {}));
    return shard;
  }

  absl::StatusOr<std::vector<Shard>> ReadShards() const {
    ASSIGN_OR_RETURN(const std::vector<Source> sources, OpenSources());
    std::vector<Shard> shards;
    if (runs_.empty()) {
      for (const Source& source : sources) {
        ASSIGN_OR_RETURN(Shard shard, ReadShard(source, "latest"));
        shards.push_back(std::move(shard));
      }
      return shards;
    }
    for (const std::string& run : runs_) {
      absl::Status status = absl::OkStatus();
      bool found = false;
      for (size_t i = 0; i < sources.size() && !found; ++i) {
        absl::StatusOr<Shard> shard = ReadShard(sources[i], run);
        found = shard.ok();
        status = shard.status();
        if (!found && !absl::IsNotFound(status)) return status;
        if (found) shards.push_back(*std::move(shard));
      }
      if (!found) return status;
    }
    return shards;
  }

  // The order of an undivided run.
  static std::vector<std::string> OrderOf(const std::vector<Shard>& shards) {
    std::vector<std::string> order;
    const absl::StatusOr<std::unique_ptr<cases::Catalog>> catalog = cases::Catalog::LoadBuiltin();
    if (!catalog.ok() || shards.empty()) return order;
    const absl::StatusOr<std::vector<v1::Case>> cases =
        (*catalog)->SelectRun(shards[0].info.options().selection());
    if (!cases.ok()) return order;  // a suite of another version: MergeShards orders its cases
    for (const v1::Case& c : *cases) order.push_back(c.id());
    return order;
  }

  absl::StatusOr<std::string> Write(const MergedRun& merged) const {
    ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                     Database::Open(server::DatabasePath(into_), {}));
    ASSIGN_OR_RETURN(const v1::RunInfo run, database->AddFinishedRun(merged.options, merged.suite_hash,
                                                                     merged.cases, merged.verdicts));
    return run.run_id();
  }

  std::string into_ = DefaultDataFolder();
  std::vector<std::string> from_;
  std::vector<std::string> runs_;
};

}  // namespace

std::unique_ptr<Command> MakeMergeCommand() {
  return std::make_unique<MergeCommand>();
}

}  // namespace diopi::cli
