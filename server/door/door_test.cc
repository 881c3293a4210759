// The door in front of a server of the test's own, which says who called and then returns every byte.
#include "server/door/door.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "cases/base/descriptor.h"
#include "server/door/attack_testing.h"
#include "server/security/certificates_testing.h"
#include "server/security/tls_client_testing.h"

namespace diopi::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string NameOf(int fd) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  getpeername(fd, reinterpret_cast<sockaddr*>(&name), &size);
  constexpr size_t kBefore = 3;  // the family, and the zero of abstract names
  return size <= kBefore ? "" : std::string(reinterpret_cast<const char*>(&name) + kBefore, size - kBefore);
}

class DoorTest : public testing::Test {
 protected:
  void Open(const DoorLimits& limits = {}, const TlsTexts& tls = {}) {
    door_ = Door::Create(limits, [this](int fd) { Serve(fd); });
    const absl::StatusOr<int> port = door_->Listen("127.0.0.1", 0, tls);
    ASSERT_TRUE(port.ok()) << port.status();
    port_ = *port;
  }
  ~DoorTest() override {
    door_ = nullptr;
    for (std::thread& thread : threads_) thread.join();
  }

  TlsTexts Texts(const std::string& name, bool client_ca = false) const {
    const TestPair pair = authority_.Issue(name);
    const auto texts = ReadTlsFiles({pair.certificate, pair.key, client_ca ? authority_.ca() : ""});
    EXPECT_TRUE(texts.ok()) << texts.status();
    return *texts;
  }
  std::unique_ptr<TlsClient> ConnectTls() const {
    TlsOffer offer;
    offer.application = "h2";
    return TlsClient::Connect(port_, offer);
  }
  std::string FirstName() {
    std::unique_lock lock(mutex_);
    served_.wait(lock, [this] { return !names_.empty(); });
    return names_.front();
  }
  size_t Served() {
    const std::lock_guard lock(mutex_);
    return names_.size();
  }
  double Strangers() const {
    for (const Sample& sample : door_->Samples()) {
      if (sample.name == "diopi_door_connections" && sample.labels.at("state") == "stranger")
        return sample.value;
    }
    return -1;
  }

  const TestAuthority authority_;
  std::unique_ptr<Door> door_;
  int port_ = 0;

 private:
  void Serve(int fd) {
    const std::lock_guard lock(mutex_);
    names_.push_back(NameOf(fd));
    served_.notify_all();
    threads_.emplace_back([socket = Descriptor(dup(fd))] {
      std::vector<char> bytes(1 << 16);
      fcntl(socket.get(), F_SETFL, 0);  // blocking
      for (;;) {
        const ssize_t count = read(socket.get(), bytes.data(), bytes.size());
        if (count <= 0 || !WriteAll(socket.get(), {bytes.data(), static_cast<size_t>(count)})) return;
      }
    });
    close(fd);
  }

  std::mutex mutex_;
  std::condition_variable served_;
  std::vector<std::string> names_;
  std::vector<std::thread> threads_;
};

// An opening, and a DATA frame as long as a frame can be.
std::string Upload() {
  std::string data(0xffffff, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 2654435761u >> 13);
  return std::string(kHttp2Preface) + FrameBytes(0, 0, 1, data);
}

std::string ReadSome(int fd, size_t size) {
  std::string text(size, '\0');
  const ssize_t count = recv(fd, text.data(), text.size(), MSG_WAITALL);
  text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

TEST_F(DoorTest, PassesEveryByteBothWays) {
  Open();
  const std::string sent = Upload();
  const Descriptor client(ConnectTo(port_));
  // The echo fills all buffers on the way before the test reads it, so that both directions block.
  std::thread writer([&] { EXPECT_TRUE(WriteAll(client.get(), sent)); });
  FirstName();
  EXPECT_TRUE(ReadSome(client.get(), sent.size()) == sent);
  writer.join();
}

TEST_F(DoorTest, PassesEveryByteThroughTls) {
  Open({}, Texts("server"));
  const std::string sent = Upload().substr(0, 1 << 20);
  const auto client = ConnectTls();
  ASSERT_NE(client, nullptr);
  std::string got;
  for (size_t at = 0; at < sent.size(); at += 4096) {
    ASSERT_TRUE(client->Send(std::string_view(sent).substr(at, 4096)));
    while (got.size() < std::min(at + 4096, sent.size())) {
      const std::string piece = client->Receive();
      ASSERT_FALSE(piece.empty());
      got += piece;
    }
  }
  EXPECT_TRUE(got == sent);
}

TEST_F(DoorTest, ThePrefaceMayComeInPieces) {
  Open({}, Texts("server"));  // with TLS, each piece is read by itself
  const auto client = ConnectTls();
  ASSERT_NE(client, nullptr);
  for (const char c : kHttp2Preface) ASSERT_TRUE(client->Send(std::string(1, c)));
  EXPECT_EQ(client->Receive(), kHttp2Preface);
}

TEST_F(DoorTest, SaysWhoCalls) {
  Open();
  const Descriptor client(ConnectTo(port_, "127.0.0.3"));
  ASSERT_TRUE(WriteAll(client.get(), kHttp2Preface));
  const std::string name = "unix-abstract:" + FirstName();  // as gRPC has it
  EXPECT_THAT(name, StartsWith("unix-abstract:diopi-door/"));
  EXPECT_THAT(ClientOf(name), StartsWith("ipv4:127.0.0.3:"));
  EXPECT_EQ(Strangers(), 1);
  door_->Admit("unix-abstract:diopi-door/0/1/ipv4:127.0.0.3:1");  // of another door
  door_->Admit("ipv4:127.0.0.3:1");
  EXPECT_EQ(Strangers(), 1);
  door_->Admit(name);
  door_->Admit(name);
  EXPECT_EQ(Strangers(), 0);
}

TEST(DoorNamesTest, LeavesOtherPeersAsTheyAre) {
  for (const char* peer : {"", "ipv4:1.2.3.4:5", "unix:", "unix:/a/b/c/d", "unix-abstract:diopi-door/",
                           "unix-abstract:diopi-door/a/1"}) {
    EXPECT_EQ(ClientOf(peer), peer);
  }
  EXPECT_EQ(ClientOf("unix-abstract:diopi-door/a/1/ipv6:%5B::1%5D:5"), "ipv6:%5B::1%5D:5");
}

TEST_F(DoorTest, EndsWhatDoesNotSpeakHttp2) {
  Open();
  const Descriptor client(ConnectTo(port_));
  ASSERT_TRUE(WriteAll(client.get(), "GET / HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(ReadSome(client.get(), 1), "");
  EXPECT_EQ(Served(), 0u);
}

TEST_F(DoorTest, EndsWhatDoesNotOpen) {
  for (const bool tls : {false, true}) {
    DoorLimits limits;
    limits.opening = std::chrono::milliseconds(50);
    Open(limits, tls ? Texts("server") : TlsTexts());
    const Descriptor silent(ConnectTo(port_));
    const Descriptor slow(ConnectTo(port_));
    ASSERT_TRUE(WriteAll(slow.get(), tls ? "\x16" : "PRI"));
    EXPECT_EQ(ReadSome(silent.get(), 1), "") << tls;
    EXPECT_EQ(ReadSome(slow.get(), 1), "") << tls;
    EXPECT_EQ(Served(), 0u);
  }
}

TEST_F(DoorTest, WantsHttp2FromTlsClients) {
  Open({}, Texts("server"));
  TlsOffer other;
  other.application = "http/1.1";
  EXPECT_EQ(TlsClient::Connect(port_, other), nullptr);
  const auto none = TlsClient::Connect(port_);
  ASSERT_NE(none, nullptr);
  EXPECT_TRUE(none->Send(kHttp2Preface));
  EXPECT_EQ(none->Receive(), "");
  EXPECT_EQ(Served(), 0u);
}

TEST_F(DoorTest, AcceptsTheTlsOfToday) {
  Open({}, Texts("server"));
  for (const TlsOfferRow& row : TlsOffers()) {
    EXPECT_EQ(TlsClient::Connect(port_, row.offer) != nullptr, row.accepted) << row.name;
  }
}

TEST_F(DoorTest, ShowsNewCertificatesToNewConnections) {
  Open({}, Texts("first"));
  const auto open = ConnectTls();
  ASSERT_NE(open, nullptr);
  ASSERT_TRUE(door_->SetTls(Texts("second")).ok());
  EXPECT_EQ(ConnectTls()->server(), "second");
  TlsTexts bad = Texts("third");
  bad.key = Texts("other").key;
  EXPECT_TRUE(absl::IsInvalidArgument(door_->SetTls(bad)));
  EXPECT_EQ(ConnectTls()->server(), "second");
  EXPECT_TRUE(open->Send(kHttp2Preface));
  EXPECT_EQ(open->Receive(), kHttp2Preface);
}

TEST_F(DoorTest, ClientsNeedACertificateIfTheServerSaysSo) {
  Open({}, Texts("server", true));
  const auto client = ConnectTls();  // with TLS 1.3 a client learns of it later
  if (client != nullptr) {
    client->Send(kHttp2Preface);
    EXPECT_EQ(client->Receive(), "");
  }
  EXPECT_EQ(Served(), 0u);
}

TEST_F(DoorTest, ListensOnBothAddressesOfLocalhost) {
  door_ = Door::Create({}, [](int fd) { close(fd); });
  ASSERT_TRUE(door_->Listen("localhost", 0, {}).ok());
}

TEST_F(DoorTest, SaysWhyItCannotListen) {
  Open();
  const auto second = Door::Create({}, [](int fd) { close(fd); });
  EXPECT_EQ(second->Listen("127.0.0.1", port_, {}).status().message(), "address already in use");
}

TEST_F(DoorTest, StopsWhileClientsStay) {
  Open();
  const Descriptor silent(ConnectTo(port_));
  const Descriptor open(ConnectTo(port_));
  ASSERT_TRUE(WriteAll(open.get(), kHttp2Preface));
  EXPECT_EQ(ReadSome(open.get(), kHttp2Preface.size()), kHttp2Preface);
  door_->Stop(std::chrono::milliseconds(0));
  EXPECT_EQ(ReadSome(open.get(), 1), "");
  EXPECT_EQ(ReadSome(silent.get(), 1), "");
}

}  // namespace
}  // namespace diopi::server
