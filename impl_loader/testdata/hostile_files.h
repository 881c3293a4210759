// Ways of vendor_hostile to the references in DATA, each of which tries to read one. Each function returns an
// errno; 0: it succeeded.
#ifndef IMPL_LOADER_TESTDATA_HOSTILE_FILES_H_
#define IMPL_LOADER_TESTDATA_HOSTILE_FILES_H_

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace hostile {

inline std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The result of a system call as an errno; 0: success.
inline int ErrnoOf(long result) {
  return result < 0 ? errno : 0;
}

inline int OpenAndClose(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  const int error = ErrnoOf(file);
  if (file >= 0) close(file);
  return error;
}

// Whether there is something to read: an empty file may cover the one that was meant.
inline int ReadByte(int file) {
  char byte = 0;
  const ssize_t count = read(file, &byte, 1);
  return count < 0 ? errno : count == 0 ? ENODATA : 0;
}

inline int OpenAndRead(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = ReadByte(file);
  close(file);
  return error;
}

// The entries of a folder, without those that begin with a dot.
inline std::vector<std::string> Entries(const std::string& path) {
  std::vector<std::string> names;
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) return names;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  closedir(folder);
  return names;
}

constexpr char kReference[] = "/cpu/add.h5";

inline std::string Data() {
  return Environment("DIOPI_TEST_DATA");
}

inline std::string Reference() {
  return Data() + "/baselines" + kReference;
}

inline int ReadReference() {
  return OpenAndRead(Reference());
}

// By the root, the working folder and the open files of every other process.
inline int ReadThroughProcess() {
  char self[16] = "";
  if (readlink("/proc/self", self, sizeof(self) - 1) < 0) return errno;
  int error = ENOENT;
  for (const std::string& name : Entries("/proc")) {
    if (std::strtol(name.c_str(), nullptr, 10) <= 0 || name == self) continue;
    const std::string process = "/proc/" + name;
    std::vector<std::string> ways = {process + "/root" + Reference(), process + "/cwd" + kReference};
    for (const std::string& file : Entries(process + "/fd")) {
      char to[256] = "";
      const std::string link = process + "/fd/" + file;
      if (readlink(link.c_str(), to, sizeof(to) - 1) > 0 && to == Reference()) ways.push_back(link);
    }
    for (const std::string& way : ways) {
      error = OpenAndRead(way);
      if (error == 0) return 0;
    }
  }
  return error;
}

// The agent was started in DATA/baselines.
inline int ReadFromWorkingFolder() {
  const int error = OpenAndRead(std::string(".") + kReference);
  return error == 0 ? 0 : OpenAndRead(std::string("/proc/self/cwd") + kReference);
}

inline int ReadThroughMount() {
  return OpenAndRead(Environment("DIOPI_TEST_MOUNT") + "/baselines" + kReference);
}

inline int ReadByHandle() {
  const std::string text = Environment("DIOPI_TEST_HANDLE");  // the type, a colon, hex digits
  constexpr size_t kMostBytes = 128;
  alignas(file_handle) unsigned char bytes[sizeof(file_handle) + kMostBytes] = {};
  auto* handle = reinterpret_cast<file_handle*>(bytes);
  handle->handle_type = static_cast<int>(std::strtol(text.c_str(), nullptr, 10));
  size_t at = text.find(':') + 1;
  for (; at + 1 < text.size() && handle->handle_bytes < kMostBytes; at += 2) {
    bytes[sizeof(file_handle) + handle->handle_bytes++] =
        static_cast<unsigned char>(std::strtol(text.substr(at, 2).c_str(), nullptr, 16));
  }
  const int mount = open(Environment("DIOPI_TEST_HOME").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int file = open_by_handle_at(mount, handle, O_RDONLY | O_CLOEXEC);
  const int error = file < 0 ? errno : ReadByte(file);
  if (file >= 0) close(file);
  if (mount >= 0) close(mount);
  return error;
}

inline int ReadDisk() {
  return OpenAndRead(Environment("DIOPI_TEST_DISK"));
}

// Looks beneath what is mounted on DATA: without it, in new namespaces, in those of other processes, in a
// copy of the folder around it. In a child, whose namespaces may change.
inline int Uncover() {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  }
  const std::string data = Data();
  const auto uncover = [&data] {
    umount2(data.c_str(), MNT_DETACH);
    return ReadReference() == 0;
  };
  if (uncover()) _exit(0);
  const size_t slash = data.rfind('/');
  const int copy = static_cast<int>(
      syscall(SYS_open_tree, AT_FDCWD, data.substr(0, slash).c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  const std::string beneath = data.substr(slash + 1) + "/baselines" + kReference;
  if (copy >= 0 && openat(copy, beneath.c_str(), O_RDONLY | O_CLOEXEC) >= 0) _exit(0);
  for (const std::string& name : Entries("/proc")) {
    const int theirs = open(("/proc/" + name + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC);
    if (theirs < 0) continue;
    if (setns(theirs, CLONE_NEWNS) == 0 && ReadReference() == 0) _exit(0);
    close(theirs);
  }
  const int error = ErrnoOf(unshare(CLONE_NEWUSER | CLONE_NEWNS));
  _exit(uncover() ? 0 : error != 0 ? error : EACCES);
}

}  // namespace hostile

#endif  // IMPL_LOADER_TESTDATA_HOSTILE_FILES_H_
