#include "client/agent/connection.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "cases/base/status_macros.h"
#include "client/rpc/tensor_cache.h"
#include "client/setup/paths.h"

namespace diopi::agent {
namespace {

// Null: no cache. Reports a cache that cannot be used, and runs without it.
std::shared_ptr<rpc::TensorCache> OpenCache(const AgentOptions& options) {
  constexpr uint64_t kDefault = uint64_t{1} << 30;
  const uint64_t size = options.cache_size.value_or(options.server.empty() ? 0 : kDefault);
  const std::string folder = options.cache_dir.empty() ? rpc::DefaultCacheFolder() : options.cache_dir;
  if (size == 0 || folder.empty()) return nullptr;
  absl::StatusOr<std::unique_ptr<rpc::TensorCache>> cache =
      rpc::TensorCache::Open({folder, static_cast<int64_t>(size)});
  if (cache.ok()) return *std::move(cache);
  std::fprintf(stderr, "diopi-agent: no cache: %s\n", std::string(cache.status().message()).c_str());
  return nullptr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::Client>> Connect(const AgentOptions& options,
                                                     std::unique_ptr<ServerProcess>* own) {
  rpc::ClientOptions client_options;
  std::string address = options.server;
  if (options.server.empty()) {
    if (*own == nullptr) {
      ASSIGN_OR_RETURN(ServerProcess server,
                       ServerProcess::Start(ProgramBeside("diopi-server"), options.data_folder,
                                            options.selection.cases_folder));
      *own = std::make_unique<ServerProcess>(std::move(server));
    }
    address = (*own)->address();
    client_options.credentials.secret = (*own)->secret();
    client_options.retry_for = std::chrono::milliseconds(0);       // nobody restarts this server
    client_options.call_deadline = client_options.lease_deadline;  // the end of its process shows at once
  } else {
    ASSIGN_OR_RETURN(client_options.credentials, rpc::LoadCredentials(options.credentials));
  }
  client_options.recipes = options.inputs.empty() ? !options.server.empty() : options.inputs == "recipes";
  client_options.cache = OpenCache(options);
  return rpc::Client::Connect(address, client_options);
}

void HideServer(const AgentOptions& options, const rpc::Client& client, const ServerProcess* own,
                loader::WorkerOptions* worker) {
  // A server on this machine may use another data folder; one elsewhere names a path that is missing here.
  for (const std::string& path :
       {options.cache_dir, client.server().data_folder(), own == nullptr ? std::string() : own->folder()}) {
    if (!path.empty()) worker->hidden.push_back(AbsolutePath(path));
  }
}

}  // namespace diopi::agent
