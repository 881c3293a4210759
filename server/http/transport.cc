// Everything here except the handlers runs on one thread, so there are no locks. A connection is always in
// one phase, which began at a known time and has one deadline: a client gains nothing by sending a byte now
// and then.
#include "server/http/transport.h"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "server/http/stream.h"

namespace diopi::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

constexpr size_t kReadBytes = 16 << 10;
constexpr uint32_t kMaxHeaderBytes = 32 << 10;
// How long a connection that is being closed may take to read what was sent to it before.
constexpr absl::Duration kGoodbyeLimit = absl::Seconds(2);
// How long Stop waits for answers that are on their way.
constexpr absl::Duration kStop = absl::Seconds(5);
// How long to wait when no connection can be accepted, for example without free descriptors.
constexpr absl::Duration kAcceptAgain = absl::Milliseconds(100);

// The key under which connections are counted together: an address, or the IPv6 network that one customer
// gets.
std::string PeerKey(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  asio::ip::address_v6::bytes_type bytes = address.to_v6().to_bytes();
  if (address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  }
  constexpr size_t kNetworkBytes = 8;
  std::fill(bytes.begin() + kNetworkBytes, bytes.end(), 0);
  return asio::ip::address_v6(bytes).to_string();
}

int StatusOf(error_code error) {
  if (error == http::error::body_limit) return 413;
  return error == http::error::header_limit ? 431 : 400;
}

HttpResponse Complaint(int status) {
  return {status, "text/plain", absl::StrCat(status, "\n"), {}};
}

// What the connections of a server share.
class Hub {
 public:
  virtual const HttpOptions& options() const = 0;
  // Calls the handler on a thread of the pool, and `done` with its answer on this one.
  virtual void Handle(ReceivedRequest request, std::function<void(HttpResponse)> done) = 0;
  virtual bool stopping() const = 0;
  virtual void Forget(class Connection* connection) = 0;

 protected:
  ~Hub() = default;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Hub* hub, std::unique_ptr<Stream> stream, std::string key, std::string peer)
      : hub_(hub),
        stream_(std::move(stream)),
        deadline_(stream_->socket().get_executor()),
        key_(std::move(key)),
        peer_(std::move(peer)) {}

  void Start();
  // Closes at once. `why`: what the client did wrong, for `refused`; empty: nothing.
  void Close(const std::string& why);
  // The handler runs: the client waits for us.
  bool handling() const { return phase_ == Phase::kHandling; }
  bool answering() const { return handling() || phase_ == Phase::kAnswer; }
  Clock::time_point since() const { return since_; }
  const std::string& key() const { return key_; }

 private:
  enum class Phase { kHandshake, kIdle, kHeader, kBody, kHandling, kAnswer, kGoodbye };
  using Parser = http::request_parser<http::string_body>;

  void Enter(Phase phase, Clock::time_point from, absl::Duration limit);
  void Await();
  void Overdue();
  void NextRequest(absl::Duration first_byte);
  void BeginRequest();
  void ReadMore();
  void Parse();
  bool HeaderDone();
  void Handle();
  void Refuse(int status);
  void Answer(HttpResponse response);
  void Answered();

  Hub* const hub_;
  const std::unique_ptr<Stream> stream_;
  asio::steady_timer deadline_;
  const std::string key_;
  const std::string peer_;
  Phase phase_ = Phase::kHandshake;
  Clock::time_point since_ = Clock::now();
  bool closed_ = false;
  boost::beast::flat_buffer buffer_{kMaxHeaderBytes + 2 * kReadBytes};
  std::optional<Parser> parser_;
  Clock::time_point request_began_;
  bool head_ = false;
  bool keep_alive_ = false;
  unsigned version_ = 11;
  std::string header_text_;
  std::string body_;
};

void Connection::Enter(Phase phase, Clock::time_point from, absl::Duration limit) {
  phase_ = phase;
  since_ = from;
  deadline_.expires_at(from + absl::ToChronoNanoseconds(limit));
  Await();
}

void Connection::Await() {
  deadline_.async_wait([self = shared_from_this()](error_code) {
    // If another deadline was set meanwhile, another wait is responsible.
    if (!self->closed_ && !self->handling() && self->deadline_.expiry() <= Clock::now()) self->Overdue();
  });
}

void Connection::Overdue() {
  const HttpDeadlines& deadlines = hub_->options().deadlines;
  const auto within = [](const char* what, absl::Duration limit) {
    return absl::StrCat(what, " within ", absl::FormatDuration(limit));
  };
  switch (phase_) {
    case Phase::kHandshake:
      return Close(within("no TLS handshake", deadlines.handshake));
    case Phase::kHeader:
      return Close(within("no whole header of a request", deadlines.header));
    case Phase::kBody:
      return Close(within("no whole request", deadlines.request));
    case Phase::kAnswer:
      return Close(within("the answer was not read", deadlines.response));
    case Phase::kIdle:
    case Phase::kHandling:
    case Phase::kGoodbye:
      return Close("");
  }
}

void Connection::Close(const std::string& why) {
  if (closed_) return;
  closed_ = true;
  deadline_.cancel();
  if (!why.empty() && hub_->options().refused) hub_->options().refused(peer_, why);
  error_code ignored;
  // Drop what the client has not read.
  if (!why.empty()) stream_->socket().set_option(tcp::socket::linger(true, 0), ignored);
  stream_->socket().close(ignored);
  hub_->Forget(this);
}

void Connection::Start() {
  Enter(Phase::kHandshake, since_, hub_->options().deadlines.handshake);
  stream_->Handshake([self = shared_from_this()](error_code error, size_t) {
    if (self->closed_) return;
    if (error) return self->Close(HasLeft(error) ? "" : absl::StrCat("no TLS handshake: ", error.message()));
    self->NextRequest(self->hub_->options().deadlines.header);
  });
}

// `first_byte`: how long to wait for it. Browsers open connections that they may not use.
void Connection::NextRequest(absl::Duration first_byte) {
  parser_.emplace();
  head_ = false;
  if (hub_->stopping()) return Close("");
  if (buffer_.size() > 0) {  // came with the last request
    BeginRequest();
    return Parse();
  }
  Enter(Phase::kIdle, Clock::now(), first_byte);
  ReadMore();
}

void Connection::BeginRequest() {
  request_began_ = Clock::now();
  parser_->header_limit(kMaxHeaderBytes);
  parser_->body_limit(hub_->options().max_body_bytes);
  Enter(Phase::kHeader, request_began_, hub_->options().deadlines.header);
}

void Connection::ReadMore() {
  stream_->Read(buffer_.prepare(kReadBytes), [self = shared_from_this()](error_code error, size_t bytes) {
    if (self->closed_) return;
    if (error) return self->Close("");
    self->buffer_.commit(bytes);
    if (self->phase_ == Phase::kIdle) self->BeginRequest();
    self->Parse();
  });
}

void Connection::Parse() {
  while (!parser_->is_done() && buffer_.size() > 0) {
    error_code error;
    const size_t used = parser_->put(buffer_.data(), error);
    buffer_.consume(used);
    if (error == http::error::need_more) return ReadMore();
    if (error) return Refuse(StatusOf(error));
    if (phase_ == Phase::kHeader && parser_->is_header_done() && !HeaderDone()) return;
    if (used == 0) break;
  }
  parser_->is_done() ? Handle() : ReadMore();
}

// False: reading goes on elsewhere.
bool Connection::HeaderDone() {
  head_ = parser_->get().method() == http::verb::head;
  parser_->eager(true);
  Enter(Phase::kBody, request_began_, hub_->options().deadlines.request);
  const auto expect = parser_->get()[http::field::expect];
  if (parser_->is_done() || !absl::EqualsIgnoreCase({expect.data(), expect.size()}, "100-continue")) {
    return true;
  }
  header_text_ = "HTTP/1.1 100 Continue\r\n\r\n";
  stream_->Write({asio::buffer(header_text_)}, [self = shared_from_this()](error_code error, size_t) {
    if (self->closed_) return;
    error ? self->Close("") : self->Parse();
  });
  return false;
}

void Connection::Handle() {
  auto& message = parser_->get();
  keep_alive_ = message.keep_alive();
  version_ = message.version();
  ReceivedRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) {
    request.headers.emplace(absl::AsciiStrToLower(std::string(field.name_string())), field.value());
  }
  request.body = std::move(message.body());
  request.peer = peer_;
  phase_ = Phase::kHandling;
  since_ = Clock::now();
  deadline_.cancel();
  hub_->Handle(std::move(request), [self = shared_from_this()](HttpResponse response) {
    if (!self->closed_) self->Answer(std::move(response));
  });
}

void Connection::Refuse(int status) {
  if (hub_->options().refused) hub_->options().refused(peer_, absl::StrCat("status ", status));
  keep_alive_ = false;
  Answer(Complaint(status));
}

void Connection::Answer(HttpResponse response) {
  keep_alive_ = keep_alive_ && !hub_->stopping();
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status)));
  header_text_ = absl::StrCat(
      "HTTP/1.1 ", response.status, " ", std::string(reason), "\r\nContent-Type: ", response.content_type,
      "\r\nContent-Length: ", response.body.size(),
      keep_alive_ ? (version_ == 10 ? "\r\nConnection: keep-alive" : "") : "\r\nConnection: close");
  for (const auto& [name, value] : response.headers)
    absl::StrAppend(&header_text_, "\r\n", name, ": ", value);
  header_text_ += "\r\n\r\n";
  body_ = std::move(response.body);
  Enter(Phase::kAnswer, Clock::now(), hub_->options().deadlines.response);
  stream_->Write({asio::buffer(header_text_), head_ ? asio::const_buffer() : asio::buffer(body_)},
                 [self = shared_from_this()](error_code error, size_t) {
                   if (self->closed_) return;
                   error ? self->Close("") : self->Answered();
                 });
}

void Connection::Answered() {
  body_ = {};
  if (keep_alive_) return NextRequest(hub_->options().deadlines.idle);
  Enter(Phase::kGoodbye, Clock::now(), std::min(kGoodbyeLimit, hub_->options().deadlines.response));
  stream_->Finish([self = shared_from_this()](error_code, size_t) { self->Close(""); });
}

class AsioTransport final : public Transport, public Hub {
 public:
  AsioTransport(HttpOptions options, Answerer answer)
      : options_(std::move(options)), answer_(std::move(answer)), pool_(options_.threads) {}
  ~AsioTransport() override { Stop(); }

  absl::Status SetTls(const TlsTexts& tls) override;
  absl::StatusOr<int> Listen(const std::string& host, int port) override;
  void Stop() override;

 private:
  const HttpOptions& options() const override { return options_; }
  void Handle(ReceivedRequest request, std::function<void(HttpResponse)> done) override;
  bool stopping() const override { return stopping_; }
  void Forget(Connection* connection) override;

  void Accept();
  void Accepted(tcp::socket socket);
  bool MakeRoom(const std::string& key);
  void BeginStop();
  void CloseAll(bool (*which)(const Connection&));

  const HttpOptions options_;
  const Answerer answer_;
  asio::io_context io_{1};
  asio::thread_pool pool_;
  tcp::acceptor acceptor_{io_};
  asio::steady_timer timer_{io_};    // for accepting again, and for the end
  std::shared_ptr<TlsContext> tls_;  // null: plain HTTP
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::unordered_map<std::string, size_t> of_peer_;
  bool stopping_ = false;
  std::thread thread_;
};

absl::Status AsioTransport::SetTls(const TlsTexts& tls) {
  if (tls.certificate.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto context, MakeTlsContext(tls));
  if (!thread_.joinable()) {
    tls_ = std::move(context);
  } else {
    asio::post(io_, [this, fresh = std::move(context)] { tls_ = fresh; });
  }
  return absl::OkStatus();
}

absl::StatusOr<int> AsioTransport::Listen(const std::string& host, int port) {
  error_code error;
  tcp::resolver resolver(io_);
  const auto found = resolver.resolve(host, absl::StrCat(port),
                                      tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (!error) {
    const tcp::endpoint endpoint = *found.begin();
    acceptor_.open(endpoint.protocol(), error);
    // Not SO_REUSEPORT: two servers would share the port, and each get half of the calls.
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  }
  if (error) {
    error_code ignored;
    acceptor_.close(ignored);
    return absl::UnavailableError(error.message());
  }
  const int bound = acceptor_.local_endpoint(error).port();
  Accept();
  thread_ = std::thread([this] { io_.run(); });
  return bound;
}

void AsioTransport::Accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (stopping_) return;
    if (!error) {
      Accepted(std::move(socket));
      return Accept();
    }
    timer_.expires_after(absl::ToChronoMilliseconds(kAcceptAgain));
    timer_.async_wait([this](error_code) {
      if (!stopping_) Accept();
    });
  });
}

void AsioTransport::Accepted(tcp::socket socket) {
  error_code error;
  const tcp::endpoint endpoint = socket.remote_endpoint(error);
  if (error) return;  // the client has gone already
  socket.set_option(tcp::no_delay(true), error);
  const bool v6 = endpoint.address().is_v6();
  const std::string host = endpoint.address().to_string();
  const std::string peer = absl::StrCat(v6 ? "[" : "", host, v6 ? "]" : "", ":", endpoint.port());
  std::string key = PeerKey(endpoint.address());
  if (!MakeRoom(key)) {
    if (options_.refused) options_.refused(peer, "too many connections, and all are being answered");
    return;
  }
  std::unique_ptr<Stream> stream = MakeStream(std::move(socket), tls_.get());
  ++of_peer_[key];
  const auto connection = std::make_shared<Connection>(this, std::move(stream), std::move(key), peer);
  connections_.emplace(connection.get(), connection);
  connection->Start();
}

// At a limit a new connection replaces the one that has waited longest for its client, of the same peer or of
// the peer with the most connections: slow clients keep nobody out, and a crowd only itself.
bool AsioTransport::MakeRoom(const std::string& key) {
  const auto own = of_peer_.find(key);
  const bool peer_full = own != of_peer_.end() && own->second >= options_.max_connections_per_peer;
  if (!peer_full && connections_.size() < options_.max_connections) return true;
  const auto rank = [this](const Connection& one) {
    return std::make_tuple(of_peer_[one.key()], Clock::now() - one.since());
  };
  std::shared_ptr<Connection> victim;
  for (const auto& [unused, one] : connections_) {
    if (one->handling() || (peer_full && one->key() != key)) continue;
    if (victim == nullptr || rank(*one) > rank(*victim)) victim = one;
  }
  if (victim == nullptr) return false;
  victim->Close("it waited longest when the limit of connections was reached");
  return true;
}

void AsioTransport::Forget(Connection* connection) {
  const auto of_peer = of_peer_.find(connection->key());
  if (--of_peer->second == 0) of_peer_.erase(of_peer);
  connections_.erase(connection);
  if (stopping_ && connections_.empty()) io_.stop();
}

void AsioTransport::Handle(ReceivedRequest request, std::function<void(HttpResponse)> done) {
  asio::post(pool_, [this, request = std::move(request), done = std::move(done)]() mutable {
    HttpResponse response = answer_(std::move(request));
    asio::post(io_, [done = std::move(done), response = std::move(response)]() mutable {
      done(std::move(response));
    });
  });
}

void AsioTransport::BeginStop() {
  stopping_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  timer_.expires_after(absl::ToChronoMilliseconds(kStop));
  timer_.async_wait([this](error_code error) {
    if (!error) CloseAll([](const Connection&) { return true; });
  });
  CloseAll([](const Connection& one) { return !one.answering(); });
  if (connections_.empty()) io_.stop();
}

void AsioTransport::CloseAll(bool (*which)(const Connection&)) {
  const auto connections = connections_;
  for (const auto& [unused, one] : connections) {
    if (which(*one)) one->Close("");
  }
}

void AsioTransport::Stop() {
  if (!thread_.joinable()) return;
  asio::post(io_, [this] { BeginStop(); });
  thread_.join();
  pool_.join();  // a handler cannot be interrupted
}

}  // namespace

std::unique_ptr<Transport> Transport::Create(const HttpOptions& options, Answerer answer) {
  return std::make_unique<AsioTransport>(options, std::move(answer));
}

}  // namespace diopi::server
