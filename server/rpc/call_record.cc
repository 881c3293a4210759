#include "server/rpc/call_record.h"

#include <utility>

#include "server/door/door.h"
#include "server/rpc/request_limits.h"
#include "server/rpc/status.h"
#include "server/store/quota.h"
#include "server/telemetry/log.h"

namespace diopi::server {

bool IsServerFault(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kUnavailable:
      return true;
    case absl::StatusCode::kResourceExhausted:
      return !IsQuotaError(status);
    default:
      return false;
  }
}

CallRecord::CallRecord(Metrics* metrics, const Guard* guard, const grpc::ServerContextBase& context,
                       What what, absl::Duration slow)
    : metrics_(metrics), guard_(guard), context_(context), what_(std::move(what)), slow_(slow) {}

absl::Status CallRecord::Admit(const google::protobuf::Message& request) {
  absl::StatusOr<Identity> caller = guard_->Admit(context_, what_.method);
  token_ = caller.ok() ? caller->name : RefusedToken(caller.status());
  if (!caller.ok()) return caller.status();
  caller_ = *std::move(caller);
  return CheckRequest(request);
}

absl::Status CallRecord::StillWanted() const {
  return context_.IsCancelled() ? absl::CancelledError("the caller no longer waits") : absl::OkStatus();
}

grpc::Status CallRecord::End(const absl::Status& status) {
  const absl::Duration took = absl::FromChrono(std::chrono::steady_clock::now() - start_);
  const std::string code = absl::StatusCodeToString(status.code());
  metrics_->Call(what_.method, code, took);
  if (took > slow_) {
    Log(LogLevel::kWarn, "slow_call",
        {{"call", what_.method},
         {"run_id", what_.run_id},
         {"agent", what_.agent},
         {"seconds", absl::ToDoubleSeconds(took)},
         {"code", code}});
  }
  if (status.ok()) return ToGrpc(status);
  // The operator should see our own faults, not only the client. An agent that left is no news, and neither
  // are refusals by a server that shuts down.
  const bool fault = (IsServerFault(status) && !absl::IsUnavailable(status)) || absl::IsDataLoss(status);
  const LogLevel level = fault                       ? LogLevel::kError
                         : absl::IsCancelled(status) ? LogLevel::kDebug
                                                     : LogLevel::kWarn;
  const std::initializer_list<Field> fields = {{"call", what_.method},
                                               {"run_id", what_.run_id},
                                               {"agent", what_.agent},
                                               {"peer", ClientOf(context_.peer())},
                                               {"token", token_},
                                               {"code", code},
                                               {"status", std::string(status.message())}};
  fault ? Log(level, "failed", fields) : LogRefusal(level, fields);
  return ToGrpc(status);
}

}  // namespace diopi::server
