#include "impl_loader/worker/symbolize.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace diopi::loader {
namespace {

struct DwflEnd {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};
using DwflPtr = std::unique_ptr<Dwfl, DwflEnd>;

std::string Demangle(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

absl::string_view BaseName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

DwflPtr Open(const Dwfl_Callbacks& callbacks, const std::string& maps) {
  DwflPtr dwfl(dwfl_begin(&callbacks));
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

// `address` lies inside the call, not behind it.
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

}  // namespace

std::string Symbolize(uint64_t pc, const std::vector<uint64_t>& frames, const std::string& maps) {
  Dwfl_Callbacks callbacks{};
  callbacks.find_elf = dwfl_linux_proc_find_elf;
  callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
  const DwflPtr dwfl = Open(callbacks, maps);
  std::vector<uint64_t> addresses;
  const auto at = std::find(frames.begin(), frames.end(), pc);
  if (at == frames.end()) {
    if (pc != 0) addresses.push_back(pc);  // a jump to nowhere: the unwinder lost it
    addresses.insert(addresses.end(), frames.begin(), frames.end());
  } else {
    addresses.assign(at, frames.end());
  }
  std::string text;
  int number = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    // All but the innermost are return addresses: one back lies in the call.
    const Frame frame = Describe(dwfl.get(), i == 0 ? addresses[i] : addresses[i] - 1);
    if (absl::StartsWith(frame.module, "libffi.so")) break;
    absl::StrAppend(&text, "#", number++, " ", frame.text, "\n");
  }
  return text;
}

}  // namespace diopi::loader
