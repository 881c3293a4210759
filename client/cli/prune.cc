// diopi-cli prune: removes old runs, except those that may still be needed. retention.h decides; this file
// reads the runs, shows what would go, asks, and removes. Whether a run is green is asked by a callback,
// because with --expect the answer reads the whole run.
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "cases/base/read_file.h"
#include "cases/base/status_macros.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/cli/retention.h"
#include "client/cli/run_source.h"
#include "client/cli/upkeep.h"
#include "proto/enum_name.h"
#include "reports/gate/expectations.h"
#include "reports/gate/gate.h"
#include "reports/render/lists.h"
#include "server/store/upkeep.h"

namespace diopi::cli {
namespace {

class PruneCommand final : public Command {
 public:
  std::string name() const override { return "prune"; }
  std::string description() const override {
    return "Removes old runs from a data folder, with or without a running server";
  }
  std::string examples() const override {
    return "  diopi-cli prune --older-than 180d --keep 30 --dry-run    lists the runs it would remove\n"
           "  diopi-cli prune --older-than 180d --keep 30 --yes        removes them, for cron\n";
  }
  void AddOptions(CLI::App* app) override {
    AddDataOption(app, &data_);
    app->add_option("--older-than", older_than_,
                    "Remove runs that ended longer ago than this: 36h, 180d, 26w, 2y");
    app->add_option("--keep", policy_.keep, "Keep this many newest runs of each chip, whatever their age")
        ->check(CLI::NonNegativeNumber);
    app->add_option("--chip", chip_, "Only runs on this chip");
    app->add_option("--expect", expect_,
                    "Expectations of the gate: a run in which only these cases fail is green, too");
    app->add_flag("--dry-run", dry_run_, "Print which runs would be removed, and remove none");
    app->add_flag("--yes", yes_, "Do not ask");
    AddFormatOption(app, reports::ListFormats(), &format_);
  }

  ExitCode Run() override { return PrintError(Prune()); }

 private:
  absl::Status Prune() {
    RETURN_IF_ERROR(ReadPolicy());
    ASSIGN_OR_RETURN(const std::string path, DatabaseToChange(data_));
    ASSIGN_OR_RETURN(const std::unique_ptr<server::Queries> queries, server::Queries::Open(path));
    ASSIGN_OR_RETURN(const std::vector<server::RunRow> runs,
                     queries->Runs({.chip = chip_, .kind = server::RunKind::kAny}));
    ASSIGN_OR_RETURN(const std::vector<server::RunTag> tags, server::Tags(path));
    std::map<std::string, std::string> tag_of;
    for (const server::RunTag& tag : tags) tag_of.emplace(tag.run_id, tag.tag);
    const absl::StatusOr<std::vector<RetentionRow>> rows = Decide(
        runs, tag_of, policy_, absl::Now(), [this](const server::RunRow& run) { return IsGreen(run); });
    if (!rows.ok()) return rows.status();
    return Carry(path, *rows);
  }

  absl::Status ReadPolicy() {
    if (older_than_.empty() && !policy_.keep.has_value()) {
      return absl::InvalidArgumentError("specify which runs to remove: --older-than AGE, --keep N, or both");
    }
    if (!older_than_.empty()) {
      ASSIGN_OR_RETURN(const absl::Duration age, ParseAge(older_than_));
      policy_.older_than = age;
    }
    if (expect_.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::string text, ReadFile(expect_));
    ASSIGN_OR_RETURN(expectations_, reports::ParseExpectations(text, expect_));
    ASSIGN_OR_RETURN(source_, OpenDataFolder(data_));
    return absl::OkStatus();
  }

  absl::StatusOr<bool> IsGreen(const server::RunRow& run) {
    if (source_ == nullptr || AllPassed(run)) return AllPassed(run);
    ASSIGN_OR_RETURN(const reports::RunReport report, source_->Load(run.facts.run_id));
    return reports::IsGreen(report, &*expectations_);
  }

  absl::Status Carry(const std::string& path, const std::vector<RetentionRow>& rows) {
    std::vector<std::string> going;
    std::map<std::string, const server::RunRow*> by_id;
    std::map<std::string, int> kept;
    for (const RetentionRow& row : rows) {
      if (!row.kept.empty()) {
        ++kept[row.tag.empty() ? row.kept : "with a tag"];
        continue;
      }
      going.insert(going.begin(), row.run->facts.run_id);  // oldest first
      by_id[row.run->facts.run_id] = row.run;
    }
    ASSIGN_OR_RETURN(const std::vector<server::RunBytes> bytes, server::BytesOfRuns(path, going));
    reports::Table table{{{"run"}, {"chip"}, {"state"}, {"ended"}, {"verdicts", true}, {"bytes", true}}, {}};
    table.empty = "no run would be removed";
    int64_t verdicts = 0;
    int64_t total = 0;
    for (const server::RunBytes& run : bytes) {
      const server::RunFacts& facts = by_id.at(run.run_id)->facts;
      table.rows.push_back({{run.run_id},
                            {facts.chip.empty() ? "-" : facts.chip},
                            {EnumName(facts.state)},
                            {facts.finished.empty() ? "-" : facts.finished},
                            {absl::StrCat(run.verdicts)},
                            {absl::StrCat(run.bytes)}});
      verdicts += run.verdicts;
      total += run.bytes;
    }
    RETURN_IF_ERROR(WriteTable(table, format_));
    std::vector<std::string> reasons;
    reasons.reserve(kept.size());
    for (const auto& [why, count] : kept) reasons.push_back(absl::StrCat(count, " ", why));
    std::cerr << going.size() << " of " << rows.size() << " runs can be removed, with " << verdicts
              << " verdicts, about " << Megabytes(total)
              << "; kept: " << (reasons.empty() ? "none" : absl::StrJoin(reasons, ", ")) << "\n";
    if (dry_run_ || going.empty()) return absl::OkStatus();
    return Remove(path, going);
  }

  absl::Status Remove(const std::string& path, const std::vector<std::string>& going) const {
    RETURN_IF_ERROR(Confirm(absl::StrCat("Remove ", going.size(), " runs from ", path, "?"), yes_));
    ASSIGN_OR_RETURN(const server::Removed removed, server::RemoveRuns(path, going));
    ASSIGN_OR_RETURN(const server::FileUse use, server::UseOf(path));
    std::cerr << "removed " << removed.runs << " runs with " << removed.verdicts << " verdicts; "
              << Megabytes(use.free) << " of the file's " << Megabytes(use.bytes)
              << " are free: diopi-cli vacuum returns them to the disk\n";
    return absl::OkStatus();
  }

  std::string data_;
  std::string older_than_;
  RetentionPolicy policy_;
  std::optional<std::string> chip_;
  std::string expect_;
  bool dry_run_ = false;
  bool yes_ = false;
  std::string format_ = "text";
  std::optional<reports::Expectations> expectations_;
  std::unique_ptr<RunSource> source_;
};

}  // namespace

std::unique_ptr<Command> MakePruneCommand() {
  return std::make_unique<PruneCommand>();
}

}  // namespace diopi::cli
