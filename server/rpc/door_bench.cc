// What a client with a token gets from a diopi-server while somebody without one abuses it
// (attack_testing.h): calls a second, their latency, how often a new connection gets its first call answered
// within a second, and the server's largest memory. A server of its own for every attack, with TLS and
// without; the attacker has an address of its own, and with "shared" the client's. Usage: door_bench [SECONDS
// [ATTACK|shared|plain|tls|log ...]]
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cases/base/read_file.h"
#include "cases/base/test_folder.h"
#include "diopi/v1/service.grpc.pb.h"
#include "server/door/attack_testing.h"
#include "server/rpc/program_testing.h"
#include "server/security/certificates_testing.h"
#include "server/security/token_file.h"

namespace diopi::server {
namespace {

using Clock = std::chrono::steady_clock;

double MiB(pid_t pid, const std::string& figure) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(figure)) return std::stod(line.substr(figure.size() + 1)) / 1024;
  }
  return -1;
}

// A client that calls all the time.
class Client {
 public:
  Client(const std::string& address, std::shared_ptr<grpc::ChannelCredentials> credentials, std::string token)
      : address_(address), credentials_(std::move(credentials)), token_(std::move(token)), stub_(Connect()) {}

  // Milliseconds; negative: no answer within a second.
  double Call() { return Call(*stub_); }
  double CallAnew() { return Call(*Connect()); }

 private:
  std::unique_ptr<v1::Conformance::Stub> Connect() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
    return v1::Conformance::NewStub(grpc::CreateCustomChannel(address_, credentials_, arguments));
  }
  double Call(v1::Conformance::Stub& stub) const {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.AddMetadata("authorization", "Bearer " + token_);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
    v1::ServerInfoResponse response;
    const Clock::time_point start = Clock::now();
    const grpc::Status status = stub.GetServerInfo(&context, {}, &response);
    const double took = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    return status.ok() ? took : -1;
  }

  const std::string address_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  const std::string token_;
  const std::unique_ptr<v1::Conformance::Stub> stub_;
};

struct Measured {
  std::vector<double> latencies;
  int failed = 0;
  int anew = 0;  // new connections, and those whose first call failed
  int anew_failed = 0;
};

Measured Measure(Client* client, double seconds) {
  Measured measured;
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  Clock::time_point anew = Clock::now();
  while (Clock::now() < end) {
    const double took = client->Call();
    took < 0 ? void(++measured.failed) : measured.latencies.push_back(took);
    if (Clock::now() < anew) continue;
    anew = Clock::now() + std::chrono::milliseconds(500);
    ++measured.anew;
    if (client->CallAnew() < 0) ++measured.anew_failed;
  }
  std::sort(measured.latencies.begin(), measured.latencies.end());
  return measured;
}

struct Options {
  double seconds = 5;
  std::vector<std::string> words;
  bool Has(const std::string& word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
};

// `attack` null: nobody attacks. Whether the client was served.
bool Row(const Options& options, const Attack* attack, bool tls) {
  const TestFolder folder;
  const std::string token = AddToken(folder.path(), "bench", Role::kRun).value();
  std::vector<std::string> arguments = {"--data",      folder.path(), "--listen",
                                        "127.0.0.1:0", "--ready-fd",  "9"};
  const TestAuthority authority;
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (tls) {
    const TestPair pair = authority.Issue("server");
    arguments.insert(arguments.end(), {"--tls-cert", pair.certificate, "--tls-key", pair.key});
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = ReadFile(authority.ca(), 1 << 20).value();
    credentials = grpc::SslCredentials(ssl);
  }
  ServerProcess server(arguments);
  const std::string address = server.Address();
  if (address.empty()) {
    std::cerr << server.Errors();
    return false;
  }
  AttackCounts counts;
  std::atomic<bool> stop = false;
  Client client(address, credentials, token);
  client.Call();
  std::thread attacker([&] {
    AttackPlan plan;
    plan.port = std::stoi(address.substr(address.rfind(':') + 1));
    plan.tls = tls;
    plan.time = absl::Seconds(options.seconds + 5);
    if (!options.Has("shared")) plan.from = "127.0.0.2";
    if (attack != nullptr) counts = RunAttack(*attack, plan, stop);
  });
  const Measured measured = Measure(&client, options.seconds);
  stop = true;
  attacker.join();
  const std::vector<double>& sorted = measured.latencies;
  const auto at = [&](double share) {
    return sorted.empty() ? -1 : sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  std::printf(
      "%-24s %-5s %8.0f calls/s  p50 %7.2f  p99 %8.2f ms  failed %3d  anew failed %2d of %2d  rss %6.0f MiB, "
      "most %6.0f   attacker: %llu steps, %llu connections, %llu closed\n",
      attack == nullptr ? "nobody" : attack->name.c_str(), tls ? "tls" : "plain",
      static_cast<double>(sorted.size()) / options.seconds, at(0.5), at(0.99), measured.failed,
      measured.anew_failed, measured.anew, MiB(server.pid(), "VmRSS:"), MiB(server.pid(), "VmHWM:"),
      static_cast<unsigned long long>(counts.steps), static_cast<unsigned long long>(counts.connections),
      static_cast<unsigned long long>(counts.closed));
  std::fflush(stdout);
  if (options.Has("log")) std::printf("%s", server.Printed().c_str());
  server.Stop(SIGKILL);
  return measured.failed == 0 && !sorted.empty();
}

int Main(const Options& options) {
  std::vector<Attack> attacks = Attacks();
  const bool some =
      std::any_of(attacks.begin(), attacks.end(), [&](const Attack& a) { return options.Has(a.name); });
  bool served = true;
  for (const bool tls : {false, true}) {
    if (options.Has(tls ? "plain" : "tls")) continue;
    served = Row(options, nullptr, tls) && served;
    for (const Attack& attack : attacks) {
      if (!some || options.Has(attack.name)) served = Row(options, &attack, tls) && served;
    }
  }
  return served ? 0 : 1;
}

}  // namespace
}  // namespace diopi::server

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return diopi::server::Main(
      {argc > 1 ? std::strtod(argv[1], nullptr) : 5, {argv + std::min(argc, 2), argv + argc}});
}
