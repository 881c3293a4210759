#include "server/rpc/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "cases/base/test_folder.h"
#include "server/rpc/server.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

TEST(AddressTest, Parses) {
  struct Row {
    std::string text;
    bool ok;
    bool is_unix;
    std::string host;
    int port;
  };
  const std::vector<Row> rows = {
      {"127.0.0.1:7410", true, false, "127.0.0.1", 7410},
      {"localhost:0", true, false, "localhost", 0},
      {"unix:/tmp/a:b", true, true, "/tmp/a:b", 0},
      {"unix:", false, false, "", 0},
      {"", false, false, "", 0},
      {":80", false, false, "", 0},
      {"127.0.0.1", false, false, "", 0},
      {"127.0.0.1:", false, false, "", 0},
      {"127.0.0.1:http", false, false, "", 0},
      {"127.0.0.1:65536", false, false, "", 0},
      {"127.0.0.1:-1", false, false, "", 0},
  };
  for (const Row& row : rows) {
    const absl::StatusOr<Address> address = ParseAddress(row.text);
    ASSERT_EQ(address.ok(), row.ok) << row.text;
    if (!row.ok) {
      EXPECT_TRUE(absl::IsInvalidArgument(address.status()));
      EXPECT_THAT(std::string(address.status().message()), HasSubstr("HOST:PORT"));
      continue;
    }
    EXPECT_EQ(address->is_unix, row.is_unix);
    EXPECT_EQ(address->host, row.host);
    EXPECT_EQ(address->port, row.port);
    EXPECT_EQ(address->Text(), row.text);
  }
}

class ListenTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<ConformanceServer>> Start(const std::string& listen, bool insecure = false) {
    ServerOptions options;
    options.data_folder = folder_.path();
    options.listen = listen;
    options.insecure = insecure;
    return ConformanceServer::Start(options);
  }

  const TestFolder folder_;
};

TEST_F(ListenTest, AnAddressInUseIsNamedWithTheReason) {
  for (const std::string& listen : {std::string("127.0.0.1:0"), "unix:" + folder_ / "s"}) {
    const auto first = Start(listen);
    ASSERT_TRUE(first.ok()) << first.status();
    const absl::Status status = Start((*first)->address()).status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_EQ(std::string(status.message()),
              "cannot listen on " + (*first)->address() + ": address already in use");
  }
}

TEST_F(ListenTest, ASocketThatADeadServerLeftIsReplaced) {
  const std::string path = folder_ / "s";
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path.c_str(), sizeof(name.sun_path) - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
  close(fd);
  ASSERT_TRUE(std::filesystem::exists(path));
  const auto server = Start("unix:" + path);
  EXPECT_TRUE(server.ok()) << server.status();
}

TEST_F(ListenTest, OtherPlacesThatCannotBeListenedOn) {
  std::ofstream(folder_ / "file") << "x";
  struct Row {
    std::string listen;
    absl::StatusCode code;
    std::string says;
    bool insecure = false;
  };
  const std::vector<Row> rows = {
      {"192.0.2.1:7410", absl::StatusCode::kUnavailable, "cannot assign requested address", true},
      {"192.0.2.1:7410", absl::StatusCode::kInvalidArgument, "use --tls-cert and --tls-key, or --insecure"},
      {"unix:" + folder_ / "file", absl::StatusCode::kUnavailable, "not a socket"},
      {"unix:" + folder_ / "none/s", absl::StatusCode::kUnavailable, "cannot listen on unix:"},
      {"unix:/" + std::string(200, 'x'), absl::StatusCode::kUnavailable, "longer than"},
      {"7410", absl::StatusCode::kInvalidArgument, "expected HOST:PORT"},
  };
  for (const Row& row : rows) {
    const absl::Status status = Start(row.listen, row.insecure).status();
    EXPECT_EQ(status.code(), row.code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace diopi::server
