// Measures what idle standing agents cost a server: N registered clients, each on its own connection, and one
// real diopi-server. Prints the server's memory, its processor time per minute, and how long a submitted run
// takes to reach its agent. Usage: idle_agents_bench SERVER-PROGRAM DATA [AGENTS [SECONDS]]; DATA has the
// baselines of add.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cases/base/process.h"
#include "client/rpc/agents_client.h"

namespace diopi::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSubmissions = 100;
constexpr char kCase[] = "add.float32.n17";

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double RssMiB(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return -1;
}

// User and system time so far.
double CpuSeconds(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  stat.ignore(std::numeric_limits<std::streamsize>::max(), ')');
  // "pid (name)" is followed by the state and ten numbers, then these two.
  std::string skipped;
  for (int i = 0; i < 11; ++i) stat >> skipped;
  int64_t user = 0, system = 0;
  stat >> user >> system;
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

class FakeAgent {
 public:
  FakeAgent(const std::string& address, int number) : id_("agent-" + std::to_string(number)) {
    client_ = rpc::AgentsClient::Make(address, {}).value();
    thread_ = std::thread([this] { Hold(); });
  }
  ~FakeAgent() {
    client_->Cancel();
    thread_.join();
  }
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;

  const std::string& id() const { return id_; }

  void WaitUntilThere() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return there_; });
  }
  Clock::time_point WaitForRun() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return got_run_; });
    got_run_ = false;
    return came_;
  }
  double heartbeat_every_s() {
    const std::lock_guard lock(mutex_);
    return heartbeat_every_s_;
  }
  void Beat() {
    v1::HeartbeatRequest request;
    request.set_agent_id(id_);
    request.mutable_health()->set_ok(true);
    const auto heard = client_->Heartbeat(request);
    if (!heard.ok() || !heard->known()) std::fprintf(stderr, "%s is not known\n", id_.c_str());
  }
  rpc::AgentsClient& client() { return *client_; }

 private:
  void Hold() {
    v1::ServeRequest request;
    request.mutable_facts()->set_agent_id(id_);
    request.mutable_facts()->set_chip(id_);  // each has its own, so that a run is for one agent
    request.mutable_facts()->set_impl_sha256("0");
    request.mutable_health()->set_ok(true);
    client_
        ->Serve(request,
                [this](const v1::Assignment& message) {
                  const std::lock_guard lock(mutex_);
                  if (message.has_run()) {
                    came_ = Clock::now();
                    got_run_ = true;
                  } else if (message.has_welcome()) {
                    there_ = true;
                    heartbeat_every_s_ = message.welcome().heartbeat_every_s();
                  }
                  changed_.notify_all();
                })
        .IgnoreError();
  }

  const std::string id_;
  std::unique_ptr<rpc::AgentsClient> client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool there_ = false;
  bool got_run_ = false;
  double heartbeat_every_s_ = 5;
  Clock::time_point came_;
  std::thread thread_;
};

// The server's processor time per minute over `seconds`; agents send heartbeats as the server tells them.
double IdleCost(pid_t server, const std::vector<std::unique_ptr<FakeAgent>>& agents, double seconds) {
  const double before = CpuSeconds(server);
  const Clock::time_point start = Clock::now();
  const double every = agents.empty() ? seconds : agents[0]->heartbeat_every_s();
  size_t beaten = 0;  // agents take turns, evenly over the period
  while (MillisecondsSince(start) < seconds * 1000) {
    const auto due =
        static_cast<size_t>(MillisecondsSince(start) / 1000 / every * static_cast<double>(agents.size()));
    for (; beaten < due; ++beaten) agents[beaten % agents.size()]->Beat();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return (CpuSeconds(server) - before) / (MillisecondsSince(start) / 60'000);
}

int MeasureAssignments(const std::vector<std::unique_ptr<FakeAgent>>& agents) {
  std::vector<double> latencies;
  for (int i = 0; i < kSubmissions; ++i) {
    FakeAgent& agent = *agents[static_cast<size_t>(i) % agents.size()];
    v1::SubmitRequest request;
    request.mutable_options()->set_chip(agent.id());
    request.mutable_options()->mutable_selection()->add_functions("add");
    request.mutable_options()->mutable_selection()->add_cases(kCase);
    const Clock::time_point start = Clock::now();
    const auto submitted = agent.client().Submit(request, "");
    if (!submitted.ok()) {
      std::fprintf(stderr, "idle_agents_bench: %s\n", std::string(submitted.status().message()).c_str());
      return 3;
    }
    latencies.push_back(std::chrono::duration<double, std::milli>(agent.WaitForRun() - start).count());
    agent.client().CancelRun(submitted->run().run_id()).IgnoreError();
    v1::EndAssignmentRequest end;
    end.set_agent_id(agent.id());
    end.set_run_id(submitted->run().run_id());
    agent.client().EndAssignment(end).IgnoreError();
  }
  std::sort(latencies.begin(), latencies.end());
  std::printf("submit to assignment: median %.2f ms, p95 %.2f ms, max %.2f ms of %d\n",
              latencies[latencies.size() / 2], latencies[latencies.size() * 95 / 100], latencies.back(),
              kSubmissions);
  return 0;
}

int Main(const std::string& program, const std::string& data, int count, double seconds) {
  Pipe ready = MakePipe().value();
  ProcessOptions options;
  options.command = {program,       "--data", data,         "--listen", "127.0.0.1:0",
                     "--log-level", "error",  "--ready-fd", "3"};
  options.descriptors = {{ready.write.get(), 3}};
  Process server = Process::Start(options).value();
  ready.write.Close();
  std::string line;
  for (char c = 0; read(ready.read.get(), &c, 1) == 1 && c != '\n';) line.push_back(c);
  if (!line.starts_with("ready ")) return 3;
  const double rss_alone = RssMiB(server.pid());
  const double cpu_alone = IdleCost(server.pid(), {}, seconds / 4);
  const Clock::time_point start = Clock::now();
  std::vector<std::unique_ptr<FakeAgent>> agents;
  agents.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) agents.push_back(std::make_unique<FakeAgent>(line.substr(6), i));
  for (const auto& agent : agents) agent->WaitUntilThere();
  const double connected_ms = MillisecondsSince(start);
  const double cpu = IdleCost(server.pid(), agents, seconds);
  std::printf("agents %d: connected and registered in %.0f ms\n", count, connected_ms);
  std::printf("server rss: %.1f MiB with them, %.1f MiB without\n", RssMiB(server.pid()), rss_alone);
  std::printf("server cpu: %.2f s a minute idle with them, %.2f s without\n", cpu, cpu_alone);
  const int code = MeasureAssignments(agents);
  agents.clear();
  server.Signal(SIGTERM);
  server.Wait();
  return code;
}

}  // namespace
}  // namespace diopi::testing

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: idle_agents_bench SERVER-PROGRAM DATA [AGENTS [SECONDS]]\n");
    return 2;
  }
  return diopi::testing::Main(argv[1], argv[2], argc > 3 ? std::stoi(argv[3]) : 200,
                              argc > 4 ? std::stod(argv[4]) : 60);
}
