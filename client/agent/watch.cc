#include "client/agent/watch.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "cases/base/outcome.h"
#include "cases/base/text.h"
#include "cases/base/watch_file.h"
#include "client/agent/agent.h"
#include "client/setup/library_facts.h"

namespace diopi::agent {
namespace {

// Time for a linker's output to settle: renaming, stripping and signing count as one change.
constexpr std::chrono::milliseconds kSettle{30};

class Watcher {
 public:
  Watcher(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
          std::ostream* err)
      : options_(options), stop_(stop), terminal_(terminal), out_(out), err_(err) {}

  ExitCode Run() {
    absl::StatusOr<FileWatch> watch = FileWatch::Open(options_.impl_path);
    if (!watch.ok()) return PrintError(watch.status());
    const ExitCode first = RunOnce();
    if (!warm_.completed) return first;
    for (;;) {
      *out_ << "Watching     " << options_.impl_path << "; Ctrl-C ends\n" << std::flush;
      const absl::StatusOr<FileWatch::Event> event = watch->Wait(stop_.descriptor(), kSettle);
      if (!event.ok()) return PrintError(event.status());
      if (*event == FileWatch::Event::kStopped) return static_cast<ExitCode>(ExitCodeForSignal(stop_.Take()));
      if (!IsNew()) continue;
      const ExitCode code = RunOnce();
      if (warm_.stopped) return code;
    }
  }

 private:
  ExitCode PrintError(const absl::Status& status) {
    *err_ << "diopi-agent: " << PrintableMessage(std::string(status.message())) << "\n";
    return ExitCodeFor(status);
  }

  bool IsNew() {
    const absl::StatusOr<LibraryFacts> facts = InspectLibrary(options_.impl_path);
    if (!facts.ok()) {
      *err_ << "diopi-agent: not run, waiting for the next change: "
            << PrintableMessage(std::string(facts.status().message())) << "\n";
      return false;
    }
    if (facts->sha256 != warm_.library_sha256) return true;
    *out_ << "Unchanged    the same bytes as before\n";
    return false;
  }

  ExitCode RunOnce() {
    const std::map<std::string, v1::Verdict> before = warm_.verdicts;
    const ExitCode code = RunAgent(options_, stop_, terminal_, out_, err_, &warm_);
    if (!warm_.completed) return code;
    if (!before.empty()) *out_ << ChangesText(before, warm_.verdicts) << std::flush;
    return code;
  }

  const AgentOptions& options_;
  const StopSignal& stop_;
  const bool terminal_;
  std::ostream* const out_;
  std::ostream* const err_;
  WatchState warm_;
};

}  // namespace

std::string ChangesText(const std::map<std::string, v1::Verdict>& before,
                        const std::map<std::string, v1::Verdict>& now) {
  std::string lines;
  int failing = 0;
  int passing = 0;
  for (const auto& [id, verdict] : now) {
    const auto last = before.find(id);
    if (last == before.end() || last->second.outcome() == verdict.outcome()) continue;
    const bool failed = IsFailure(last->second.outcome());
    const bool fails = IsFailure(verdict.outcome());
    failing += fails && !failed ? 1 : 0;
    passing += verdict.outcome() == v1::OUTCOME_PASS ? 1 : 0;
    absl::StrAppend(&lines, "  ", id, ": ", OutcomeName(last->second.outcome()), " -> ",
                    OutcomeName(verdict.outcome()), verdict.reason().empty() ? "" : ": ", verdict.reason(),
                    "\n");
  }
  return absl::StrCat("Changed      ", failing, " newly failing, ", passing, " newly passing\n", lines);
}

ExitCode WatchAndRun(const AgentOptions& options, const StopSignal& stop, bool terminal, std::ostream* out,
                     std::ostream* err) {
  return Watcher(options, stop, terminal, out, err).Run();
}

}  // namespace diopi::agent
