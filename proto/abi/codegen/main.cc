// abi_codegen: checks the ABI's textproto and writes what the build makes from it.
//   abi_codegen --runtime F --device F --meta F [--headers DIR] [--kernels FILE] [--entries FILE]
//               [--blob FILE] [--recorder FILE] OPERATORS...
// Exit 0: written. 1: the textproto is wrong (messages "file:line: text") or a file cannot be written. 2:
// usage.
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "proto/abi/codegen/emit.h"
#include "proto/abi/codegen/load.h"

namespace diopi::abi {
namespace {

struct Arguments {
  std::map<std::string, std::string> flags;
  std::vector<std::string> operators;
};

bool ParseArguments(int argc, char** argv, Arguments* out) {
  static const std::set<std::string> kFlags = {"--runtime", "--device",  "--meta", "--headers",
                                               "--kernels", "--entries", "--blob", "--recorder"};
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg.substr(0, 2) != "--") {
      out->operators.push_back(arg);
    } else if (kFlags.count(arg) == 0 || i + 1 == argc) {
      std::fprintf(stderr, "abi_codegen: %s: unknown flag, or its value is missing\n", argv[i]);
      return false;
    } else {
      out->flags[arg] = argv[++i];
    }
  }
  for (const char* needed : {"--runtime", "--device", "--meta"}) {
    if (out->flags.count(needed) == 0) {
      std::fprintf(stderr, "abi_codegen: %s is missing\n", needed);
      return false;
    }
  }
  return true;
}

Abi LoadAll(const Arguments& args, Problems* problems) {
  Abi abi;
  std::set<std::string> names;
  const auto load = [&](const std::string& path, HeaderRole role, Header* out) {
    LoadedHeader loaded;
    if (!LoadHeader(path, &loaded, problems)) return;
    ValidateHeader(loaded, role, &names, problems);
    *out = loaded.header;
  };
  for (const std::string& path : args.operators) load(path, HeaderRole::kOperators, abi.add_operators());
  load(args.flags.at("--runtime"), HeaderRole::kOthers, abi.mutable_runtime());
  load(args.flags.at("--device"), HeaderRole::kOthers, abi.mutable_device());
  load(args.flags.at("--meta"), HeaderRole::kOthers, abi.mutable_meta());
  return abi;
}

// Does not write a file that already holds `text`, so that its dependents are not rebuilt.
bool WriteFile(const std::string& path, const std::string& text) {
  std::ostringstream old;
  if (std::ifstream in(path, std::ios::binary); in && (old << in.rdbuf()) && old.str() == text) return true;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) std::fprintf(stderr, "abi_codegen: %s: cannot be written\n", path.c_str());
  return static_cast<bool>(out);
}

bool WriteHeaders(const std::string& folder, const Abi& abi) {
  bool ok = WriteFile(folder + "/" + abi.runtime().file(), RuntimeHeader(abi.runtime()));
  ok = WriteFile(folder + "/" + abi.device().file(), DeviceHeader(abi.device())) && ok;
  for (const Header& header : abi.operators()) {
    const Header* meta = header.file() == abi.meta().file() ? &abi.meta() : nullptr;
    ok = WriteFile(folder + "/" + header.file(), OperatorHeader(header, meta)) && ok;
  }
  return ok;
}

int Main(int argc, char** argv) {
  Arguments args;
  if (!ParseArguments(argc, argv, &args)) return 2;
  Problems problems;
  const Abi abi = LoadAll(args, &problems);
  for (const std::string& message : problems.messages()) std::fprintf(stderr, "%s\n", message.c_str());
  if (!problems.messages().empty()) return 1;
  bool ok = true;
  if (args.flags.count("--headers") != 0) ok = WriteHeaders(args.flags["--headers"], abi) && ok;
  if (args.flags.count("--kernels") != 0) ok = WriteFile(args.flags["--kernels"], KernelHeader(abi)) && ok;
  if (args.flags.count("--entries") != 0) ok = WriteFile(args.flags["--entries"], EntryList(abi)) && ok;
  if (args.flags.count("--blob") != 0) ok = WriteFile(args.flags["--blob"], BlobSource(abi)) && ok;
  if (args.flags.count("--recorder") != 0) {
    ok = WriteFile(args.flags["--recorder"], RecorderSource(abi)) && ok;
  }
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace diopi::abi

int main(int argc, char** argv) {
  return diopi::abi::Main(argc, argv);
}
