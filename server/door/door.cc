// A connection belongs to one of a few threads, which passes its bytes (relay.h), so there are no locks on
// the way. A thread of its own accepts. gRPC gets one end of a pair of Unix sockets as soon as the client has
// sent HTTP/2's preface: what does not get so far costs gRPC nothing. The other end is bound to an abstract
// name that says who the client is, and which gRPC takes for the peer's address: so it reaches logs and the
// guard without a table. Nobody else can claim such a name, since gRPC accepts no connections itself, and the
// door never listens on it.
#include "server/door/door.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/base/status_macros.h"
#include "server/door/client_stream.h"
#include "server/door/relay.h"
#include "server/security/secret.h"
#include "server/security/tls_context.h"

namespace diopi::server {
namespace {

constexpr int kMostThreads = 4;
constexpr int kBacklog = 512;
constexpr int kEventsAtOnce = 64;
// What gRPC may write ahead of the client. Larger than the kernel's default, so that a stream of tensors
// changes threads less often.
constexpr int kAheadBytes = 1 << 20;
constexpr std::chrono::milliseconds kOverdueEvery{1000};
// How long to wait when no connection can be accepted, for example without free descriptors.
constexpr std::chrono::milliseconds kAcceptAgain{100};
// A connection's: the client's, and two of the pair.
constexpr rlim_t kDescriptorsPerConnection = 3;
constexpr rlim_t kOtherDescriptors = 1024;
constexpr std::string_view kScheme = "unix-abstract:";
constexpr std::string_view kName = "diopi-door/";

void RaiseDescriptorLimit(int connections) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(
      limit.rlim_max, static_cast<rlim_t>(connections) * kDescriptorsPerConnection + kOtherDescriptors);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string Reason(int error) {
  std::string why = std::generic_category().message(error);
  if (!why.empty()) why[0] = absl::ascii_tolower(static_cast<unsigned char>(why[0]));
  return why;
}

// An address as the book counts it, and a peer as gRPC writes it.
struct From {
  std::string address;
  std::string peer;
};

From FromOf(const sockaddr_storage& name, socklen_t size) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  std::memcpy(&v6, &name, sizeof(v6));
  const bool mapped = name.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
  if (mapped) {
    v4.sin_family = AF_INET;
    v4.sin_port = v6.sin6_port;
    std::memcpy(&v4.sin_addr, &v6.sin6_addr.s6_addr[12], sizeof(v4.sin_addr));
  }
  std::array<char, NI_MAXHOST> host{};
  const auto text = [&](const void* address, size_t bytes) {
    getnameinfo(static_cast<const sockaddr*>(address), static_cast<socklen_t>(bytes), host.data(),
                host.size(), nullptr, 0, NI_NUMERICHOST);
    return std::string(host.data());
  };
  if (mapped || name.ss_family == AF_INET) {
    if (!mapped) std::memcpy(&v4, &name, sizeof(v4));
    const std::string address = text(&v4, sizeof(v4));
    return {address, absl::StrCat("ipv4:", address, ":", ntohs(v4.sin_port))};
  }
  const std::string peer = absl::StrCat("ipv6:[", text(&name, size), "]:", ntohs(v6.sin6_port));
  constexpr size_t kNetworkBytes = 8;
  std::fill(std::begin(v6.sin6_addr.s6_addr) + kNetworkBytes, std::end(v6.sin6_addr.s6_addr), 0);
  return {text(&v6, sizeof(v6)), peer};
}

// Connections of one thread.
class Loop {
 public:
  Loop(GuestBook* book, const DoorLimits& limits, std::function<Descriptor(const Guest&)> hand_over)
      : book_(book),
        look_every_(std::min(kOverdueEvery, limits.opening)),
        shared_{book, limits.opening, std::move(hand_over)},
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    epoll_event event{EPOLLIN, {.u64 = kWake}};
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
    thread_ = std::thread([this] { Run(); });
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    End(std::chrono::milliseconds(0));
    Join();
  }

  void Add(std::shared_ptr<Guest> guest, ClientStream client) {
    Post([&] { arrived_.push_back(std::make_unique<Relay>(std::move(guest), std::move(client), &shared_)); });
  }
  // Ids of other loops are ignored.
  void Close(uint64_t id) {
    Post([&] { unwanted_.push_back(id); });
  }
  // Ends when there are no connections any more, or at the latest after `grace`.
  void End(std::chrono::milliseconds grace) {
    Post([&] { ends_ = DoorClock::now() + grace; });
  }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }
  size_t connections() const { return connections_; }

 private:
  static constexpr uint64_t kWake = 0;
  struct Entry {
    std::unique_ptr<Relay> relay;
    std::array<uint32_t, 2> events = {0, 0};  // waited for; of the client and of the server
  };

  template <typename Change>
  void Post(const Change& change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    const uint64_t one = 1;
    (void)!write(wake_.get(), &one, sizeof(one));
  }

  void Run();
  // How long to wait for events; negative: no matter.
  int Patience(std::optional<DoorClock::time_point> ends) const;
  std::optional<DoorClock::time_point> TakeMessages();
  void Handle(uint64_t tag, uint32_t events);
  void Wait(Entry* entry, int side, int fd, uint32_t events, uint64_t tag) const;
  void WaitForBoth(uint64_t id, Entry* entry) const;
  void Remove(uint64_t id);
  void RemoveOverdue();

  GuestBook* const book_;
  const std::chrono::milliseconds look_every_;
  RelayShared shared_;
  const Descriptor epoll_;
  const Descriptor wake_;
  std::unordered_map<uint64_t, Entry> entries_;  // by the guest's id
  DoorClock::time_point looked_ = DoorClock::now();
  std::atomic<size_t> connections_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Relay>> arrived_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> unwanted_ ABSL_GUARDED_BY(mutex_);
  std::optional<DoorClock::time_point> ends_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

int Loop::Patience(std::optional<DoorClock::time_point> ends) const {
  if (!ends.has_value()) return entries_.empty() ? -1 : static_cast<int>(look_every_.count());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*ends - DoorClock::now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, kOverdueEvery.count()));
}

void Loop::Run() {
  // Writing to a client that has left must end the relay, not the process.
  sigset_t pipes;
  sigemptyset(&pipes);
  sigaddset(&pipes, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
  std::array<epoll_event, kEventsAtOnce> events{};
  std::optional<DoorClock::time_point> ends;
  while (!ends.has_value() || (!entries_.empty() && DoorClock::now() < *ends)) {
    const int count = epoll_wait(epoll_.get(), events.data(), kEventsAtOnce, Patience(ends));
    bool woken = false;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      woken = woken || event.data.u64 == kWake;
      Handle(event.data.u64, event.events);
    }
    if (woken) ends = TakeMessages();
    if (DoorClock::now() - looked_ >= look_every_) RemoveOverdue();
    connections_ = entries_.size();
  }
  while (!entries_.empty()) Remove(entries_.begin()->first);
}

std::optional<DoorClock::time_point> Loop::TakeMessages() {
  uint64_t ignored = 0;
  (void)!read(wake_.get(), &ignored, sizeof(ignored));
  std::vector<std::unique_ptr<Relay>> arrived;
  std::vector<uint64_t> unwanted;
  std::optional<DoorClock::time_point> ends;
  {
    const std::lock_guard lock(mutex_);
    arrived.swap(arrived_);
    unwanted.swap(unwanted_);
    ends = ends_;
  }
  for (std::unique_ptr<Relay>& relay : arrived) {
    const uint64_t id = relay->guest().id;
    Entry& entry = entries_[id];
    entry.relay = std::move(relay);
    WaitForBoth(id, &entry);
  }
  for (const uint64_t id : unwanted) Remove(id);
  return ends;
}

void Loop::Wait(Entry* entry, int side, int fd, uint32_t events, uint64_t tag) const {
  uint32_t& current = entry->events[static_cast<size_t>(side)];
  if (fd < 0 || events == current) return;
  // A socket that waits for nothing is left out: it would report its end all the time.
  epoll_event event{events, {.u64 = tag}};
  epoll_ctl(epoll_.get(),
            events == 0    ? EPOLL_CTL_DEL
            : current == 0 ? EPOLL_CTL_ADD
                           : EPOLL_CTL_MOD,
            fd, &event);
  current = events;
}

void Loop::WaitForBoth(uint64_t id, Entry* entry) const {
  Wait(entry, 0, entry->relay->client_fd(), entry->relay->ClientEvents(), id << 1);
  Wait(entry, 1, entry->relay->server_fd(), entry->relay->ServerEvents(), id << 1 | 1);
}

void Loop::Handle(uint64_t tag, uint32_t events) {
  const uint64_t id = tag >> 1;
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;  // kWake, or removed a moment ago
  const bool of_server = (tag & 1) != 0;
  if (found->second.relay->Move(of_server ? 0 : events, of_server ? events : 0)) {
    WaitForBoth(id, &found->second);
  } else {
    Remove(id);
  }
}

void Loop::Remove(uint64_t id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  book_->Leave(found->second.relay->guest());
  entries_.erase(found);  // closing takes its sockets out of epoll
}

void Loop::RemoveOverdue() {
  looked_ = DoorClock::now();
  std::vector<uint64_t> overdue;
  for (const auto& [id, entry] : entries_) {
    if (!entry.relay->Overdue(looked_)) continue;
    book_->Closed(entry.relay->guest(), "waiting", true, looked_);
    overdue.push_back(id);
  }
  for (const uint64_t id : overdue) Remove(id);
}

class SocketDoor final : public Door {
 public:
  SocketDoor(const DoorLimits& limits, std::function<void(int)> hand_over)
      : limits_(limits), book_(limits), hand_over_(std::move(hand_over)) {}
  ~SocketDoor() override { Stop(std::chrono::milliseconds(0)); }

  absl::StatusOr<int> Listen(const std::string& host, int port, const TlsTexts& tls) override;
  absl::Status SetTls(const TlsTexts& tls) override;
  void Admit(std::string_view grpc_peer) override;
  std::vector<Sample> Samples() override { return book_.Samples(DoorClock::now()); }
  void Stop(std::chrono::milliseconds grace) override;

 private:
  absl::StatusOr<int> Bind(const addrinfo& name, int port);
  void AcceptUntilStopped();
  void Accept(int listener);
  Descriptor HandOver(const Guest& guest);
  std::string Prefix() const { return absl::StrCat(std::string(kName), secret_, "/"); }

  const DoorLimits limits_;
  GuestBook book_;
  const std::function<void(int)> hand_over_;
  std::string secret_;  // so that nobody else takes our names
  std::vector<Descriptor> listeners_;
  Descriptor stop_;
  std::mutex mutex_;
  std::shared_ptr<ssl_ctx_st> tls_ ABSL_GUARDED_BY(mutex_);  // null: plain TCP
  std::vector<std::unique_ptr<Loop>> loops_;
  std::thread acceptor_;
};

absl::StatusOr<int> SocketDoor::Bind(const addrinfo& name, int port) {
  sockaddr_storage address{};
  std::memcpy(&address, name.ai_addr, name.ai_addrlen);
  (name.ai_family == AF_INET ? reinterpret_cast<sockaddr_in&>(address).sin_port
                             : reinterpret_cast<sockaddr_in6&>(address).sin6_port) =
      htons(static_cast<uint16_t>(port));
  Descriptor listener(socket(name.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  const int off = 0;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (name.ai_family == AF_INET6) setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  socklen_t size = sizeof(address);
  if (!listener.valid() ||
      bind(listener.get(), reinterpret_cast<sockaddr*>(&address), name.ai_addrlen) != 0 ||
      listen(listener.get(), kBacklog) != 0 ||
      getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return absl::UnavailableError(Reason(errno));
  }
  listeners_.push_back(std::move(listener));
  return ntohs(name.ai_family == AF_INET ? reinterpret_cast<sockaddr_in&>(address).sin_port
                                         : reinterpret_cast<sockaddr_in6&>(address).sin6_port);
}

absl::StatusOr<int> SocketDoor::Listen(const std::string& host, int port, const TlsTexts& tls) {
  if (!tls.certificate.empty()) {
    RETURN_IF_ERROR(SetTls(tls));
  }
  ASSIGN_OR_RETURN(secret_, RandomHex(8));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* raw = nullptr;
  const std::string bare =
      host.size() > 2 && host.front() == '[' && host.back() == ']' ? host.substr(1, host.size() - 2) : host;
  const int code = getaddrinfo(bare.c_str(), nullptr, &hints, &raw);
  if (code != 0) return absl::UnavailableError(absl::AsciiStrToLower(gai_strerror(code)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(raw, freeaddrinfo);
  absl::StatusOr<int> bound = absl::UnavailableError("no such address");
  for (const addrinfo* name = raw; name != nullptr; name = name->ai_next) {
    // "localhost" is two addresses, of which a machine may lack one.
    absl::StatusOr<int> one = Bind(*name, bound.value_or(port));
    if (one.ok() || !bound.ok()) bound = std::move(one);
  }
  if (!bound.ok()) return bound;
  RaiseDescriptorLimit(limits_.connections);
  stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  const int threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads);
  for (int i = 0; i < threads; ++i) {
    loops_.push_back(
        std::make_unique<Loop>(&book_, limits_, [this](const Guest& guest) { return HandOver(guest); }));
  }
  acceptor_ = std::thread([this] { AcceptUntilStopped(); });
  return bound;
}

absl::Status SocketDoor::SetTls(const TlsTexts& tls) {
  ASSIGN_OR_RETURN(TlsServerContext context, MakeTlsServerContext(tls));
  PrepareForHttp2(context.get());
  const std::lock_guard lock(mutex_);
  tls_ = std::shared_ptr<ssl_ctx_st>(std::move(context));
  return absl::OkStatus();
}

void SocketDoor::AcceptUntilStopped() {
  std::vector<pollfd> waits = {{stop_.get(), POLLIN, 0}};
  for (const Descriptor& listener : listeners_) waits.push_back({listener.get(), POLLIN, 0});
  while (waits[0].revents == 0) {
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    for (size_t i = 1; i < waits.size(); ++i) {
      if (waits[i].revents != 0) Accept(waits[i].fd);
    }
  }
}

void SocketDoor::Accept(int listener) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  Descriptor socket(
      accept4(listener, reinterpret_cast<sockaddr*>(&name), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.valid()) {
    pollfd stopped{stop_.get(), POLLIN, 0};
    if (errno != EAGAIN && errno != ECONNABORTED) poll(&stopped, 1, static_cast<int>(kAcceptAgain.count()));
    return;
  }
  const From from = FromOf(name, size);
  const DoorClock::time_point now = DoorClock::now();
  GuestBook::Arrival arrival = book_.Arrive(from.address, from.peer, now);
  if (arrival.replaced != 0) {
    for (const auto& loop : loops_) loop->Close(arrival.replaced);
  }
  if (arrival.guest == nullptr) {
    const linger reset{1, 0};  // so that a flood leaves no sockets in TIME_WAIT
    setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    return;
  }
  const int on = 1;
  const int idle_s = 60;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  // Finds machines that are gone, whose connections would count.
  setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
  std::shared_ptr<ssl_ctx_st> tls;
  {
    const std::lock_guard lock(mutex_);
    tls = tls_;
  }
  const auto& least = *std::min_element(loops_.begin(), loops_.end(), [](const auto& a, const auto& b) {
    return a->connections() < b->connections();
  });
  least->Add(std::move(arrival.guest), ClientStream(std::move(socket), tls.get()));
}

Descriptor SocketDoor::HandOver(const Guest& guest) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) return {};
  Descriptor ours(ends[0]);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = absl::StrCat(Prefix(), guest.id, "/", guest.peer);
  const size_t size = std::min(text.size(), sizeof(name.sun_path) - 1);
  std::memcpy(name.sun_path + 1, text.data(), size);
  if (bind(ours.get(), reinterpret_cast<const sockaddr*>(&name),
           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size)) != 0) {
    close(ends[1]);
    return {};
  }
  setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &kAheadBytes, sizeof(kAheadBytes));
  hand_over_(ends[1]);
  return ours;
}

void SocketDoor::Admit(std::string_view grpc_peer) {
  const std::string prefix = absl::StrCat(std::string(kScheme), Prefix());
  if (grpc_peer.substr(0, prefix.size()) != prefix) return;
  const std::string_view rest = grpc_peer.substr(prefix.size());
  const std::string_view digits = rest.substr(0, rest.find('/'));
  uint64_t id = 0;
  if (absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &id)) book_.Admit(id);
}

void SocketDoor::Stop(std::chrono::milliseconds grace) {
  if (!acceptor_.joinable()) return;
  const uint64_t one = 1;
  (void)!write(stop_.get(), &one, sizeof(one));
  acceptor_.join();
  listeners_.clear();
  for (const auto& loop : loops_) loop->End(grace);
  for (const auto& loop : loops_) loop->Join();
}

}  // namespace

std::unique_ptr<Door> Door::Create(const DoorLimits& limits, std::function<void(int)> hand_over) {
  return std::make_unique<SocketDoor>(limits, std::move(hand_over));
}

std::string ClientOf(const std::string& grpc_peer) {
  const std::string prefix = absl::StrCat(std::string(kScheme), std::string(kName));
  if (!absl::StartsWith(grpc_peer, prefix)) return grpc_peer;
  size_t at = prefix.size();
  for (int i = 0; i < 2; ++i) {  // the secret and the id
    at = grpc_peer.find('/', at);
    if (at == std::string::npos) return grpc_peer;
    ++at;
  }
  return grpc_peer.substr(at);
}

}  // namespace diopi::server
