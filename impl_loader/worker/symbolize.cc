// After a crash the process is gone: addresses and the text of its maps come from the crash report. A process
// that hangs is stopped and read through ptrace. In both cases the library decides which names are in the
// maps, so only regular files are opened, without waiting, and debugging information is searched for by build
// id alone.
#include "impl_loader/worker/symbolize.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl_loader/worker/shared_layout.h"

namespace diopi::loader {
namespace {

struct DwflEnd {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};
using DwflPtr = std::unique_ptr<Dwfl, DwflEnd>;

std::string Demangle(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(::abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

absl::string_view BaseName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

// A library decides which names are in its process's maps: opening one must not wait, as on a FIFO, and only
// regular files are read. Mappings without a file (the kernel's vDSO) are read from the process.
int FindElf(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base, char** file, Elf** elf) {
  if (name[0] != '/') return dwfl_linux_proc_find_elf(module, data, name, base, file, elf);
  const int opened = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat status {};
  if (opened >= 0 && (fstat(opened, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(opened);
    return -1;
  }
  if (opened >= 0) *file = strdup(name);
  return opened;
}

// Looks for debugging information in the file itself, and in the system's folder under the file's build id.
// Other names, which the file may contain, could lead anywhere.
DwflPtr Begin() {
  static const Dwfl_Callbacks callbacks = [] {
    Dwfl_Callbacks made{};
    made.find_elf = FindElf;
    made.find_debuginfo = dwfl_build_id_find_debuginfo;
    return made;
  }();
  return DwflPtr(dwfl_begin(&callbacks));
}

DwflPtr Open(const std::string& maps) {
  DwflPtr dwfl = Begin();
  if (dwfl == nullptr || maps.empty()) return nullptr;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fmemopen(const_cast<char*>(maps.data()), maps.size(), "r"),
                                                   std::fclose);
  if (file == nullptr || dwfl_linux_proc_maps_report(dwfl.get(), file.get()) != 0 ||
      dwfl_report_end(dwfl.get(), nullptr, nullptr) != 0) {
    return nullptr;
  }
  return dwfl;
}

struct Frame {
  std::string text;
  std::string module;
};

// `address` lies inside the call instruction, not behind it.
Frame Describe(Dwfl* dwfl, uint64_t address) {
  Dwfl_Module* module = dwfl == nullptr ? nullptr : dwfl_addrmodule(dwfl, address);
  if (module == nullptr) return {absl::StrCat("0x", absl::Hex(address)), ""};
  Dwarf_Addr start = 0;
  const char* path = dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
  Frame frame;
  frame.module = std::string(BaseName(path == nullptr ? "" : path));
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  frame.text = name == nullptr ? "?" : Demangle(name);
  if (Dwfl_Line* line = dwfl_module_getsrc(module, address); line != nullptr) {
    int number = 0;
    const char* source = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    if (source != nullptr) absl::StrAppend(&frame.text, " at ", source, ":", number);
  }
  absl::StrAppend(&frame.text, " (", frame.module, "+0x", absl::Hex(address - start), ")");
  return frame;
}

// Writes frames from the innermost outwards, up to the worker's own.
std::string StackText(Dwfl* dwfl, const std::vector<uint64_t>& addresses) {
  std::string text;
  int number = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    // All but the innermost are return addresses: one byte before them lies in the call.
    const Frame frame = Describe(dwfl, i == 0 ? addresses[i] : addresses[i] - 1);
    if (absl::StartsWith(frame.module, "libffi.so")) break;
    absl::StrAppend(&text, "#", number++, " ", frame.text, "\n");
  }
  return text;
}

std::string ReadWord(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return text;
}

struct ThreadStack {
  pid_t thread = 0;
  std::vector<uint64_t> addresses;
};

int AddFrame(Dwfl_Frame* frame, void* argument) {
  auto* stack = static_cast<ThreadStack*>(argument);
  Dwarf_Addr pc = 0;
  if (!dwfl_frame_pc(frame, &pc, nullptr)) return DWARF_CB_ABORT;
  stack->addresses.push_back(pc);
  return stack->addresses.size() < kMaxFrames ? DWARF_CB_OK : DWARF_CB_ABORT;
}

// Attaching waits for the thread to stop. A thread that hangs in a driver never does, so it gets no stack.
int AddThread(Dwfl_Thread* thread, void* argument) {
  auto* stacks = static_cast<std::vector<ThreadStack>*>(argument);
  ThreadStack& stack = stacks->emplace_back();
  stack.thread = dwfl_thread_tid(thread);
  const std::string state = ReadWord(absl::StrCat("/proc/", stack.thread, "/stat"));
  const size_t after_name = state.rfind(") ");
  if (after_name == std::string::npos || state[after_name + 2] == 'D') return DWARF_CB_OK;
  dwfl_thread_getframes(thread, AddFrame, &stack);
  return DWARF_CB_OK;
}

}  // namespace

std::string Symbolize(uint64_t pc, const std::vector<uint64_t>& frames, const std::string& maps) {
  const DwflPtr dwfl = Open(maps);
  std::vector<uint64_t> addresses;
  const auto at = std::find(frames.begin(), frames.end(), pc);
  if (at == frames.end()) {
    if (pc != 0) addresses.push_back(pc);  // the unwinder lost a jump to an invalid address
    addresses.insert(addresses.end(), frames.begin(), frames.end());
  } else {
    addresses.assign(at, frames.end());
  }
  return StackText(dwfl.get(), addresses);
}

std::string StacksOfThreads(pid_t pid) {
  const DwflPtr dwfl = Begin();
  std::vector<ThreadStack> stacks;
  if (dwfl == nullptr || dwfl_linux_proc_report(dwfl.get(), pid) != 0 ||
      dwfl_report_end(dwfl.get(), nullptr, nullptr) != 0 ||
      dwfl_linux_proc_attach(dwfl.get(), pid, /*assume_ptrace_stopped=*/false) != 0) {
    return "";
  }
  dwfl_getthreads(dwfl.get(), AddThread, &stacks);
  std::string text;
  std::map<std::string, std::vector<std::string>> others;  // names of threads, by their stack
  for (const ThreadStack& stack : stacks) {
    const std::string own = StackText(dwfl.get(), stack.addresses);
    if (stack.thread == pid) {
      text = own;
    } else {
      const std::string name = ReadWord(absl::StrCat("/proc/", pid, "/task/", stack.thread, "/comm"));
      others[own.empty() ? "(in the kernel)\n" : own].push_back(absl::StrCat(stack.thread, " (", name, ")"));
    }
  }
  if (text.empty()) return "";
  for (const auto& [own, names] : others) {
    absl::StrAppend(&text, names.size() == 1 ? "thread " : "threads ", absl::StrJoin(names, ", "), ":\n",
                    own);
  }
  return text;
}

}  // namespace diopi::loader
