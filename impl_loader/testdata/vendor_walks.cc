// Walks through all that a process may reach on its machine, and prints a line for each thing it finds,
// "walk: KIND NAME": files of /dev, files that it can write to, what /proc and its descriptors show, objects
// of IPC, kinds of sockets, system calls, namespaces, capabilities. Its results are right.
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "impl_loader/testdata/hostile_files.h"
#include "impl_loader/testdata/vendor_common.h"

namespace {

void Found(const char* kind, const std::string& name) {
  std::fprintf(stderr, "walk: %s %s\n", kind, name.c_str());
}

// Calls `visit` with the path and the facts of all below a folder.
template <typename F>
void Walk(std::string folder, F&& visit) {
  char* roots[] = {folder.data(), nullptr};
  const std::unique_ptr<FTS, decltype(&fts_close)> tree(fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, nullptr),
                                                        fts_close);
  while (FTSENT* entry = tree == nullptr ? nullptr : fts_read(tree.get())) {
    if (entry->fts_level > 0 && entry->fts_info != FTS_DP) visit(entry->fts_path, *entry->fts_statp);
  }
}

// What is not protected may be harmful even to open, so that names suffice here.
void WalkDev() {
  Walk("/dev", [](const std::string& path, const struct stat&) { Found("dev", path); });
}

void WalkWritable() {
  for (const char* folder : {"/proc", "/sys"}) {
    Walk(folder, [](const std::string& path, const struct stat& file) {
      if (!S_ISREG(file.st_mode)) return;
      if (hostile::OpenAndClose(path, O_WRONLY | O_NONBLOCK) == 0) Found("writable", path);
    });
  }
}

// Places at which a file can be made: all mounts and the folders for it.
void WalkFolders() {
  std::set<std::string> places = {"/",     "/tmp", "/var/tmp", "/run",       "/run/lock", "/home",
                                  "/root", "/srv", "/var/lib", "/var/cache", "/mnt"};
  const std::string own = hostile::Environment("TMPDIR");
  places.insert(own);
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string point;
    words >> point >> point;
    places.insert(point);
  }
  for (const std::string& place : places) {
    const std::string path = place + "/walk" + std::to_string(getpid());
    if (hostile::OpenAndClose(path, O_WRONLY | O_CREAT | O_EXCL) != 0) continue;
    unlink(path.c_str());
    Found("folder", place == own ? "OWN" : place);
  }
}

void WalkProc() {
  for (const std::string& name : hostile::Entries("/proc")) {
    if (std::strtol(name.c_str(), nullptr, 10) > 0) {
      Found("process", name == std::to_string(getpid()) ? "self" : name);
      continue;
    }
    const int file = open(("/proc/" + name).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    close(file);
    Found("proc", name);
  }
}

void WalkDescriptors() {
  for (const std::string& name : hostile::Entries("/proc/self/fd")) {
    char to[256] = "";
    if (readlink(("/proc/self/fd/" + name).c_str(), to, sizeof(to) - 1) > 0) {
      Found("descriptor", name + " " + to);
    }
  }
}

// Finds them by their indices, whatever their keys.
void WalkIpc() {
  for (int i = 0; i < 4096; ++i) {
    shmid_ds memory{};
    semid_ds semaphores{};
    msqid_ds queue{};
    if (shmctl(i, SHM_STAT, &memory) >= 0) Found("ipc", "memory");
    if (semctl(i, 0, SEM_STAT, &semaphores) >= 0) Found("ipc", "semaphores");
    if (msgctl(i, MSG_STAT, &queue) >= 0) Found("ipc", "queue");
  }
}

void WalkSockets() {
  constexpr int kFamilies = 64;
  constexpr int kTypes = 16;
  for (int family = 0; family < kFamilies; ++family) {
    for (int type = 0; type < kTypes; ++type) {
      const std::string name = std::to_string(family) + " " + std::to_string(type);
      const int file = socket(family, type, 0);
      if (file >= 0) Found("socket", name);
      if (file >= 0) close(file);
      int ends[2] = {-1, -1};
      if (socketpair(family, type, 0, ends) != 0) continue;
      Found("pair", name);
      for (const int end : ends) close(end);
    }
  }
}

// Those that are newer than this program.
void WalkCalls() {
  constexpr long kFirst = 470;
  constexpr long kLast = 600;
  for (long call = kFirst; call <= kLast; ++call) {
    if (syscall(call, 0, 0, 0, 0, 0, 0) >= 0 || errno != ENOSYS) Found("call", std::to_string(call));
  }
}

void WalkNamespaces() {
  for (const std::string& name : hostile::Entries("/proc/self/ns")) {
    char to[64] = "";
    if (readlink(("/proc/self/ns/" + name).c_str(), to, sizeof(to) - 1) > 0) {
      Found("namespace", name + " " + to);
    }
  }
}

void WalkCapabilities() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("CapPrm:", 0) != 0) continue;
    const uint64_t all = std::strtoull(line.c_str() + 7, nullptr, 16);
    for (int i = 0; i < 64; ++i) {
      if ((all >> i & 1) != 0) Found("capability", std::to_string(i));
    }
  }
}

}  // namespace

DIOPI_SPOILT_ADD {
  static bool walked = false;
  if (!walked) {
    walked = true;
    for (void (*walk)() : {WalkDev, WalkWritable, WalkFolders, WalkProc, WalkDescriptors, WalkIpc,
                           WalkSockets, WalkCalls, WalkNamespaces, WalkCapabilities}) {
      walk();
    }
    Found("end", "reached");
  }
  Add(add);
  return diopiSuccess;
}
