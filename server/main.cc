// diopi-server: serves cases and references, hands out work, stores verdicts; checks and backs up what it
// keeps.
//
// Whatever can be wrong with options and files is found before "ready" is written. Every thread blocks the
// signals; the main thread alone waits for them with sigwait, so no code runs in a signal handler. The first
// signal shuts down within --grace-s, the second ends the wait for agents, and HardEnd ends the process even
// if a call hangs.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "cases/base/descriptor.h"
#include "cases/base/openssl_exit.h"
#include "cases/base/printable_stream.h"
#include "cases/base/private_process.h"
#include "cases/user/user_cases.h"
#include "client/command_line/command_line.h"
#include "client/command_line/options.h"
#include "server/maintenance/backup.h"
#include "server/maintenance/check.h"
#include "server/program/config_file.h"
#include "server/program/hard_end.h"
#include "server/program/serve_http.h"
#include "server/rpc/address.h"
#include "server/rpc/server.h"
#include "server/security/authorizer.h"
#include "server/security/token_file.h"
#include "server/store/chip_name.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

constexpr char kExamples[] =
    "  diopi-server --data DIR --listen 127.0.0.1:7410 --http 127.0.0.1:7411\n"
    "  diopi-server --config /etc/diopi/server.toml\n"
    "  diopi-server token add --data DIR --name ci --role run --expires 90d\n"
    "  diopi-server backup --data DIR --to COPY\n"
    "  diopi-server check --data DIR\n";

struct Flags {
  std::string to;                         // backup --to
  std::string data;                       // --data
  std::string cases;                      // --cases; empty: the operators built in alone
  std::string listen = "127.0.0.1:7410";  // --listen
  double lease_s = 30;                    // --lease-s
  double batch_s = 2;                     // --batch-s
  std::string http;                       // --http; empty: none
  bool http_remote = false;               // --http-remote
  std::vector<std::string> http_hosts;    // --http-host
  int max_connections = 1024;             // --max-connections
  bool behind_proxy = false;              // --behind-proxy
  double grace_s = 5;                     // --grace-s
  double slow_call_s = 1;                 // --slow-call-s
  double agent_lost_s = 20;               // --agent-lost-s
  int max_upload_mib = 512;               // --max-upload-mib
  int max_owner_upload_mib = 16384;       // --max-owner-upload-mib
  int max_open_runs = 1000;               // --max-open-runs
  int max_owner_results_mib = 16384;      // --max-owner-results-mib
  double reap_after_h = 24;               // --reap-after-h
  std::string log_level = "info";         // --log-level
  std::string log_format = "logfmt";      // --log-format
  TlsFiles tls;                           // --tls-cert --tls-key --tls-client-ca
  bool insecure = false;                  // --insecure
  bool require_token = false;             // --require-token
  std::string token_name;                 // token --name
  std::string token_role;                 // token add --role
  std::string token_expires;              // token add --expires; empty: never
  std::vector<std::string> token_chips;   // token add --chip
  bool parent_pid_death = false;          // --parent-pid-death
  int ready_fd = -1;                      // --ready-fd; -1: none
  int secret_fd = -1;                     // --secret-fd; -1: none
};

// How much longer than --grace-s a server may take to end.
constexpr absl::Duration kEndsWithin = absl::Seconds(3);
constexpr absl::Duration kOwnServerChecksFor = absl::Milliseconds(200);

const std::vector<std::string> kLogLevels = {"trace", "debug", "info", "warn", "error", "off"};
const std::vector<std::string> kLogFormats = {"logfmt", "json"};

void AddAddressFlags(CLI::App* app, Flags* flags) {
  Heading("Addresses", app);
  app->add_option("--listen", flags->listen,
                  "Address to listen on: HOST:PORT (port 0: any free port) or unix:PATH")
      ->capture_default_str();
  app->add_flag("--behind-proxy", flags->behind_proxy,
                "Clients reach --listen through a proxy: do not limit traffic per address");
  app->add_option(
      "--http", flags->http,
      "HOST:PORT of the dashboards, /metrics, /healthz and /readyz (port 0: any free port); HTTPS with "
      "--tls-cert (default: none)");
  app->add_flag("--http-remote", flags->http_remote, "Allow --http to be an address other than loopback");
  app->add_option("--http-host", flags->http_hosts,
                  "Host name by which browsers may reach --http without TLS, in addition to addresses, "
                  "localhost and this machine's name; may be repeated; '*' allows any");
}

void AddSecurityFlags(CLI::App* app, Flags* flags) {
  Heading(kSecurityHeading, app);
  app->add_option("--tls-cert", flags->tls.certificate, "Certificate chain of the server, PEM")
      ->envname("DIOPI_TLS_CERT");
  app->add_option("--tls-key", flags->tls.key, "Private key of the server, PEM")->envname("DIOPI_TLS_KEY");
  app->add_option("--tls-client-ca", flags->tls.ca,
                  "Require client certificates signed by this authority, PEM (mutual TLS)");
  app->add_flag("--insecure", flags->insecure,
                "Serve without encryption on an address that other machines can reach");
  app->add_flag("--require-token", flags->require_token, "Require tokens even before the first one is made");
}

void AddLimitFlags(CLI::App* app, Flags* flags) {
  Heading("Limits", app);
  app->add_option("--max-connections", flags->max_connections, "Limit on connections to --listen at a time")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  app->add_option("--lease-s", flags->lease_s,
                  "Seconds of silence after which an agent's cases are given to another")
      ->check(CLI::Range(0.01, 86400.0))
      ->capture_default_str();
  app->add_option(
         "--batch-s", flags->batch_s,
         "Seconds of work in a batch, by the agent's measured speed; 0: as many cases as the agent asks for")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  app->add_option("--grace-s", flags->grace_s,
                  "Seconds to wait for calls in flight and agents with leases after SIGTERM or SIGINT; a "
                  "second signal ends the wait for agents")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  app->add_option("--slow-call-s", flags->slow_call_s, "Seconds after which a call is logged as slow")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  app->add_option("--agent-lost-s", flags->agent_lost_s,
                  "Seconds of silence after which a standing agent counts as lost")
      ->check(CLI::Range(0.01, 86400.0))
      ->capture_default_str();
  app->add_option("--max-upload-mib", flags->max_upload_mib,
                  "Largest library, in MiB, that diopi-cli submit may upload")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  app->add_option("--max-owner-upload-mib", flags->max_owner_upload_mib,
                  "Limit in MiB on the libraries uploaded for one token's open runs; 0: no limit")
      ->check(CLI::Range(0, 1 << 24))
      ->capture_default_str();
  app->add_option("--max-open-runs", flags->max_open_runs,
                  "Limit on queued and running runs per token; 0: no limit")
      ->check(CLI::Range(0, 1 << 24))
      ->capture_default_str();
  app->add_option("--max-owner-results-mib", flags->max_owner_results_mib,
                  "MiB of stored results from which a token cannot start new runs; 0: no limit")
      ->check(CLI::Range(0, 1 << 24))
      ->capture_default_str();
  app->add_option("--reap-after-h", flags->reap_after_h,
                  "Hours after which a run whose agents are gone is aborted; --resume continues it; 0: never")
      ->check(CLI::Range(0.0, 87600.0))
      ->capture_default_str();
}

void AddProgramFlags(CLI::App* app, Flags* flags) {
  Heading("For programs that start the server", app);
  app->add_option("--ready-fd", flags->ready_fd,
                  "Write \"ready ADDRESS\" and a newline to this open descriptor when serving; before, while "
                  "it migrates "
                  "an older database, lines \"busy TEXT\"")
      ->check(CLI::Range(0, 1 << 20))
      ->configurable(false);
  app->add_option(
         "--secret-fd", flags->secret_fd,
         "Read a secret from this open descriptor, up to its end; calls over a Unix socket must send it as "
         "their token")
      ->check(CLI::Range(0, 1 << 20))
      ->configurable(false);
  app->add_flag("--parent-pid-death", flags->parent_pid_death,
                "End when the process that started this one ends")
      ->configurable(false);
}

void AddFlags(CLI::App* app, Flags* flags) {
  Heading("What is served", app);
  AddDataOption(app, &flags->data);
  AddCasesOption(app, &flags->cases);
  AddAddressFlags(app, flags);
  AddSecurityFlags(app, flags);
  AddLimitFlags(app, flags);
  Heading("Log", app);
  app->add_option("--log-format", flags->log_format, "Log format")
      ->check(CLI::IsMember(kLogFormats))
      ->capture_default_str();
  app->add_option("--log-level", flags->log_level, "Least severe messages to log on standard error")
      ->check(CLI::IsMember(kLogLevels))
      ->capture_default_str();
  AddProgramFlags(app, flags);
  Heading("What is served", app);
  AddConfigFile(app);
  ShowFirst({"--data", "--listen", "--http", "--http-host", "--tls-cert", "--tls-key", "--require-token",
             "--grace-s", "--log-level", "--config"},
            app);
}

struct Subcommands {
  CLI::App* check = nullptr;
  CLI::App* backup = nullptr;
  CLI::App* token_add = nullptr;
  CLI::App* token_list = nullptr;
  CLI::App* token_revoke = nullptr;
};

void AddTokenCommands(CLI::App* app, Flags* flags, Subcommands* commands) {
  CLI::App* token = app->add_subcommand("token", "Manage the access tokens of this server");
  commands->token_add = token->add_subcommand("add", "Make a token and print it; it cannot be printed again");
  commands->token_list = token->add_subcommand("list", "List the tokens with their names, roles and dates");
  commands->token_revoke = token->add_subcommand("revoke", "Revoke a token");
  token->require_subcommand(1);
  for (CLI::App* command : {commands->token_add, commands->token_list, commands->token_revoke}) {
    Heading("Options", command);
    AddDataOption(command, &flags->data);
    if (command == commands->token_list) continue;
    command->add_option("--name", flags->token_name, "Name of the token's owner: a user or an agent")
        ->required();
  }
  commands->token_add->add_option("--role", flags->token_role, "read, run or admin")->required();
  commands->token_add->add_option("--expires", flags->token_expires,
                                  "When the token expires: days (90d), hours (12h) or its last day "
                                  "(2027-01-31, UTC) (default: never)");
  commands->token_add
      ->add_option("--chip", flags->token_chips,
                   "Reserves this chip: only tokens with it, and admin, may then register agents and start "
                   "runs for the chip; anyone may submit runs to its agents; may be repeated")
      ->check([](const std::string& name) { return std::string(CheckChipName(name).message()); });
}

Subcommands AddSubcommands(CLI::App* app, Flags* flags) {
  Subcommands commands;
  commands.check = app->add_subcommand("check", "Verify every baseline file and every row of the database");
  commands.backup = app->add_subcommand("backup", "Copy the data folder, even while a server is using it");
  for (CLI::App* command : {commands.check, commands.backup}) {
    Heading("Options", command);
    AddDataOption(command, &flags->data);
  }
  commands.backup->add_option("--to", flags->to, "Folder for the copy, which must not exist yet")->required();
  AddTokenCommands(app, flags, &commands);
  app->require_subcommand(0, 1);
  return commands;
}

// main waits for signals. Threads inherit the mask, so this must run before the first one starts.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

// False when the parent is gone already.
bool DieWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return getppid() == parent;
}

// Reads until the process that started the server closes its end. Empty when nothing was sent.
std::string ReadSecret(int fd) {
  std::string secret;
  char piece[256];
  for (;;) {
    const ssize_t count = read(fd, piece, sizeof(piece));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    secret.append(piece, static_cast<size_t>(count));
  }
  if (fd > STDERR_FILENO) close(fd);
  return secret;
}

// False when nobody reads the descriptor: the process that asked for it is gone.
bool ReportReady(int fd, const std::string& address, const std::string& http) {
  const bool written = WriteAll(fd, "ready " + address + "\n" + (http.empty() ? "" : "http " + http + "\n"));
  if (fd > STDERR_FILENO) close(fd);
  return written;
}

int Fault(const absl::Status& status) {
  std::fprintf(stderr, "diopi-server: %s\n", PrintableMessage(std::string(status.message())).c_str());
  return static_cast<int>(ExitCodeFor(status));
}

const char* SignalName(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGHUP ? "SIGHUP" : "SIGTERM";
}

// Warns if clients on other machines can start runs and read results without a token.
void WarnIfOpen(const std::string& address, const std::string& option, ConformanceServer* server) {
  const absl::StatusOr<Address> parsed = ParseAddress(address);
  if (!parsed.ok() || parsed->is_unix || IsLoopback(parsed->host)) return;
  if (!server->authorizer().Check("", Role::kRead).ok()) return;  // tokens are required
  Log(LogLevel::kWarn, "open_to_everybody",
      {{"option", option},
       {"address", address},
       {"text",
        "no token is required: make one with diopi-server token add, or start with --require-token"}});
}

// Allows one standing server per data folder, because leases and uploads belong to one server. An agent's own
// server, which ends with the agent, may work beside it. The descriptor holds the lock; -1: the folder cannot
// be locked, or need not be.
absl::StatusOr<int> LockDataFolder(const std::string& folder, bool standing) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error)) {
    return absl::InvalidArgumentError(folder + " is a file; --data takes a folder");
  }
  if (!standing) return -1;
  std::filesystem::create_directories(folder, error);
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(fd);
    return absl::UnavailableError("another diopi-server serves " + folder);
  }
  return fd;
}

// Whether this process has a terminal, which the kernel takes away when the terminal ends.
bool HasTerminal() {
  return Descriptor(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).valid();
}

// Waits for a signal to end, and reloads at each SIGHUP before it. With `on_terminal`, a SIGHUP that says
// that the terminal has ended is a signal to end.
int AwaitEnd(const sigset_t& signals, bool on_terminal, const std::function<void()>& reload) {
  int signal = 0;
  while (sigwait(&signals, &signal) == 0 && signal == SIGHUP && !(on_terminal && !HasTerminal())) reload();
  return signal;
}

// Returns when a signal has come and the server has ended. From the signal on, `hard_end` limits how long the
// process lives.
void ServeUntilSignal(const sigset_t& signals, const Flags& flags, pid_t parent, ConformanceServer* server,
                      HttpServer* http, std::unique_ptr<HardEnd>* hard_end) {
  const bool on_terminal = HasTerminal();
  const int signal = AwaitEnd(signals, on_terminal, [&] { Reload(flags.tls, server, http); });
  Log(LogLevel::kInfo, "stopping", {{"signal", SignalName(signal)}});
  *hard_end = std::make_unique<HardEnd>(absl::Seconds(flags.grace_s) + kEndsWithin);
  // The process that started this server for itself is gone, so nobody will report.
  if (flags.parent_pid_death && getppid() != parent) server->AbandonLeases();
  std::thread impatience([&signals, on_terminal, server] {
    AwaitEnd(signals, on_terminal, [] {});
    server->AbandonLeases();
  });
  (*hard_end)->Enter("calls of agents and clients");
  server->Shutdown(absl::Seconds(flags.grace_s));
  kill(getpid(), SIGTERM);  // every thread blocks it, so the one that waits gets it
  impatience.join();
}

int Serve(const Flags& flags) {
  const pid_t parent = getppid();
  const sigset_t signals = BlockSignals();
  if (flags.parent_pid_death && !DieWithParent(parent))
    return Fault(absl::UnavailableError("the parent process has ended"));
  if (flags.ready_fd >= 0 && fcntl(flags.ready_fd, F_GETFD) < 0) {
    return Fault(absl::InvalidArgumentError("--ready-fd " + std::to_string(flags.ready_fd) +
                                            " is not an open descriptor"));
  }
  const absl::StatusOr<int> lock = LockDataFolder(flags.data, !flags.parent_pid_death);
  if (!lock.ok()) return Fault(lock.status());
  ServerOptions options;
  std::error_code ignored;
  options.data_folder = std::filesystem::absolute(flags.data, ignored).lexically_normal().string();
  options.answer = AnswersFrom(options.data_folder);
  options.listen = flags.listen;
  options.lease = absl::Seconds(flags.lease_s);
  options.batch = absl::Seconds(flags.batch_s);
  options.slow_call = absl::Seconds(flags.slow_call_s);
  options.agent_lost = absl::Seconds(flags.agent_lost_s);
  if (!flags.cases.empty()) {
    const auto checked = cases::LoadCatalog(flags.cases);  // report wrong files now, not at the first run
    if (!checked.ok()) return Fault(absl::InvalidArgumentError(checked.status().message()));
    options.catalog = [folder = flags.cases] { return cases::LoadCatalog(folder); };
    options.cases_folder = std::filesystem::absolute(flags.cases, ignored).lexically_normal().string();
  }
  options.tls = flags.tls;
  options.insecure = flags.insecure;
  options.door.connections = flags.max_connections;
  options.door.count_addresses = !flags.behind_proxy;
  // An agent waits for its own server.
  if (flags.parent_pid_death) options.check_for = kOwnServerChecksFor;
  options.require_token = flags.require_token;
  if (flags.secret_fd >= 0) {
    options.secret = ReadSecret(flags.secret_fd);
    if (options.secret.empty())
      return Fault(absl::InvalidArgumentError("--secret-fd: the descriptor holds no secret"));
  }
  options.max_upload_bytes = int64_t{flags.max_upload_mib} << 20;
  options.max_owner_upload_bytes = int64_t{flags.max_owner_upload_mib} << 20;
  options.quota = {flags.max_open_runs, int64_t{flags.max_owner_results_mib} << 20};
  options.reap_after = absl::Hours(flags.reap_after_h);
  if (flags.ready_fd >= 0)
    options.on_progress = [fd = flags.ready_fd](const std::string& text) {
      WriteAll(fd, "busy " + text + "\n");
    };
  std::unique_ptr<HardEnd> hard_end;  // outlives the server, whose database takes time to close
  const absl::StatusOr<std::unique_ptr<ConformanceServer>> server = ConformanceServer::Start(options);
  if (!server.ok()) return Fault(server.status());
  const absl::StatusOr<std::unique_ptr<HttpServer>> http = ServeHttp(
      {flags.http, flags.http_remote, flags.http_hosts, flags.tls, options.data_folder}, server->get());
  if (!http.ok()) return Fault(http.status());
  const std::string http_address = *http == nullptr ? "" : (*http)->address();
  Log(LogLevel::kInfo, "serving",
      {{"address", (*server)->address()},
       {"http", http_address},
       {"data", options.data_folder},
       {"version", DIOPI_VERSION}});
  WarnIfOpen((*server)->address(), "--listen", server->get());
  if (!http_address.empty()) WarnIfOpen(http_address, "--http", server->get());
  if (flags.ready_fd >= 0 && !ReportReady(flags.ready_fd, (*server)->address(), http_address)) {
    return Fault(absl::UnavailableError(
        "no process reads from --ready-fd: the process that started this server has ended"));
  }
  ServeUntilSignal(signals, flags, parent, server->get(), http->get(), &hard_end);
  hard_end->Enter("pages");
  if (*http != nullptr) (*http)->Stop();
  hard_end->Enter("closing the database");
  Log(LogLevel::kInfo, "stopped", {});
  return 0;
}

int Check(const Flags& flags) {
  const absl::StatusOr<CheckReport> report = CheckDataFolder(flags.data);
  if (!report.ok()) return Fault(report.status());
  for (const std::string& problem : report->problems) std::printf("%s\n", PrintableLine(problem).c_str());
  std::printf(
      "checked %lld runs with %lld verdicts, %lld baseline files with %lld cases (%lld quarantined) and %lld "
      "tensors: %zu problems\n",
      static_cast<long long>(report->runs), static_cast<long long>(report->results),
      static_cast<long long>(report->files), static_cast<long long>(report->cases),
      static_cast<long long>(report->quarantined), static_cast<long long>(report->tensors),
      report->problems.size());
  return static_cast<int>(report->problems.empty() ? ExitCode::kOk : ExitCode::kFailed);
}

int Backup(const Flags& flags) {
  const absl::StatusOr<BackupReport> report = BackUp(flags.data, flags.to);
  if (!report.ok()) return Fault(report.status());
  std::printf("%s: %s and %lld other files, %lld bytes\n", flags.to.c_str(),
              report->database ? "the database" : "no database", static_cast<long long>(report->files),
              static_cast<long long>(report->bytes));
  if (report->database) {
    std::printf("verified: the database's copy is whole and has all %lld rows\n",
                static_cast<long long>(report->rows));
  }
  return 0;
}

int TokenAdd(const Flags& flags) {
  const absl::StatusOr<Role> role = ParseRole(flags.token_role);
  if (!role.ok()) return Fault(role.status());
  const absl::StatusOr<absl::Time> expires = ParseExpiry(flags.token_expires, absl::Now());
  if (!expires.ok()) return Fault(expires.status());
  const absl::StatusOr<std::string> token =
      AddToken(flags.data, flags.token_name, *role, *expires, flags.token_chips);
  if (!token.ok()) return Fault(token.status());
  std::printf("%s\n", token->c_str());
  return 0;
}

int TokenList(const Flags& flags) {
  const auto records = ReadTokens(TokenPath(flags.data));
  if (absl::IsNotFound(records.status())) return 0;
  if (!records.ok()) return Fault(records.status());
  for (const TokenRecord& record : *records) {
    std::printf("%-20s %-5s %s  %s %s", PrintableLine(record.name).c_str(), RoleWord(record.role).c_str(),
                PrintableLine(record.created).c_str(), record.expires <= absl::Now() ? "expired" : "expires",
                ExpiryText(record.expires).c_str());
    for (const std::string& chip : record.chips) std::printf("  chip '%s'", PrintableLine(chip).c_str());
    std::printf("\n");
  }
  return 0;
}

int TokenRevoke(const Flags& flags) {
  const absl::Status status = RevokeToken(flags.data, flags.token_name);
  return status.ok() ? 0 : Fault(status);
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Serves the cases of the DIOPI conformance suite and stores the verdicts. Without a subcommand it "
      "serves until SIGTERM or SIGINT.",
      "diopi-server");
  DescribeProgram(DIOPI_VERSION, kExamples, &app);
  Flags flags;
  flags.tls.ca_flag = "--tls-client-ca";
  AddFlags(&app, &flags);
  const Subcommands commands = AddSubcommands(&app, &flags);
  const std::optional<ExitCode> leave = ParseCommandLine(NormalizeArguments(argc, argv), &app);
  if (leave.has_value()) return static_cast<int>(*leave);
  if (commands.check->parsed()) return Check(flags);
  if (commands.backup->parsed()) return Backup(flags);
  if (commands.token_add->parsed()) return TokenAdd(flags);
  if (commands.token_list->parsed()) return TokenList(flags);
  if (commands.token_revoke->parsed()) return TokenRevoke(flags);
  StartLog(flags.log_format == "json" ? LogFormat::kJson : LogFormat::kLogfmt, flags.log_level);
  return Serve(flags);
}

}  // namespace
}  // namespace diopi::server

int main(int argc, char** argv) {
  // The libraries below may throw (out of memory, CLI11's own setup); nothing of ours does.
  diopi::MakeProcessPrivate();
  diopi::KeepOpenSslUntilProcessEnds();
  const diopi::PrintableStreams printable;
  try {
    const int code = diopi::server::Main(argc, argv);
    if (code != 0 || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return code;
    std::fputs("diopi-server: standard output cannot be written\n", stderr);
    return static_cast<int>(diopi::ExitCode::kEnvironment);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "diopi-server: %s\n", error.what());
    return static_cast<int>(diopi::ExitCode::kOurs);
  }
}
