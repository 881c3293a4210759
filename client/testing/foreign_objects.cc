#include "client/testing/foreign_objects.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace diopi::testing {
namespace {

constexpr key_t kKeys = 0x64000000;

void MakeFile(const std::string& path, uid_t user) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  EXPECT_TRUE(WriteAll(file.get(), "content")) << path << ": " << strerror(errno);
  EXPECT_EQ(fchown(file.get(), user, user), 0) << path;
}

Descriptor Bind(int type, const std::string& name) {
  Descriptor bound(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  EXPECT_LT(name.size(), sizeof(address.sun_path));
  memcpy(address.sun_path, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  EXPECT_EQ(bind(bound.get(), reinterpret_cast<sockaddr*>(&address), length), 0) << strerror(errno);
  return bound;
}

}  // namespace

ForeignObjects::ForeignObjects(uid_t user, const std::string& home)
    : name_(absl::StrCat("diopi_test_", getpid())), key_(kKeys + 2 * getpid()) {
  MakeIpc(user);
  MakeFile("/dev/shm/" + name_, user);
  MakeSockets(user, home);
  MakeTerminal(user);
}

ForeignObjects::~ForeignObjects() {
  shmctl(memory_, IPC_RMID, nullptr);
  msgctl(queue_, IPC_RMID, nullptr);
  mq_unlink(("/" + name_).c_str());
  unlink(("/dev/shm/" + name_).c_str());
  FindLeftSharedMemory();
}

void ForeignObjects::MakeIpc(uid_t user) {
  constexpr size_t kBytes = 4096;
  memory_ = shmget(key_, kBytes, IPC_CREAT | IPC_EXCL | 0600);
  auto* bytes = static_cast<char*>(shmat(memory_, nullptr, 0));
  ASSERT_NE(bytes, reinterpret_cast<char*>(-1)) << strerror(errno);
  bytes[0] = 'c';
  shmdt(bytes);
  shmid_ds memory{};
  EXPECT_EQ(shmctl(memory_, IPC_STAT, &memory), 0);
  memory.shm_perm.uid = user;
  EXPECT_EQ(shmctl(memory_, IPC_SET, &memory), 0);

  queue_ = msgget(key_, IPC_CREAT | IPC_EXCL | 0600);
  const struct {
    long type = 1;
    char text[8] = "content";
  } message;
  EXPECT_EQ(msgsnd(queue_, &message, sizeof(message.text), 0), 0) << strerror(errno);
  msqid_ds queue{};
  EXPECT_EQ(msgctl(queue_, IPC_STAT, &queue), 0);
  queue.msg_perm.uid = user;
  EXPECT_EQ(msgctl(queue_, IPC_SET, &queue), 0);

  const Descriptor posix(mq_open(("/" + name_).c_str(), O_RDWR | O_CREAT | O_EXCL, 0600, nullptr));
  EXPECT_EQ(fchown(posix.get(), user, user), 0) << strerror(errno);
}

void ForeignObjects::MakeSockets(uid_t user, const std::string& home) {
  const std::string path = home + "/datagrams";
  open_.push_back(Bind(SOCK_DGRAM, path));
  EXPECT_EQ(chown(path.c_str(), user, user), 0);
  open_.push_back(Bind(SOCK_STREAM, std::string(1, '\0') + name_));
  EXPECT_EQ(listen(open_.back().get(), 16), 0);
}

void ForeignObjects::MakeTerminal(uid_t user) {
  Descriptor keyboard(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_EQ(grantpt(keyboard.get()), 0) << strerror(errno);
  ASSERT_EQ(unlockpt(keyboard.get()), 0) << strerror(errno);
  char name[64] = "";
  ASSERT_EQ(ptsname_r(keyboard.get(), name, sizeof(name)), 0);
  terminal_ = name;
  EXPECT_EQ(chown(name, user, user), 0) << strerror(errno);
  open_.emplace_back(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  EXPECT_TRUE(WriteAll(keyboard.get(), "a secret\n"));
  open_.push_back(std::move(keyboard));
}

std::vector<std::string> ForeignObjects::Environment() const {
  return {"DIOPI_TEST_OBJECTS=" + name_, absl::StrCat("DIOPI_TEST_KEY=", key_),
          "DIOPI_TEST_TERMINAL=" + terminal_};
}

bool ForeignObjects::FindLeftSharedMemory() const {
  const int left = shmget(key_ + 1, 0, 0);
  return left >= 0 && shmctl(left, IPC_RMID, nullptr) == 0;
}

}  // namespace diopi::testing
