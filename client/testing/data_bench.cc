// The parts of `./run bench service` that move data. Each prints one figure a line.
//   data_bench store FOLDER MIB           a data folder of about so many MiB: cases with references of 8-64
//   MiB data_bench run ADDRESS FOLDER [MIB]   makes a run of its cases (or of the first so many MiB); its id
//   data_bench draw ADDRESS RUN AGENT     draws and reports them until the run is done, calls nothing:
//                                         bytes, seconds spent in Lease, MiB a second
//   data_bench report ADDRESS BATCH AGENTS   reports a verdict on every case of core; verdicts a second
//   data_bench bare KIND MIB              a bare gRPC stream of so many MiB between two processes, KIND stub
//                                         or raw; MiB a second
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "baselines/store/store.h"
#include "cases/core/catalog.h"
#include "client/rpc/bare_stream.h"
#include "client/rpc/client.h"

namespace diopi {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int64_t kMiB = 1 << 20;

double Seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int Fail(const absl::Status& status) {
  std::cerr << "data_bench: " << status.message() << "\n";
  return 3;
}

absl::StatusOr<std::vector<v1::Case>> CoreCases() {
  const auto catalog = cases::Catalog::LoadBuiltin();
  if (!catalog.ok()) return catalog.status();
  return (*catalog)->Select({});
}

// Bytes that depend on `seed` and do not repeat within a tensor.
std::string Noise(int64_t size, uint64_t seed) {
  std::string data(static_cast<size_t>(size), '\0');
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (size_t i = 0; i + sizeof state <= data.size(); i += sizeof state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    data.replace(i, sizeof state, reinterpret_cast<const char*>(&state), sizeof state);
  }
  return data;
}

// Real cases, so that a real server serves them; their references are made up. A list with their sizes is
// written beside them.
int MakeStore(const std::string& folder, int64_t mib) {
  const auto cases = CoreCases();
  if (!cases.ok()) return Fail(cases.status());
  std::map<std::string, std::vector<std::pair<const v1::Case*, int64_t>>> operators;
  int64_t total = 0;
  for (size_t i = 0; i < cases->size() && total < mib; ++i) {
    const int64_t size = int64_t{8} << (i % 4);  // 8, 16, 32, 64
    operators[(*cases)[i].operator_()].emplace_back(&(*cases)[i], size);
    total += size;
  }
  std::ofstream list(folder + "/cases");
  uint64_t seed = 0;
  for (const auto& [name, chosen] : operators) {
    auto writer = baselines::BaselineWriter::Create(baselines::BaselinePath(folder, "cpu", name), name,
                                                    {"cpu", "synthetic", "", "", "", ""});
    if (!writer.ok()) return Fail(writer.status());
    for (const auto& [c, size] : chosen) {
      baselines::Baseline baseline;
      baseline.c = *c;
      baseline.references["out"] = {v1::Dtype::uint8, {size * kMiB}, Noise(size * kMiB, ++seed)};
      const absl::Status added = (*writer)->Add(baseline);
      if (!added.ok()) return Fail(added);
      list << c->id() << " " << size << "\n";
    }
    const absl::Status committed = (*writer)->Commit();
    if (!committed.ok()) return Fail(committed);
  }
  std::cout << total << "\n";
  return list.flush() ? 0 : 3;
}

absl::StatusOr<std::unique_ptr<rpc::Client>> Connect(const std::string& address) {
  return rpc::Client::Connect(address, {});
}

int MakeRun(const std::string& address, const std::string& folder, int64_t mib) {
  v1::CreateRunRequest request;
  request.mutable_options()->set_chip("bench");
  std::ifstream list(folder + "/cases");
  std::string id;
  for (int64_t size = 0, total = 0; total < mib && list >> id >> size; total += size) {
    request.mutable_options()->mutable_selection()->add_cases(id);
  }
  const auto client = Connect(address);
  if (!client.ok()) return Fail(client.status());
  const auto run = (*client)->CreateRun(request);
  if (!run.ok()) return Fail(run.status());
  std::cout << run->run_id() << "\n";
  return 0;
}

int Draw(const std::string& address, const std::string& run, const std::string& agent) {
  const auto client = Connect(address);
  if (!client.ok()) return Fail(client.status());
  int64_t bytes = 0;
  double seconds = 0;
  for (;;) {
    v1::ReportRequest report;
    report.set_run_id(run);
    report.set_agent_id(agent);
    v1::LeaseRequest request;
    request.set_run_id(run);
    request.set_agent_id(agent);
    request.set_max_cases(8);
    const Clock::time_point start = Clock::now();
    const auto header = (*client)->Lease(request, [&](const rpc::LeasedCase& leased) {
      if (!leased.unavailable.empty()) return absl::DataLossError(leased.unavailable);
      bytes += rpc::TensorBytes(leased);
      report.add_renew_leases(leased.lease_id);
      v1::Verdict& verdict = *report.add_verdicts();
      verdict.set_case_id(leased.c.id());
      verdict.set_case_hash(leased.c.hash());
      verdict.set_outcome(v1::OUTCOME_PASS);
      return absl::OkStatus();
    });
    if (!header.ok()) return Fail(header.status());
    if (header->run_complete()) break;
    if (header->cases() == 0) {
      usleep(static_cast<useconds_t>(header->retry_in_s() * 1e6));
      continue;
    }
    seconds += Seconds(start);
    const auto reported = (*client)->Report(report);
    if (!reported.ok()) return Fail(reported.status());
  }
  std::printf("%ld %.3f %.1f\n", static_cast<long>(bytes), seconds,
              static_cast<double>(bytes) / static_cast<double>(kMiB) / seconds);
  return 0;
}

// As in a run: most pass, with figures for one output.
v1::Verdict PassOf(const v1::Case& c) {
  v1::Verdict v;
  v.set_case_id(c.id());
  v.set_case_hash(c.hash());
  v.set_outcome(v1::OUTCOME_PASS);
  v.set_function(c.function());
  v.set_operator_(c.operator_());
  v.set_reference("cpu: diopi cpu reference 0.1 (x86-64; OpenBLAS 0.3.21; library 0123456789abcdef)");
  v.set_tensor_info("[(input, float32, (2, 3, 16)), (other, float32, (2, 3, 16))]");
  v.set_calls(2);
  v1::OutputStats& output = *v.add_outputs();
  output.set_key("out");
  output.set_ok(true);
  output.add_shape(96);
  output.set_elements(96);
  output.set_digest("0123456789abcdef");
  for (int bin = 0; bin < 24; ++bin) output.add_ulp_histogram(bin);
  return v;
}

// `agents` agents at once, each sending its next report when the last one is answered. The reports are made
// before the timing starts, like the bare loop's rows.
int Report(const std::string& address, int batch, int agents) {
  const auto cases = CoreCases();
  if (!cases.ok()) return Fail(cases.status());
  std::vector<std::unique_ptr<rpc::Client>> clients;
  for (int i = 0; i < agents; ++i) {
    auto client = Connect(address);
    if (!client.ok()) return Fail(client.status());
    clients.push_back(*std::move(client));
  }
  v1::CreateRunRequest create;
  create.mutable_options()->set_chip("bench");
  const auto run = clients.front()->CreateRun(create);
  if (!run.ok()) return Fail(run.status());
  // The server did not hand out the other cases, so no agent holds them.
  std::string lease_id;
  v1::LeaseRequest one;
  one.set_run_id(run->run_id());
  one.set_agent_id("bench");
  one.set_max_cases(1);
  const auto leased = clients.front()->Lease(one, [&](const rpc::LeasedCase& given) {
    lease_id = given.lease_id;
    return absl::OkStatus();
  });
  if (!leased.ok()) return Fail(leased.status());
  std::vector<v1::ReportRequest> reports;
  for (const v1::Case& c : *cases) {
    if (reports.empty() || reports.back().verdicts_size() == batch) {
      reports.emplace_back().set_run_id(run->run_id());
      reports.back().set_agent_id("bench");
      reports.back().add_renew_leases(lease_id);
    }
    *reports.back().add_verdicts() = PassOf(c);
  }
  std::atomic<size_t> next = 0;
  std::atomic<int64_t> stored = 0;
  std::vector<std::thread> threads;
  threads.reserve(clients.size());
  const Clock::time_point start = Clock::now();
  for (const std::unique_ptr<rpc::Client>& client : clients) {
    threads.emplace_back([&] {
      for (size_t i = next++; i < reports.size(); i = next++) {
        const auto answer = client->Report(reports[i]);
        if (answer.ok()) stored += answer->stored();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = Seconds(start);
  if (stored != static_cast<int64_t>(cases->size())) return Fail(absl::InternalError("not all were stored"));
  std::printf("%.0f\n", static_cast<double>(cases->size()) / seconds);
  return 0;
}

// Runs the server in its own process, as ours does.
int Bare(const std::string& kind_name, int64_t mib) {
  const auto kind =
      kind_name == "raw" ? rpc::BareStreamServer::Kind::kRaw : rpc::BareStreamServer::Kind::kStub;
  int ready[2];
  int stop[2];
  if (pipe(ready) != 0 || pipe(stop) != 0) return 3;
  const pid_t child = fork();
  if (child < 0) return 3;
  if (child == 0) {
    close(stop[1]);
    const auto server = rpc::BareStreamServer::Start(kind, mib * kMiB);
    if (server == nullptr) _exit(3);
    const std::string& address = server->address();
    if (write(ready[1], address.data(), address.size()) < 0) _exit(3);
    close(ready[1]);
    char byte = 0;
    const bool ended = read(stop[0], &byte, 1) == 0;  // until the other end is closed
    _exit(ended ? 0 : 3);
  }
  close(ready[1]);
  close(stop[0]);
  std::string address(64, '\0');
  const ssize_t size = read(ready[0], address.data(), address.size());
  address.resize(size > 0 ? static_cast<size_t>(size) : 0);
  const Clock::time_point start = Clock::now();
  const auto bytes = rpc::DrawBareStream(address, kind);
  const double seconds = Seconds(start);
  close(stop[1]);
  waitpid(child, nullptr, 0);
  if (!bytes.ok()) return Fail(bytes.status());
  std::printf("%.1f\n", static_cast<double>(*bytes) / static_cast<double>(kMiB) / seconds);
  return 0;
}

int Main(const std::vector<std::string>& args) {
  const std::string command = args.empty() ? "" : args[0];
  if (command == "store" && args.size() == 3) return MakeStore(args[1], std::stoll(args[2]));
  if (command == "run" && args.size() >= 3) {
    return MakeRun(args[1], args[2], args.size() > 3 ? std::stoll(args[3]) : int64_t{1} << 40);
  }
  if (command == "draw" && args.size() == 4) return Draw(args[1], args[2], args[3]);
  if (command == "report" && args.size() == 4) {
    return Report(args[1], std::stoi(args[2]), std::stoi(args[3]));
  }
  if (command == "bare" && args.size() == 3) return Bare(args[1], std::stoll(args[2]));
  std::cerr << "data_bench: see the top of data_bench.cc\n";
  return 2;
}

}  // namespace
}  // namespace diopi

int main(int argc, char** argv) {
  return diopi::Main({argv + 1, argv + argc});
}
