// Clients that send garbage: bytes that are not HTTP/2, invalid frames, and invalid requests to every RPC.
// The server stays up and answers others meanwhile.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "server/rpc/raw_call_testing.h"
#include "server/rpc/server_testing.h"

namespace diopi::server {
namespace {

using namespace std::string_literals;

std::string RandomBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// One connection to the port, which the server ends, or the destructor.
class RawConnection {
 public:
  explicit RawConnection(const std::string& address) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  }
  ~RawConnection() { close(fd_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // Errors do not matter: the server may have hung up.
  void Send(const std::string& bytes) { send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

 private:
  const int fd_;
};

constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Length (3 bytes), type, flags, stream (4 bytes).
std::string Frame(uint32_t length, char type, char flags, char stream, const std::string& payload) {
  std::string frame;
  for (const int shift : {16, 8, 0}) frame.push_back(static_cast<char>(length >> shift));
  return frame + type + flags + std::string(3, '\0') + stream + payload;
}

TEST(GarbageTest, BytesThatAreNoProtocol) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun({"relu"})->run_id();
  const std::string preface = kPreface;
  const std::string settings = Frame(0, 4, 0, 0, "");
  std::vector<std::string> rows = {
      "",
      "\n",
      "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s,  // the beginning of a TLS hello
      preface.substr(0, 10),
      preface,
      preface + settings.substr(0, 5),
      preface + Frame(0xffffff, 0, 0, 1, "x"),                     // a frame of 16 MiB that does not come
      preface + settings + Frame(4, 1, 4, 1, "\xff\xff\xff\xff"),  // headers that do not decompress
      preface + settings + Frame(6, 4, 0, 0, "\x01\x03\xff\xff\xff\xff"),  // settings out of range
      preface + settings + Frame(8, 6, 0, 1, "pingping"),                  // a ping on a stream
      preface + settings + Frame(4, 8, 0, 0, std::string(4, '\0')),        // a window that grows by nothing
      preface + settings + Frame(3, 0, 0, 7, "abc"),  // data of a stream that was never opened
      preface + settings + Frame(1, 99, 0, 0, "?"),
  };
  for (uint32_t seed = 0; seed < 40; ++seed) {
    rows.push_back(RandomBytes(1 + seed * 97, seed));
    rows.push_back(preface + settings + RandomBytes(1 + seed * 97, seed));
  }
  std::vector<std::unique_ptr<RawConnection>> open;
  for (size_t i = 0; i < rows.size(); ++i) {
    // Some connections stay, some close at once.
    auto connection = std::make_unique<RawConnection>(server.server().address());
    connection->Send(rows[i]);
    if (i % 2 == 0) open.push_back(std::move(connection));
    ASSERT_TRUE(agent.GetRun(run).ok()) << "after row " << i;
  }
  EXPECT_EQ(agent.DoAll(run, 1), 2);
}

TEST(GarbageTest, BytesThatAreNoRequestToEveryRpc) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun({"relu"})->run_id();
  grpc::GenericStub stub(
      grpc::CreateCustomChannel(server.server().address(), grpc::InsecureChannelCredentials(), {}));
  struct Row {
    std::string request;
    bool may_parse;  // by some RPCs, as unknown fields
  };
  const std::vector<Row> rows = {
      {"\x0a", false},                      // a string without its length
      {"\x0a\xff\xff\xff\xff\x0f", false},  // of 4 GiB
      {std::string(200, '\x0b'), false},    // groups in groups
      {"\x0a\x02\xff\xfe", true},           // a string that is not UTF-8
      {std::string(100'000, '\x08'), true},
      {RandomBytes(3, 1), true},
      {RandomBytes(1000, 2), true},
  };
  for (const google::protobuf::MethodDescriptor* method : AllMethods()) {
    for (const Row& row : rows) {
      const grpc::Status status = CallRaw(&stub, *method, row.request);
      EXPECT_NE(status.error_code(), grpc::StatusCode::UNAVAILABLE) << method->full_name();
      EXPECT_TRUE(row.may_parse || !status.ok()) << method->full_name() << " took garbage";
    }
    ASSERT_TRUE(agent.GetRun(run).ok()) << method->full_name();
  }
  EXPECT_EQ(agent.DoAll(run, 1), 2);
}

}  // namespace
}  // namespace diopi::server
