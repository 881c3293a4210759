// diopi-cli agents: the standing agents of a server.
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/text.h"
#include "client/cli/command.h"
#include "client/cli/output.h"
#include "client/rpc/agents_client.h"
#include "client/setup/credential_flags.h"
#include "proto/enum_name.h"

namespace diopi::cli {
namespace {

constexpr size_t kShownDigits = 12;  // of a library's hash

// "busy: run R, 12 of 40 cases"; of an exploration by time "busy: run R, 12 calls"
std::string StateOf(const v1::AgentInfo& agent) {
  switch (agent.state()) {
    case v1::AGENT_STATE_BUSY:
      return absl::StrCat("busy: run ", agent.run_id(), ", ", agent.done(),
                          agent.cases() == 0 ? " calls" : absl::StrCat(" of ", agent.cases(), " cases"));
    case v1::AGENT_STATE_UNHEALTHY:
      return absl::StrCat("failing its health check: ", agent.health().text());
    case v1::AGENT_STATE_LOST:
      return absl::StrCat("lost since ", agent.since());
    case v1::AGENT_STATE_ONLINE:
    case v1::AGENT_STATE_UNSPECIFIED:
    default:
      return EnumName(agent.state());
  }
}

class AgentsCommand final : public Command {
 public:
  std::string name() const override { return "agents"; }
  std::string description() const override { return "Lists a server's standing agents"; }
  std::string examples() const override {
    return "  diopi-cli agents --server lab:7410 --chip A100 --tls-ca ca.pem    the agents that wait for "
           "runs on a chip\n";
  }
  void AddOptions(CLI::App* app) override {
    AddServerOption(app, &server_)->required();
    app->add_option("--chip", chip_, "Only agents of this chip");
    AddFormatOption(app, reports::ListFormats(), &format_);
    agent::AddCredentialFlags(app, &credentials_);
  }

  ExitCode Run() override {
    const absl::StatusOr<std::unique_ptr<rpc::AgentsClient>> client =
        rpc::AgentsClient::Make(server_, credentials_, {});
    if (!client.ok()) return PrintError(client.status());
    const absl::StatusOr<v1::ListAgentsResponse> list = (*client)->ListAgents(chip_);
    if (!list.ok()) return PrintError(list.status());
    if (format_ != "text") return PrintError(WriteTable(TableOf(*list), format_));
    for (const v1::AgentInfo& agent : list->agents()) Print(agent);
    return ExitCode::kOk;
  }

 private:
  rpc::CredentialFiles credentials_;

  static reports::Table TableOf(const v1::ListAgentsResponse& list) {
    reports::Table table{{{"chip"},
                          {"agent"},
                          {"state"},
                          {"health"},
                          {"host"},
                          {"library"},
                          {"library sha256"},
                          {"takes uploads"}},
                         {}};
    for (const v1::AgentInfo& agent : list.agents()) {
      const v1::AgentFacts& facts = agent.facts();
      table.rows.push_back({{facts.chip()},
                            {facts.agent_id()},
                            {StateOf(agent)},
                            {agent.health().text()},
                            {facts.host()},
                            {facts.impl_path()},
                            {facts.impl_sha256()},
                            {facts.takes_uploads() ? "yes" : "no"}});
    }
    return table;
  }

  static void Print(const v1::AgentInfo& agent) {
    const v1::AgentFacts& facts = agent.facts();
    const std::string what =
        absl::StrFormat("host %s, library %s %s (%s %s, %s), agent %s%s", facts.host(),
                        facts.impl_sha256().substr(0, kShownDigits), facts.impl_path(), facts.vendor_name(),
                        facts.impl_version(), facts.dialect(), facts.agent_version(),
                        facts.takes_uploads() ? ", takes uploaded libraries" : "");
    std::cout << absl::StrFormat("%-12s %-24s %s\n", PrintableLine(facts.chip()),
                                 PrintableLine(facts.agent_id()), PrintableLine(StateOf(agent)))
              << "    " << PrintableLine(what) << "\n";
    if (agent.state() == v1::AGENT_STATE_ONLINE) {
      std::cout << "    " << PrintableLine(agent.health().text()) << "\n";
    }
  }

  std::string server_;
  std::string chip_;
  std::string format_;
};

}  // namespace

std::unique_ptr<Command> MakeAgentsCommand() {
  return std::make_unique<AgentsCommand>();
}

}  // namespace diopi::cli
