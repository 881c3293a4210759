#include "client/rpc/caller.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"

namespace diopi::rpc {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

absl::Status CheckAddress(const std::string& address) {
  const bool unix_socket = absl::StartsWith(address, "unix:");
  const size_t colon = address.rfind(':');
  const bool complete = colon != std::string::npos && colon + 1 < address.size() && colon > 0;
  const bool port = complete && std::all_of(address.begin() + static_cast<std::ptrdiff_t>(colon) + 1,
                                            address.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (complete && (unix_socket || port)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'", address, "' is not a server address; expected HOST:PORT or unix:PATH"));
}

absl::Status CheckServer(const std::string& address, const Credentials& credentials) {
  absl::Status status = CheckAddress(address);
  if (status.ok()) status = CheckEncryption(address, credentials);
  if (status.ok() && !credentials.ca.empty()) status = ExplainTls(address, credentials);
  return status;
}

absl::Status ExplainFailure(const absl::Status& failure, const std::string& address,
                            const Credentials& credentials) {
  if (!absl::IsUnavailable(failure) || !credentials.ca.empty()) return failure;
  absl::Status why = ExplainTls(address, credentials);
  return why.ok() ? failure : why;
}

namespace {

// The answer of gRPC itself when the server's resource quota has no thread left for a call
// (kServerThreadpoolExhausted in src/cpp/server/server_cc.cc). The same status code also stands for messages
// that are too large and for full disks, which do not go away by themselves.
constexpr char kNoThread[] = "Server Threadpool Exhausted";
// The beginning of the server's own answer when too many calls wait for work that takes seconds
// (server/runs/admission.h).
constexpr char kBusy[] = "busy: ";
constexpr char kBusyMark[] = "diopi.rpc.busy";
// Longer waits only look again: what waits without an end needs a newer libstdc++ than bundles promise.
constexpr std::chrono::hours kLongestWait{1};

// Adds the token to every call, however it is made.
class TokenBearer final : public grpc::experimental::Interceptor {
 public:
  explicit TokenBearer(const std::string* header) : header_(header) {}
  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(
            grpc::experimental::InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      methods->GetSendInitialMetadata()->emplace("authorization", *header_);
    }
    methods->Proceed();
  }

 private:
  const std::string* const header_;
};

class TokenBearers final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  explicit TokenBearers(const std::string& token) : header_(absl::StrCat("Bearer ", token)) {}
  grpc::experimental::Interceptor* CreateClientInterceptor(grpc::experimental::ClientRpcInfo*) override {
    return new TokenBearer(&header_);
  }

 private:
  const std::string header_;
};

std::shared_ptr<grpc::ChannelCredentials> MakeChannelCredentials(const Credentials& credentials) {
  if (credentials.ca.empty()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({credentials.ca, credentials.key, credentials.certificate});
}

}  // namespace

bool IsBusy(const absl::Status& status) {
  return status.GetPayload(kBusyMark).has_value();
}

Caller::Caller(std::string address, const ClientOptions& options)
    : address_(std::move(address)), options_(options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // A chunk of a tensor in one frame, not in 64 (HTTP/2's default is 16 KiB).
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, 2 << 20);
  // Reconnects soon to a restarted server. The minimum is the time limit of an attempt, not a pause.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  // One connection per client, as if each were its own process.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Notices a half-open connection within ten seconds, not at the call's deadline. The server allows pings
  // this often (server/rpc).
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 5000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // no limit
  // A client that can open the Unix socket, and knows its secret if one is set, has full access.
  const bool local = absl::StartsWith(address_, "unix:");
  std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> interceptors;
  const std::string& token = local ? options_.credentials.secret : options_.credentials.token;
  if (!token.empty()) interceptors.push_back(std::make_unique<TokenBearers>(token));
  channel_ = grpc::experimental::CreateCustomChannelWithInterceptors(
      address_, MakeChannelCredentials(local ? Credentials() : options_.credentials), arguments,
      std::move(interceptors));
  watch_ = std::thread([this] { CancelOverdue(); });
}

Caller::~Caller() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  watch_.join();
}

Caller::InFlight::InFlight(Caller* caller, grpc::ClientContext* context, std::optional<milliseconds> deadline)
    : caller_(caller), context_(context), deadline_(deadline) {
  if (deadline.has_value()) {
    context->set_deadline(std::chrono::system_clock::now() + *deadline);
    overdue_ = Clock::now() + *deadline + caller_->options_.overdue_after;
  }
  WatchUntil(overdue_, false);
}

Caller::InFlight::~InFlight() {
  const std::lock_guard lock(caller_->mutex_);
  caller_->calls_.erase(context_);
}

void Caller::InFlight::WatchUntil(Clock::time_point until, bool silence) {
  const std::lock_guard lock(caller_->mutex_);
  if (caller_->cancelled_) context_->TryCancel();
  Watched& watched = caller_->calls_[context_];
  if (watched.cancelled) return;
  watched = {until, silence, false};
  if (until < caller_->watched_) caller_->changed_.notify_one();
}

bool Caller::InFlight::Await(const std::function<bool()>& read) {
  const Clock::time_point silent = Clock::now() + caller_->options_.silent_after;
  WatchUntil(std::min(silent, overdue_), silent < overdue_);
  const bool got = read();
  WatchUntil(overdue_, false);
  return got;
}

void Caller::CancelOverdue() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    watched_ = Clock::time_point::max();
    for (auto& [context, call] : calls_) {
      if (call.until <= Clock::now()) {
        context->TryCancel();
        call.cancelled = true;
        call.until = Clock::time_point::max();
      }
      watched_ = std::min(watched_, call.until);
    }
    changed_.wait_until(lock, std::min(watched_, Clock::now() + kLongestWait));
  }
}

absl::Status Caller::Unary(const std::string& method,
                           const std::function<grpc::Status(grpc::ClientContext*)>& call) {
  Attempts attempts;
  for (;;) {
    grpc::ClientContext context;
    const InFlight in_flight(this, &context, options_.call_deadline);
    absl::Status status = in_flight.Translate(call(&context), method);
    if (!WaitToRetry(status, &attempts)) return status;
  }
}

bool Caller::WaitToRetry(const absl::Status& failure, Attempts* attempts) {
  if (!absl::IsUnavailable(failure)) return false;
  if (!attempts->failed.has_value()) {
    attempts->failed = Clock::now();
    attempts->backoff = options_.first_backoff;
  }
  const milliseconds patience =
      IsBusy(failure) ? std::max(options_.retry_for, options_.busy_for) : options_.retry_for;
  return WaitToRetry(*attempts->failed + patience, &attempts->backoff);
}

milliseconds Caller::Jittered(milliseconds backoff) {
  const std::lock_guard lock(mutex_);
  return milliseconds(
      std::uniform_int_distribution<milliseconds::rep>(backoff.count() / 2, backoff.count())(entropy_));
}

bool Caller::WaitToRetry(Clock::time_point give_up, milliseconds* backoff) {
  const milliseconds pause = Jittered(*backoff);
  const Clock::time_point next = Clock::now() + pause;
  if (next > give_up) return false;
  *backoff = std::min(*backoff * 2, options_.max_backoff);
  if (channel_->GetState(true) != GRPC_CHANNEL_READY) {
    // A channel continues to connect only while a call waits for it; during a plain pause it would only poll
    // every five seconds.
    channel_->WaitForConnected(std::chrono::system_clock::now() + pause);
    const std::lock_guard lock(mutex_);
    return !cancelled_;
  }
  std::unique_lock lock(mutex_);
  return !wake_.wait_until(lock, next, [this] { return cancelled_; });
}

absl::Status Caller::InFlight::Translate(const grpc::Status& status, const std::string& method) const {
  const std::string server = absl::StrCat("the server at ", caller_->address_);
  const auto late = [&] {
    const std::string within =
        deadline_.has_value() ? absl::StrCat(" within ", absl::FormatDuration(absl::FromChrono(*deadline_)))
                              : "";
    return absl::DeadlineExceededError(
        absl::StrCat(server, " did not answer ", method, within,
                     ": it hangs, or its machine or disk is overloaded; when it answers again, "
                     "--resume continues a run that has begun"));
  };
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  switch (code) {
    case absl::StatusCode::kOk:
      return absl::OkStatus();
    case absl::StatusCode::kUnavailable:
      return absl::UnavailableError(absl::StrCat("cannot reach ", server, ": ", status.error_message()));
    case absl::StatusCode::kCancelled: {
      const std::lock_guard lock(caller_->mutex_);
      if (caller_->cancelled_) return absl::CancelledError(status.error_message());
      const Watched& watched = caller_->calls_.at(context_);
      if (!watched.cancelled) return absl::UnavailableError(absl::StrCat(server, " cancelled ", method));
      if (!watched.silence) return late();
      return absl::UnavailableError(
          absl::StrCat(server, " sent nothing for ", method, " within ",
                       absl::FormatDuration(absl::FromChrono(caller_->options_.silent_after))));
    }
    case absl::StatusCode::kDeadlineExceeded:
      return late();
    case absl::StatusCode::kResourceExhausted:
      if (status.error_message() == kNoThread || absl::StartsWith(status.error_message(), kBusy)) {
        absl::Status busy = absl::UnavailableError(absl::StrCat(
            server, " is busy: ",
            status.error_message() == kNoThread ? "all its threads are serving calls"
                                                : absl::StripPrefix(status.error_message(), kBusy)));
        busy.SetPayload(kBusyMark, absl::Cord());
        return busy;
      }
      [[fallthrough]];
    default:
      return absl::Status(code, status.error_message());
  }
}

void Caller::Cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  for (const auto& [context, call] : calls_) context->TryCancel();
  wake_.notify_all();
}

}  // namespace diopi::rpc
