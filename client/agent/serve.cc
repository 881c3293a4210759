// A standing agent never loads a library. Each submitted run and each health check is a diopi-agent process
// of its own, so that a crash or a leak in one cannot harm the next. The main thread starts, watches and
// reaps these children; two further threads keep the stream to the server and send heartbeats. They
// communicate through a queue of messages and a pipe that wakes the main thread's poll.
#include "client/agent/serve.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cases/base/dtype.h"
#include "cases/base/host_name.h"
#include "cases/base/poll_timeout.h"
#include "cases/base/process.h"
#include "cases/base/sha256.h"
#include "cases/base/status_macros.h"
#include "cases/base/wait.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "client/rpc/agents_client.h"
#include "client/setup/paths.h"
#include "client/setup/server_process.h"

namespace diopi::agent {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{5'000};
constexpr milliseconds kCallLimit{5'000};
// How much of a child's last words is sent to the server as the reason.
constexpr size_t kTail = 2048;
// Options of the standing agent alone, and those that its children get another value of.
constexpr std::array<const char*, 3> kOwnFlags = {"--serve", "--impl-upload", "--quiet"};
constexpr std::array<const char*, 6> kReplaced = {"--impl",       "--timeout-s",    "--repeat",
                                                  "--report-dir", "--error-report", "--health-every-s"};

template <size_t N>
bool IsOneOf(const std::array<const char*, N>& names, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  return std::any_of(names.begin(), names.end(), [&name](const char* one) { return name == one; });
}

// The flags given to this agent except those of --serve itself: devices, workers, TLS and so on.
std::vector<std::string> ArgumentsForChildren(const std::vector<std::string>& given) {
  std::vector<std::string> arguments;
  for (size_t i = 0; i < given.size(); ++i) {
    if (IsOneOf(kOwnFlags, given[i])) continue;
    if (!IsOneOf(kReplaced, given[i])) {
      arguments.push_back(given[i]);
    } else if (!absl::StrContains(given[i], '=')) {
      ++i;  // its value
    }
  }
  return arguments;
}

std::string NewAgentId() {
  std::random_device entropy;
  return absl::StrCat(HostName(), "-", getpid(), "-", absl::Hex(entropy() & 0xffffU, absl::kZeroPad4));
}

// Appends what is there to read; closes the descriptor at its end.
void Drain(Descriptor* from, std::string* text) {
  std::array<char, 4096> buffer{};
  const ssize_t got = read(from->get(), buffer.data(), buffer.size());
  if (got > 0) text->append(buffer.data(), static_cast<size_t>(got));
  if (got == 0 || (got < 0 && errno != EINTR)) from->Close();
}

// The last line of a program's errors that says something, without the program's name.
std::string LastLine(const std::string& text) {
  const std::string stripped(absl::StripAsciiWhitespace(text));
  const size_t begin = stripped.rfind('\n');
  const std::string line = begin == std::string::npos ? stripped : stripped.substr(begin + 1);
  return std::string(absl::StripPrefix(line, "diopi-agent: "));
}

// How a child makes a submitted exploration. `folder`: where it writes the operator files.
std::vector<std::string> ExplorationArguments(const v1::Assignment::Run& run, const std::string& folder) {
  const v1::RunOptions& asked = run.options();
  const v1::ExplorationOptions& exploration = asked.exploration();
  std::vector<std::string> arguments = {
      "--exploration",
      run.run_id(),
      "--report-dir",
      folder,
      "--seed",
      absl::StrCat(exploration.seed()),
      "--explore",
      exploration.calls() > 0 ? absl::StrCat(exploration.calls()) : absl::StrCat(exploration.seconds(), "s")};
  if (exploration.stop_on_first()) arguments.emplace_back("--stop-on-first");
  for (const std::string& function : asked.selection().functions()) {
    arguments.insert(arguments.end(), {"--fname", function});
  }
  for (const int dtype : asked.selection().dtypes()) {
    arguments.insert(arguments.end(), {"--dtype", std::string(DtypeName(static_cast<Dtype>(dtype)))});
  }
  return arguments;
}

// A health check or a run, as a process of its own.
struct Job {
  std::string run_id;  // empty: a health check
  std::unique_ptr<TemporaryFolder> folder;
  std::optional<Process> process;  // set once it is started
  Descriptor out;                  // of a health check
  Descriptor err;
  std::string out_text;
  std::string err_text;
};

class StandingAgent {
 public:
  StandingAgent(const AgentOptions& options, const StopSignal& stop, std::ostream* out, std::ostream* err)
      : options_(options), stop_(stop), out_(out), err_(err) {}

  ExitCode Run();

 private:
  // The main thread: children.
  void Step();
  void TakeMessages();
  void StartNext();
  absl::Status StartJob(std::vector<std::string> more, const std::string& impl, Job job);
  void StartHealthCheck();
  void StartRun(const v1::Assignment::Run& run);
  absl::StatusOr<std::string> FetchLibrary(const v1::Assignment::Run& run, const TemporaryFolder& folder);
  void WaitForNews();
  void EndJob();
  void EndHealthCheck(const Job& job, const ExitStatus& status);
  void ReportEnd(const std::string& run_id, int exit_code, const std::string& text);
  void StopRun(const std::string& run_id);
  void OnStopSignal();
  void LogLine(const std::string& text) { *out_ << "diopi-agent: " << text << "\n" << std::flush; }

  // Threads of their own: the stream and the heartbeats.
  void HoldStream();
  void BeatHeart();
  void Take(const v1::Assignment& message);
  v1::ServeRequest Presentation();
  bool Pause(milliseconds pause);
  void Wake();

  const AgentOptions& options_;
  const StopSignal& stop_;
  std::ostream* const out_;
  std::ostream* const err_;
  const std::string agent_id_ = NewAgentId();
  std::unique_ptr<rpc::AgentsClient> client_;
  Pipe wake_;  // a byte: there is news for the main thread

  // Used by the main thread only.
  std::unique_ptr<Job> job_;
  std::deque<v1::Assignment::Run> pending_;
  Clock::time_point next_health_ = Clock::now();
  int stops_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<v1::Assignment> messages_;  // from the stream
  v1::ServeRequest presentation_;
  bool ready_ = false;      // the first health check has ended
  bool connected_ = false;  // the server has said welcome
  bool ending_ = false;
  bool beat_now_ = false;
  milliseconds heartbeat_every_{5'000};
  absl::Status refused_;  // for good
};

ExitCode StandingAgent::Run() {
  rpc::ClientOptions client_options;
  client_options.call_deadline = kCallLimit;
  client_options.retry_for = milliseconds(0);  // the stream tells when the server is back
  absl::StatusOr<std::unique_ptr<rpc::AgentsClient>> client =
      rpc::AgentsClient::Make(options_.server, options_.credentials, client_options);
  absl::StatusOr<Pipe> wake = MakePipe();
  if (!client.ok() || !wake.ok()) {
    const absl::Status why = client.ok() ? wake.status() : client.status();
    *err_ << "diopi-agent: " << why.message() << "\n";
    return ExitCodeFor(why);
  }
  client_ = *std::move(client);
  wake_ = *std::move(wake);
  std::thread stream([this] { HoldStream(); });
  std::thread heart([this] { BeatHeart(); });
  while (stops_ == 0 || job_ != nullptr) Step();
  absl::Status refused;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    refused = refused_;
  }
  changed_.notify_all();
  client_->Leave(agent_id_).IgnoreError();
  client_->Cancel();
  stream.join();
  heart.join();
  if (refused.ok()) return ExitCode::kOk;
  *err_ << "diopi-agent: " << refused.message() << "\n";
  return ExitCodeFor(refused);
}

void StandingAgent::Step() {
  TakeMessages();
  StartNext();
  if (stops_ > 0 && job_ == nullptr) return;
  WaitForNews();
}

void StandingAgent::TakeMessages() {
  std::deque<v1::Assignment> messages;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(messages_);
    if (!refused_.ok() && stops_ == 0) OnStopSignal();
  }
  for (v1::Assignment& message : messages) {
    if (message.has_run()) {
      const std::string& id = message.run().run_id();
      const bool known = (job_ != nullptr && job_->run_id == id) ||
                         std::any_of(pending_.begin(), pending_.end(),
                                     [&id](const v1::Assignment::Run& run) { return run.run_id() == id; });
      if (!known && stops_ == 0) pending_.push_back(std::move(*message.mutable_run()));
    } else if (message.what_case() == v1::Assignment::kStopRun) {
      StopRun(message.stop_run());
    }
  }
}

void StandingAgent::StopRun(const std::string& run_id) {
  std::erase_if(pending_, [&run_id](const v1::Assignment::Run& run) { return run.run_id() == run_id; });
  if (job_ == nullptr || job_->run_id != run_id) return;
  LogLine(absl::StrCat("Run ", run_id, ": stopped by the server"));
  job_->process->Signal(SIGTERM);
}

void StandingAgent::StartNext() {
  if (job_ != nullptr || stops_ > 0) return;
  if (!pending_.empty()) {
    const v1::Assignment::Run run = std::move(pending_.front());
    pending_.pop_front();
    StartRun(run);
  } else if (Clock::now() >= next_health_) {
    StartHealthCheck();
  }
  const std::lock_guard lock(mutex_);
  presentation_.set_run_id(job_ != nullptr     ? job_->run_id
                           : !pending_.empty() ? pending_.front().run_id()
                                               : std::string());
}

absl::Status StandingAgent::StartJob(std::vector<std::string> more, const std::string& impl, Job job) {
  ASSIGN_OR_RETURN(Pipe err, MakePipe());
  ASSIGN_OR_RETURN(Pipe out, MakePipe());
  ProcessOptions child;
  child.command = {ProgramBeside("diopi-agent")};
  for (std::string& argument : ArgumentsForChildren(options_.arguments)) {
    child.command.push_back(std::move(argument));
  }
  child.command.insert(child.command.end(), {"--impl", impl, "--parent", absl::StrCat(getpid())});
  for (std::string& argument : more) child.command.push_back(std::move(argument));
  child.descriptors = {{err.write.get(), STDERR_FILENO}};
  if (job.run_id.empty()) child.descriptors.emplace_back(out.write.get(), STDOUT_FILENO);
  if (!options_.credentials.token.empty()) {  // which has left our environment
    child.environment.push_back("DIOPI_TOKEN=" + options_.credentials.token);
  }
  child.own_group = true;  // Ctrl-C is ours to hand on
  ASSIGN_OR_RETURN(job.process, Process::Start(child));
  job.err = std::move(err.read);
  if (job.run_id.empty()) job.out = std::move(out.read);
  job_ = std::make_unique<Job>(std::move(job));
  return absl::OkStatus();
}

void StandingAgent::StartHealthCheck() {
  next_health_ = Clock::now() + milliseconds(static_cast<int64_t>(options_.health_every_s * 1000));
  const absl::Status started = StartJob({"--health-check"}, options_.impl_path, Job());
  if (!started.ok()) *err_ << "diopi-agent: no health check: " << started.message() << "\n";
}

absl::StatusOr<std::string> StandingAgent::FetchLibrary(const v1::Assignment::Run& run,
                                                        const TemporaryFolder& folder) {
  if (run.submission().upload_name().empty()) return options_.impl_path;
  if (!options_.impl_upload) {
    return absl::InvalidArgumentError(
        "this agent does not accept uploaded libraries: it was started without --impl-upload");
  }
  std::string path = absl::StrCat(folder.path(), "/libdiopi_impl.so");
  RETURN_IF_ERROR(client_->FetchImpl(run.run_id(), path));
  ASSIGN_OR_RETURN(const std::string sha256, Sha256OfFile(path));
  if (sha256 == run.submission().upload_sha256()) return path;
  return absl::DataLossError(absl::StrCat("the uploaded library was damaged in transit: its SHA-256 is ",
                                          sha256, ", expected ", run.submission().upload_sha256()));
}

void StandingAgent::StartRun(const v1::Assignment::Run& run) {
  Job job;
  job.run_id = run.run_id();
  absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder.ok()) {
    return ReportEnd(run.run_id(), static_cast<int>(ExitCodeFor(folder.status())),
                     std::string(folder.status().message()));
  }
  job.folder = std::make_unique<TemporaryFolder>(*std::move(folder));
  const absl::StatusOr<std::string> impl = FetchLibrary(run, *job.folder);
  if (!impl.ok()) {
    const auto code = static_cast<int>(ExitCodeFor(impl.status()));
    return ReportEnd(run.run_id(), code, std::string(impl.status().message()));
  }
  const v1::RunOptions& asked = run.options();
  const std::string results = options_.report_folder.empty() ? job.folder->path() : options_.report_folder;
  std::vector<std::string> more =
      asked.has_exploration() ? ExplorationArguments(run, absl::StrCat(results, "/", run.run_id()))
                              : std::vector<std::string>{"--resume", run.run_id(), "--error-report",
                                                         absl::StrCat(results, "/", run.run_id(), ".csv")};
  more.emplace_back("--quiet");
  more.insert(more.end(),
              {"--timeout-s", absl::StrCat(asked.timeout_s() > 0 ? asked.timeout_s() : options_.timeout_s)});
  more.insert(more.end(), {"--repeat", absl::StrCat(asked.repeat() > 0 ? asked.repeat() : options_.repeat)});
  for (const std::string& contract : asked.contracts()) more.insert(more.end(), {"--contract", contract});
  const absl::Status started = StartJob(std::move(more), *impl, std::move(job));
  if (!started.ok()) return ReportEnd(run.run_id(), 3, std::string(started.message()));
  LogLine(absl::StrCat("Run ", run.run_id(), ": begun"));
}

void StandingAgent::WaitForNews() {
  std::vector<pollfd> wait_for = {{stop_.descriptor(), POLLIN, 0}, {wake_.read.get(), POLLIN, 0}};
  if (job_ != nullptr) {
    // poll leaves descriptors of -1 out: a pipe that has ended.
    wait_for.push_back({job_->process->descriptor(), POLLIN, 0});
    wait_for.push_back({job_->err.get(), POLLIN, 0});
    wait_for.push_back({job_->out.get(), POLLIN, 0});
  }
  const int limit = job_ != nullptr ? -1 : MillisecondsUntil(next_health_);
  if (poll(wait_for.data(), wait_for.size(), limit) <= 0) return;
  if (wait_for[0].revents != 0 && stop_.Take() != 0) OnStopSignal();
  if (wait_for[1].revents != 0) {
    std::array<char, 64> ignored{};
    (void)!read(wake_.read.get(), ignored.data(), ignored.size());
  }
  if (job_ == nullptr || wait_for.size() < 5) return;
  if (wait_for[3].revents != 0) {
    const size_t before = job_->err_text.size();
    Drain(&job_->err, &job_->err_text);
    *err_ << job_->err_text.substr(before) << std::flush;
    if (job_->err_text.size() > kTail) job_->err_text.erase(0, job_->err_text.size() - kTail);
  }
  if (wait_for[4].revents != 0) Drain(&job_->out, &job_->out_text);
  // Only when all that it said has been read, unless a grandchild keeps the pipe open.
  if (wait_for[2].revents != 0 && wait_for[3].revents == 0 && wait_for[4].revents == 0) EndJob();
}

void StandingAgent::EndJob() {
  const std::unique_ptr<Job> job = std::move(job_);
  const ExitStatus status = job->process->Wait();
  if (job->run_id.empty()) {
    EndHealthCheck(*job, status);
  } else {
    LogLine(absl::StrCat("Run ", job->run_id, ": ended with ", status.Text()));
    const int code = status.signal != 0 ? static_cast<int>(ExitCode::kOurs) : status.code;
    const std::string said = LastLine(job->err_text);
    ReportEnd(job->run_id, code, said.empty() ? absl::StrCat("it ended with ", status.Text()) : said);
    next_health_ = Clock::now();
  }
}

void StandingAgent::ReportEnd(const std::string& run_id, int exit_code, const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    presentation_.set_run_id("");
    if (!connected_) return;  // the next registration says it
  }
  v1::EndAssignmentRequest request;
  request.set_agent_id(agent_id_);
  request.set_run_id(run_id);
  request.set_exit_code(exit_code);
  request.set_text(text);
  // If the message is lost, the server would wait for ever: a new stream sends it again.
  if (!client_->EndAssignment(request).ok()) client_->EndServe();
}

void StandingAgent::EndHealthCheck(const Job& job, const ExitStatus& status) {
  v1::ServeRequest seen;
  if (status.signal != 0 || status.code != 0 || !seen.ParseFromString(job.out_text)) {
    const std::string said = LastLine(job.err_text);
    v1::AgentHealth& health = *seen.mutable_health();
    health.set_ok(false);
    *health.mutable_found() = Found(v1::Finding::HEALTH_ENDED).Got(status.Text()).Said(said);
    health.set_text(FindingText(health.found()));
  }
  if (stops_ > 0) return;
  {
    const std::lock_guard lock(mutex_);
    const v1::AgentHealth& health = seen.health();
    const bool reported = ready_ && presentation_.health().ok() == health.ok() &&
                          presentation_.health().text() == health.text();
    *presentation_.mutable_health() = health;
    v1::AgentFacts& facts = *presentation_.mutable_facts();
    if (seen.has_facts()) facts = seen.facts();
    facts.set_agent_id(agent_id_);
    facts.set_chip(options_.chip);
    facts.set_host(HostName());
    facts.set_agent_version(DIOPI_VERSION);
    facts.set_takes_uploads(options_.impl_upload);
    if (!reported)
      LogLine(absl::StrCat(health.ok() ? "healthy: " : "failing its health check: ", health.text()));
    ready_ = true;
    beat_now_ = true;
  }
  changed_.notify_all();
}

// Called with or without the lock.
void StandingAgent::OnStopSignal() {
  ++stops_;
  if (job_ == nullptr) return;
  const bool polite = stops_ == 1 && !job_->run_id.empty();
  job_->process->Signal(polite ? SIGTERM : SIGKILL);
}

void StandingAgent::Wake() {
  const char byte = 0;
  (void)!write(wake_.write.get(), &byte, 1);
}

v1::ServeRequest StandingAgent::Presentation() {
  const std::lock_guard lock(mutex_);
  return presentation_;
}

// False when it is time to end.
bool StandingAgent::Pause(milliseconds pause) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, pause, [this] { return ending_; });
}

void StandingAgent::HoldStream() {
  {
    std::unique_lock lock(mutex_);
    WaitUntil(&changed_, &lock, [this] { return ready_ || ending_; });
  }
  std::minstd_rand jitter(std::random_device{}());
  milliseconds pause = kFirstPause;
  bool reported = false;
  bool ever = false;
  for (;;) {
    const absl::Status ended =
        client_->Serve(Presentation(), [this](const v1::Assignment& message) { Take(message); });
    bool was_connected = false;
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
      was_connected = std::exchange(connected_, false);
      const bool for_good = absl::IsInvalidArgument(ended) || absl::IsPermissionDenied(ended) ||
                            absl::IsUnauthenticated(ended) || absl::IsUnimplemented(ended);
      if (for_good && !was_connected && !ever) {
        refused_ = ended;
        Wake();
        return;
      }
    }
    ever = ever || was_connected;
    if (was_connected) {
      pause = kFirstPause;
      reported = false;
    }
    if (!std::exchange(reported, true)) {
      *err_ << absl::StrCat("diopi-agent: lost the connection to the server, reconnecting: ", ended.message(),
                            "\n")
            << std::flush;
    }
    // Not all agents at once.
    if (!Pause(pause / 2 + milliseconds(jitter() % static_cast<uint64_t>(pause.count() / 2 + 1)))) return;
    pause = std::min(pause * 2, kLongestPause);
    client_->WaitForServer(pause);
  }
}

void StandingAgent::Take(const v1::Assignment& message) {
  {
    const std::lock_guard lock(mutex_);
    if (message.has_welcome()) {
      connected_ = true;
      heartbeat_every_ = std::max(
          milliseconds(static_cast<int64_t>(message.welcome().heartbeat_every_s() * 1000)), milliseconds(1));
      LogLine(absl::StrCat("waiting for runs as ", agent_id_, " for chip ", options_.chip, " at ",
                           options_.server));
    } else {
      messages_.push_back(message);
    }
  }
  changed_.notify_all();
  Wake();
}

void StandingAgent::BeatHeart() {
  std::string reported_library;
  for (;;) {
    v1::HeartbeatRequest request;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, heartbeat_every_, [this] { return ending_ || (beat_now_ && connected_); });
      if (ending_) return;
      if (!connected_) continue;
      beat_now_ = false;
      *request.mutable_health() = presentation_.health();
      if (std::exchange(reported_library, presentation_.facts().impl_sha256()) != reported_library) {
        *request.mutable_facts() = presentation_.facts();
      }
    }
    request.set_agent_id(agent_id_);
    const absl::StatusOr<v1::HeartbeatResponse> heard = client_->Heartbeat(request);
    // Forgotten, or no answer on a connection that looks alive: a new stream settles it.
    if (!heard.ok() || !heard->known()) client_->EndServe();
  }
}

}  // namespace

absl::Status CheckServeOptions(const AgentOptions& options) {
  if (options.server.empty() || options.chip.empty()) {
    return absl::InvalidArgumentError("--serve needs --server ADDRESS and --chip NAME");
  }
  const SelectionArguments& selection = options.selection;
  const bool selects = !selection.functions.empty() || !selection.cases.empty() ||
                       !selection.dtypes.empty() || !selection.filter_dtypes.empty() ||
                       !selection.suite.empty() || !selection.models.empty();
  // A profile may declare some.
  const bool asks_contracts =
      static_cast<int>(options.contracts.size()) > options.profile.rules().contract_size();
  if (selects || asks_contracts || !options.resume.empty() || options.shuffle != 0 ||
      options.shard_count > 0) {
    return absl::InvalidArgumentError(
        "diopi-cli submit decides what a standing agent runs: omit --fname, --case, --suite, --model, "
        "--dtype, "
        "--filter-dtype, --contract, --resume, --join, --shuffle and --shard-count");
  }
  return absl::OkStatus();
}

ExitCode Serve(const AgentOptions& options, const StopSignal& stop, std::ostream* out, std::ostream* err) {
  StandingAgent agent(options, stop, out, err);
  return agent.Run();
}

}  // namespace diopi::agent
