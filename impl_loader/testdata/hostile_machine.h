// Ways of vendor_hostile to the machine's other programs and to its kernel, apart from files and processes.
// The test has made what they look for (client/testing/foreign_objects.h). Each function returns an errno; 0:
// it succeeded.
#ifndef IMPL_LOADER_TESTDATA_HOSTILE_MACHINE_H_
#define IMPL_LOADER_TESTDATA_HOSTILE_MACHINE_H_

#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "impl_loader/testdata/hostile_files.h"

namespace hostile {

inline std::string ObjectsName() {
  return Environment("DIOPI_TEST_OBJECTS");
}

inline key_t ObjectsKey() {
  return static_cast<key_t>(std::strtol(Environment("DIOPI_TEST_KEY").c_str(), nullptr, 10));
}

// A path, or with a zero in front the name of an abstract socket.
inline socklen_t AddressOf(const std::string& name, sockaddr_un* to) {
  *to = {};
  to->sun_family = AF_UNIX;
  std::memcpy(to->sun_path, name.data(), name.size() < sizeof(to->sun_path) ? name.size() : 0);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
}

// Sends a byte, with a descriptor if there is one, to the test's socket for datagrams.
inline int SendTo(int socket, int descriptor) {
  if (socket < 0) return errno;
  sockaddr_un to;
  msghdr message{};
  message.msg_name = &to;
  message.msg_namelen = AddressOf(Environment("DIOPI_TEST_HOME") + "/datagrams", &to);
  char byte = '!';
  iovec data{&byte, 1};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(descriptor));
  }
  const int error = ErrnoOf(sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
  close(socket);
  return error;
}

// One end of a pair, from which datagrams can go to any address.
inline int DatagramPair() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return -1;
  close(ends[1]);
  return ends[0];
}

inline int SendDatagram() {
  return SendTo(DatagramPair(), -1);
}

inline int SendDescriptor() {
  return SendTo(DatagramPair(), STDERR_FILENO);
}

inline int SendRaw() {
  return SendTo(socket(AF_UNIX, SOCK_RAW, 0), -1);
}

inline int CallAbstractSocket() {
  const int caller = socket(AF_UNIX, SOCK_STREAM, 0);
  if (caller < 0) return errno;
  sockaddr_un to;
  std::string name(1, '\0');
  name += ObjectsName();
  const socklen_t length = AddressOf(name, &to);
  const int error = ErrnoOf(connect(caller, reinterpret_cast<sockaddr*>(&to), length));
  close(caller);
  return error;
}

inline int UseSharedMemory(bool write) {
  const int id = shmget(ObjectsKey(), 0, 0);
  if (id < 0) return errno;
  void* const at = shmat(id, nullptr, write ? 0 : SHM_RDONLY);
  if (at == reinterpret_cast<void*>(-1)) return errno;
  auto* byte = static_cast<volatile char*>(at);
  const bool read = *byte != 0;
  if (write) *byte = 'h';
  shmdt(at);
  return read ? 0 : ENODATA;
}

// Whether it stays behind, the test sees.
inline int LeaveSharedMemory() {
  return ErrnoOf(shmget(ObjectsKey() + 1, 4096, IPC_CREAT | 0600));
}

inline int TakeMessage() {
  struct {
    long type = 0;
    char text[16] = {};
  } message;
  const int id = msgget(ObjectsKey(), 0);
  if (id >= 0 && msgrcv(id, &message, sizeof(message.text), 0, IPC_NOWAIT) > 0) return 0;
  const int error = errno;
  const mqd_t queue = mq_open(("/" + ObjectsName()).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (queue == static_cast<mqd_t>(-1)) return error;
  mq_close(queue);
  return 0;
}

inline int OverwriteShmFile() {
  const int file = open(("/dev/shm/" + ObjectsName()).c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = ErrnoOf(pwrite(file, "h", 1, 0));
  close(file);
  return error;
}

inline int OpenTerminal() {
  return open(Environment("DIOPI_TEST_TERMINAL").c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

inline int ReadTerminal() {
  const int terminal = OpenTerminal();
  if (terminal < 0) return errno;
  const int error = ReadByte(terminal);
  close(terminal);
  return error;
}

inline int WriteTerminal() {
  const int terminal = OpenTerminal();
  if (terminal < 0) return errno;
  const int error = ErrnoOf(write(terminal, "\033[2J", 4));
  close(terminal);
  return error;
}

inline int OpenKernelDevices() {
  int error = ENOENT;
  for (const char* name : {"kmsg", "kvm", "fuse", "net/tun", "userfaultfd"}) {
    const int found = OpenAndClose(std::string("/dev/") + name, O_RDONLY | O_NONBLOCK);
    if (found == 0) return 0;
    if (found != ENOENT) error = found;
  }
  return error;
}

// The kernel ends the process with the largest score first.
inline int OutlastAgent() {
  constexpr char kScore[] = "/proc/self/oom_score_adj";
  for (const char* score : {"-1000", "0"}) {
    const int file = open(kScore, O_WRONLY | O_CLOEXEC);
    if (file < 0) continue;
    if (write(file, score, std::strlen(score)) < 0) errno = EACCES;
    close(file);
  }
  std::FILE* const file = std::fopen(kScore, "re");
  if (file == nullptr) return errno;
  char text[16] = "";
  const bool read = std::fgets(text, sizeof(text), file) != nullptr;
  std::fclose(file);
  return read && std::strtol(text, nullptr, 10) < 1000 ? 0 : EACCES;
}

}  // namespace hostile

#endif  // IMPL_LOADER_TESTDATA_HOSTILE_MACHINE_H_
