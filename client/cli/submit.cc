// diopi-cli submit: submits a run to standing agents, watches it, cancels it. The run belongs to the server:
// ending this program, or losing the server, changes nothing about it, and --watch continues. The exit status
// is the one that a diopi-agent running all of it would have, so CI can replace one by the other.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/outcome.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "client/cli/command.h"
#include "client/cli/run_source.h"
#include "client/cli/selection.h"
#include "client/command_line/command_line.h"
#include "client/rpc/agents_client.h"
#include "client/setup/credential_flags.h"
#include "client/setup/explore_options.h"
#include "client/setup/labels.h"
#include "client/setup/library_facts.h"
#include "proto/enum_name.h"
#include "reports/render/exploration.h"
#include "reports/render/render.h"
#include "server/store/chip_name.h"
#include "server/store/run_state.h"

namespace diopi::cli {
namespace {

// A server that is gone for longer than this while a run is watched will not return soon.
constexpr std::chrono::minutes kServerMayBeAway{2};
// Prints a line of progress each time this many percent are done.
constexpr int64_t kPercentALine = 10;

agent::OutcomeCounts OutcomesOf(const v1::RunInfo& run) {
  return {run.outcomes().begin(), run.outcomes().end()};
}

// The exit status of a diopi-agent that ran the whole run.
ExitCode ExitCodeOf(const v1::RunInfo& run) {
  const auto code = static_cast<ExitCode>(run.submission().exit_code());
  if (run.state() == v1::RUN_STATE_ABORTED) {
    const bool known =
        code == ExitCode::kUsage || code == ExitCode::kEnvironment || code == ExitCode::kInterrupted;
    return known ? code : ExitCode::kOurs;
  }
  return agent::ExitCodeFor(OutcomesOf(run));
}

// Whether no agent can start or continue the run at present; the note says why.
bool IsBlocked(const v1::RunInfo& run) {
  return !server::IsOver(run.state()) && !run.submission().note().empty();
}

// "841 cases", "an exploration of 2 h".
std::string AskedText(const v1::RunInfo& run) {
  const bool explores = run.options().has_exploration();
  return explores ? absl::StrCat("an exploration of ", reports::AskedText(run.options().exploration()))
                  : absl::StrCat(run.cases(), " cases");
}

// "305 of 841 cases", "2560 of 5000 calls", "2560 calls in 61 s".
std::string DoneText(const v1::RunInfo& run) {
  if (run.options().exploration().seconds() > 0) {
    return absl::StrFormat("%d calls in %.0f s", run.done(), run.exploration().seconds());
  }
  return absl::StrCat(run.done(), " of ", run.cases(), run.options().has_exploration() ? " calls" : " cases");
}

// The share of the run that is done, from 0 to 1.
double ShareDone(const v1::RunInfo& run) {
  const double seconds = run.options().exploration().seconds();
  if (seconds > 0) return std::min(run.exploration().seconds() / seconds, 1.0);
  return run.cases() > 0 ? static_cast<double>(run.done()) / static_cast<double>(run.cases()) : 0;
}

class SubmitCommand final : public Command {
 public:
  std::string name() const override { return "submit"; }
  std::string description() const override { return "Submits a run to a server's standing agents"; }
  std::string examples() const override {
    return "  diopi-cli submit --server lab:7410 --chip A100 --fname add --wait                exits with "
           "the run's status\n"
           "  diopi-cli submit --server lab:7410 --chip A100 --impl libdiopi_impl.so --wait    with a "
           "library of yours\n"
           "  diopi-cli submit --server lab:7410 --chip A100 --explore 2h --seed 7             random calls "
           "instead of the suite\n";
  }
  void AddOptions(CLI::App* app) override {
    AddServerOption(app, &server_)->required();
    app->add_option("--chip", chip_, "Chip whose agents may take the run");
    app->add_flag(
        "--wait", wait_,
        "Show progress until the run ends, and exit with its status; 4 when every agent that could run it "
        "fails its health check");
    app->add_option("--watch", watch_, "Wait for this run, which was submitted earlier");
    app->add_option("--cancel", cancel_, "Cancel this submitted run instead");
    app->add_option("--impl", impl_,
                    "Library to upload with the request; agents must allow it (--impl-upload)");
    app->add_option("--require-sha256", require_sha256_, "Only test a library with this SHA-256");
    Heading(kCasesHeading, app);
    agent::AddSelectionOptions(app, &selection_);
    Heading(kCallsHeading, app);
    agent::AddLabelOption(app, &labels_);
    AddContractOption(app, &contracts_);
    app->add_option("--repeat", repeat_, "How often to call each case (default: the agent's setting)")
        ->check(CLI::Range(2, 100'000));
    app->add_option("--timeout-s", timeout_s_, "Seconds a case may take (default: the agent's setting)")
        ->check(CLI::Range(0.001, 86400.0));
    AddShuffleOption(app, &shuffle_);
    CLI::Option* explore = agent::AddExploreOptions(app, &explore_);
    for (const char* other : {"--case", "--suite", "--model", "--shuffle"})
      explore->excludes(app->get_option(other));
    agent::AddCredentialFlags(app, &credentials_);
    ShowFirst({"--server", "--chip", "--wait", "--watch", "--cancel", "--impl", "--fname", "--model",
               "--explore", "--label", "--token-file", "--tls-ca"},
              app);
  }

  ExitCode Run() override {
    rpc::ClientOptions options;
    if (wait_ || !watch_.empty()) options.retry_for = kServerMayBeAway;
    absl::StatusOr<std::unique_ptr<rpc::AgentsClient>> client =
        rpc::AgentsClient::Make(server_, credentials_, options);
    if (!client.ok()) return PrintError(client.status());
    client_ = *std::move(client);
    if (!cancel_.empty()) return Cancel();
    if (!watch_.empty()) return Watch(watch_);
    if (chip_.empty())
      return PrintError(absl::InvalidArgumentError("--chip is required: its agents take the run"));
    if (const absl::Status chip = server::CheckChipName(chip_); !chip.ok()) {
      return PrintError(absl::InvalidArgumentError(absl::StrCat("--chip: ", chip.message())));
    }
    return Submit();
  }

 private:
  rpc::CredentialFiles credentials_;

  ExitCode Cancel() {
    const absl::StatusOr<v1::RunInfo> run = client_->CancelRun(cancel_);
    if (!run.ok()) {
      const bool usage = absl::IsFailedPrecondition(run.status());
      return PrintError(usage ? absl::InvalidArgumentError(run.status().message()) : run.status());
    }
    std::cout << "Run " << run->run_id() << ": cancelled after " << DoneText(*run) << "\n";
    return ExitCode::kOk;
  }

  absl::StatusOr<v1::SubmitRequest> MakeRequest() const {
    v1::SubmitRequest request;
    ASSIGN_OR_RETURN(v1::Selection selection, agent::MakeSelection(selection_));
    *request.mutable_options()->mutable_selection() = std::move(selection);
    request.mutable_options()->set_chip(chip_);
    request.mutable_options()->set_repeat(repeat_);
    request.mutable_options()->set_timeout_s(timeout_s_);
    request.mutable_options()->set_shuffle_seed(shuffle_);
    if (!explore_.amount.empty()) {
      ASSIGN_OR_RETURN(v1::ExplorationOptions exploration, agent::MakeExplorationOptions(explore_));
      *request.mutable_options()->mutable_exploration() = std::move(exploration);
    }
    for (const std::string& contract : contracts_) request.mutable_options()->add_contracts(contract);
    ASSIGN_OR_RETURN(const server::Labels labels, agent::RunLabels(labels_, agent::ProcessEnvironment()));
    request.mutable_options()->mutable_labels()->insert(labels.begin(), labels.end());
    request.set_require_sha256(absl::AsciiStrToLower(require_sha256_));
    if (impl_.empty()) return request;
    const absl::StatusOr<agent::LibraryFacts> facts = agent::InspectOperators(impl_);
    if (!facts.ok()) return absl::InvalidArgumentError(facts.status().message());
    std::error_code error;
    request.set_upload_name(std::filesystem::path(facts->path).filename().string());
    request.set_upload_bytes(static_cast<int64_t>(std::filesystem::file_size(facts->path, error)));
    request.set_upload_sha256(facts->sha256);
    return request;
  }

  ExitCode Submit() {
    const absl::StatusOr<v1::SubmitRequest> request = MakeRequest();
    if (!request.ok()) return PrintError(request.status());
    const absl::StatusOr<v1::SubmitResponse> response = client_->Submit(*request, impl_);
    if (!response.ok()) return PrintError(response.status());
    const v1::RunInfo& run = response->run();
    std::cout << "Run " << run.run_id() << ": submitted, " << AskedText(run);
    if (response->agents_size() > 0)
      std::cout << ", for " << PrintableLine(absl::StrJoin(response->agents(), ", "));
    std::cout << "\n" << std::flush;
    const bool shown_by_watch = wait_ && response->agents_size() > 0;
    if (!shown_by_watch && !response->note().empty()) {
      std::cerr << "diopi-cli: " << PrintableMessage(response->note()) << "\n";
    }
    return wait_ ? Watch(run.run_id()) : ExitCode::kOk;
  }

  // Ctrl-C ends only this program, not the run.
  ExitCode Watch(const std::string& run_id) {
    const absl::Status watched = client_->WatchRun(run_id, [this](const v1::RunInfo& run) {
      Show(run);
      return !IsBlocked(run);
    });
    if (!watched.ok()) {
      std::cerr << "diopi-cli: run " << run_id << " continues on the server; see diopi-cli submit --server "
                << server_ << " --watch " << run_id << "\n";
      return PrintError(watched);
    }
    if (!last_.submission().note().empty()) {
      std::cerr << "diopi-cli: run " << last_.run_id() << ": " << PrintableMessage(last_.submission().note())
                << "\n";
    }
    if (IsBlocked(last_)) {
      std::cerr << "diopi-cli: the run stays in the queue until an agent recovers; cancel it with: diopi-cli "
                   "submit "
                << "--server " << server_ << " --cancel " << run_id << "\n";
      return ExitCode::kEnvironment;
    }
    std::cout << "Run " << last_.run_id() << ": " << EnumName(last_.state()) << ", " << DoneText(last_);
    for (const auto& [outcome, count] : OutcomesOf(last_)) std::cout << ", " << outcome << " " << count;
    std::cout << "\n";
    if (!last_.options().has_exploration()) PrintGroups();
    return ExitCodeOf(last_);
  }

  // What failed and why, as the agent that ran it prints it, and where to read more.
  void PrintGroups() const {
    const absl::StatusOr<std::unique_ptr<RunSource>> source = ConnectToRuns(server_, credentials_);
    const absl::StatusOr<reports::RunReport> report =
        source.ok() ? (*source)->Load(last_.run_id()) : absl::StatusOr<reports::RunReport>(source.status());
    if (!report.ok()) {
      std::cerr << "diopi-cli: the verdicts cannot be read: "
                << PrintableMessage(std::string(report.status().message())) << "\n";
      return;
    }
    const std::string failures = reports::RenderFailures(*report);
    std::cout << "\n"
              << failures << (failures.empty() ? "" : "\n") << reports::RenderSummary(*report)
              << "Report       diopi-cli report --server " << server_ << " --run " << last_.run_id() << "\n";
    const std::string page = (*source)->PageOf(last_.run_id());
    if (!page.empty()) std::cout << "Page         " << page << "\n";
  }

  // Prints a line when the state changes, and at intervals.
  void Show(const v1::RunInfo& run) {
    const auto share = static_cast<int64_t>(100 * ShareDone(run) / kPercentALine);
    const bool line = run.state() != last_.state() || share != shown_;
    last_ = run;
    shown_ = share;
    if (!line || server::IsOver(run.state())) return;
    std::cout << "Run " << run.run_id() << ": " << EnumName(run.state()) << ", " << DoneText(run) << ", "
              << agent::CountOf(OutcomesOf(run), IsFailure) << " failed\n"
              << std::flush;
  }

  std::string server_;
  std::string chip_;
  agent::SelectionArguments selection_;
  std::vector<std::string> contracts_;
  std::vector<std::string> labels_;
  int repeat_ = 0;
  double timeout_s_ = 0;
  uint64_t shuffle_ = 0;
  agent::ExploreArguments explore_;
  std::string impl_;
  std::string require_sha256_;
  bool wait_ = false;
  std::string watch_;
  std::string cancel_;
  std::unique_ptr<rpc::AgentsClient> client_;
  v1::RunInfo last_;
  int64_t shown_ = -1;
};

}  // namespace

std::unique_ptr<Command> MakeSubmitCommand() {
  return std::make_unique<SubmitCommand>();
}

}  // namespace diopi::cli
