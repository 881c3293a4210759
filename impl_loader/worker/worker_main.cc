// diopi-worker: the process in which a vendor's library runs. Started by loader::Worker only: it wants a
// socket as descriptor 3 and shared memory as descriptor 4.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "cases/core/library_checks.h"
#include "diopi/v1/worker.pb.h"
#include "impl_loader/adaptor/adaptor.h"
#include "impl_loader/caller/case_runner.h"
#include "impl_loader/caller/fork_guard.h"
#include "impl_loader/caller/library_check.h"
#include "impl_loader/caller/text.h"
#include "impl_loader/caller/vendor_library.h"
#include "impl_loader/worker/channel.h"
#include "impl_loader/worker/crash_handler.h"
#include "impl_loader/worker/sandbox.h"
#include "impl_loader/worker/shared_layout.h"

namespace diopi::loader {
namespace {

constexpr int kUsage = 64;

struct Flags {
  std::string impl;
  std::string device_lib;
  std::string identity;
  pid_t parent = 0;
  SandboxOptions sandbox;
};

bool ParseFlags(int argc, char** argv, Flags* flags) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--impl") {
      flags->impl = argv[i + 1];
    } else if (name == "--device-lib") {
      flags->device_lib = argv[i + 1];
    } else if (name == "--parent") {
      flags->parent = static_cast<pid_t>(std::strtol(argv[i + 1], nullptr, 10));
    } else if (name == "--identity") {
      flags->identity = argv[i + 1];
    } else if (name == "--sandbox") {
      const absl::StatusOr<SandboxMode> mode = ParseSandboxMode(argv[i + 1]);
      if (!mode.ok()) return false;
      flags->sandbox.mode = *mode;
    } else if (name == "--memory") {
      flags->sandbox.memory_bytes = std::strtoull(argv[i + 1], nullptr, 10);
    } else {
      return false;
    }
  }
  return !flags->impl.empty() && argc % 2 == 1;
}

// The folders of the program and its libraries, and where the loader looks for more.
std::vector<std::string> LibraryFolders(const Flags& flags) {
  std::error_code error;
  std::vector<std::string> folders;
  for (const std::string& file : {std::string("/proc/self/exe"), flags.impl, flags.device_lib}) {
    const std::filesystem::path path = std::filesystem::canonical(file, error);
    if (!error) folders.push_back(path.parent_path());
  }
  const char* search = std::getenv("LD_LIBRARY_PATH");
  for (const absl::string_view folder :
       absl::StrSplit(search == nullptr ? "" : search, ':', absl::SkipEmpty())) {
    folders.emplace_back(folder);
  }
  return folders;
}

// The shared memory, read-only: the vendor's code runs here.
class SharedInputs {
 public:
  ~SharedInputs() { Unmap(); }
  // At least `bytes` from the start; null when the file is shorter.
  const char* Map(size_t bytes) {
    if (bytes <= bytes_) return base_;
    struct stat file {};
    if (fstat(kMemoryDescriptor, &file) != 0 || static_cast<size_t>(file.st_size) < bytes) return nullptr;
    Unmap();
    const auto size = static_cast<size_t>(file.st_size);
    void* base = mmap(nullptr, size, PROT_READ, MAP_SHARED, kMemoryDescriptor, 0);
    if (base == MAP_FAILED) return nullptr;
    madvise(base, size, MADV_DONTFORK);
    base_ = static_cast<const char*>(base);
    bytes_ = size;
    return base_;
  }

 private:
  void Unmap() {
    if (base_ != nullptr) munmap(const_cast<char*>(base_), bytes_);
    base_ = nullptr;
    bytes_ = 0;
  }
  const char* base_ = nullptr;
  size_t bytes_ = 0;
};

bool WriteShared(const std::string& data, uint64_t offset) {
  size_t done = 0;
  while (done < data.size()) {
    const ssize_t n =
        pwrite(kMemoryDescriptor, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

// The file grows when outputs need more than the parent foresaw.
void PlaceOutputs(const v1::WorkerCall& call, const std::vector<OutputTensor>& outputs,
                  v1::WorkerReply* reply) {
  uint64_t at = call.output_offset();
  for (const OutputTensor& output : outputs) {
    if (!WriteShared(output.data, at)) {
      reply->set_status(v1::WorkerReply::BAD_CASE);
      reply->set_text("the shared memory has no room for the outputs");
      return;
    }
    v1::ShmTensor* placed = reply->add_outputs();
    placed->set_key(output.key);
    placed->set_dtype(static_cast<v1::Dtype::Code>(output.dtype));
    for (const int64_t size : output.shape) placed->add_shape(size);
    placed->set_offset(at);
    placed->set_nbytes(output.data.size());
    at = (at + output.data.size() + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  }
}

RunResult RunCase(const v1::Case& c, int calls, const std::vector<InputView>& inputs, CaseRunner* runner) {
  RunOptions options;
  options.calls = calls;
  return runner->Run(c, inputs, options);
}

RunResult RunAdapted(const v1::WorkerCall& call, const std::vector<InputView>& inputs, CaseRunner* runner) {
  RunResult run;
  absl::StatusOr<AdaptedCall> adapted = AdaptedCall::Make(call.case_(), inputs, call.adaptor());
  if (!adapted.ok()) {
    run.reply.set_status(v1::WorkerReply::BAD_CASE);
    run.reply.set_text(std::string(adapted.status().message()));
    return run;
  }
  if (adapted->not_adaptable().empty()) {
    run = RunCase(adapted->adapted_case(), call.calls(), adapted->inputs(), runner);
    adapted->TakeBack(&run.outputs);
  }
  adapted->Describe(&run.reply);
  return run;
}

v1::WorkerReply Answer(const v1::WorkerCall& call, SharedInputs* shared, VendorLibrary* vendor,
                       CaseRunner* runner, ForkGuard* forks) {
  v1::WorkerReply reply;
  if (cases::IsLibraryCheck(call.case_())) {
    *reply.mutable_check() = RunLibraryCheck(call.case_().label(), vendor);
    forks->EndIfCopy();
    reply.set_forked(forks->DescribeNewCopies());
    reply.set_sequence(call.sequence());
    return reply;
  }
  std::vector<InputView> inputs;
  const char* base = shared->Map(call.output_offset());
  bool fits = base != nullptr;
  for (const v1::ShmTensor& input : call.inputs()) {
    fits = fits && input.offset() <= call.output_offset() &&
           input.nbytes() <= call.output_offset() - input.offset();
    if (!fits) break;
    inputs.push_back({input.key(),
                      input.dtype(),
                      {input.shape().begin(), input.shape().end()},
                      base + input.offset(),
                      input.nbytes()});
  }
  if (!fits) {
    reply.set_status(v1::WorkerReply::BAD_CASE);
    reply.set_text("inputs outside the shared memory");
  } else {
    RunResult run = call.adaptor().conversion().empty() ? RunCase(call.case_(), call.calls(), inputs, runner)
                                                        : RunAdapted(call, inputs, runner);
    forks->EndIfCopy();
    reply = std::move(run.reply);
    reply.set_forked(forks->DescribeNewCopies());
    PlaceOutputs(call, run.outputs, &reply);
    runner->Recycle(std::move(run.outputs));
  }
  reply.set_sequence(call.sequence());
  return reply;
}

v1::WorkerHello Greet(const absl::StatusOr<std::unique_ptr<VendorLibrary>>& vendor,
                      const SandboxReport& sandbox) {
  v1::WorkerHello hello;
  hello.set_sandbox(sandbox.Text());
  if (!vendor.ok()) {
    hello.set_load_error(PrintableText(std::string(vendor.status().message())));
    return hello;
  }
  hello.set_vendor_name((*vendor)->VendorName());
  hello.set_impl_version((*vendor)->ImplVersion());
  hello.set_dialect((*vendor)->dialect());
  for (const std::string& name : (*vendor)->missing_device_functions()) {
    hello.add_missing_device_functions(name);
  }
  return hello;
}

// A copy of this process that the library forks gets neither the channel nor the shared memory.
void KeepFromCopies(CrashReport* report) {
  madvise(report, kCrashBytes, MADV_DONTFORK);
  pthread_atfork(nullptr, nullptr, [] {
    close(kSocketDescriptor);
    close(kMemoryDescriptor);
  });
}

// Dies with the parent, leaves no core file.
bool TieToParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  return parent == 0 || getppid() == parent;
}

int Serve(const Flags& flags, CrashReport* report) {
  fcntl(kSocketDescriptor, F_SETFD, FD_CLOEXEC);  // not for what the library may start
  fcntl(kMemoryDescriptor, F_SETFD, FD_CLOEXEC);
  Channel channel{Descriptor(kSocketDescriptor)};
  InstallCrashHandler(report);
  KeepFromCopies(report);
  ForkGuard forks;
  SandboxOptions options = flags.sandbox;
  options.readable = LibraryFolders(flags);
  const SandboxReport sandbox = EnterSandbox(options);
  const absl::StatusOr<std::unique_ptr<VendorLibrary>> vendor =
      VendorLibrary::Open(flags.impl, flags.device_lib, flags.identity);
  forks.EndIfCopy();
  forks.AcceptCopies();
  InstallCrashHandler(report);  // the library may have put handlers of its own there
  if (!channel.Send(Greet(vendor, sandbox)).ok() || !vendor.ok()) return 1;
  CaseRunner runner(vendor->get(), &forks);
  SharedInputs shared;
  v1::WorkerCall call;
  while (channel.Receive(&call).ok()) {
    if (!channel.Send(Answer(call, &shared, vendor->get(), &runner, &forks)).ok()) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace diopi::loader

int main(int argc, char** argv) {
  using diopi::loader::CrashReport;
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::puts(DIOPI_VERSION);
    return 0;
  }
  diopi::loader::Flags flags;
  if (!diopi::loader::ParseFlags(argc, argv, &flags)) {
    std::fputs("diopi-worker is started by diopi-agent, not by hand\n", stderr);
    return diopi::loader::kUsage;
  }
  if (!diopi::loader::TieToParent(flags.parent)) return 1;
  void* report = mmap(nullptr, diopi::loader::kCrashBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                      diopi::loader::kMemoryDescriptor, 0);
  if (report == MAP_FAILED) {
    std::fputs("diopi-worker: descriptor 4 is no shared memory\n", stderr);
    return diopi::loader::kUsage;
  }
  return diopi::loader::Serve(flags, static_cast<CrashReport*>(report));
}
