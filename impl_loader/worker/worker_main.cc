// diopi-worker: the process in which a vendor's library runs. Only loader::Worker starts it: it expects a
// socket as descriptor 3 and shared memory as descriptor 4. The sandbox is entered and reported before the
// library is loaded, because from then on the library can send any message in this process's name; the agent
// checks all of them (answer.cc). Inputs are mapped read-only, and a copy that the library forks gets neither
// the channel nor the shared tensors.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
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
#include "impl_loader/caller/case_caller.h"
#include "impl_loader/caller/case_runner.h"
#include "impl_loader/caller/fork_guard.h"
#include "impl_loader/caller/library_check.h"
#include "impl_loader/caller/made_inputs.h"
#include "impl_loader/caller/text.h"
#include "impl_loader/caller/vendor_library.h"
#include "impl_loader/worker/channel.h"
#include "impl_loader/worker/companion.h"
#include "impl_loader/worker/crash_handler.h"
#include "impl_loader/worker/keeper.h"
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
  bool kept = false;
  uint64_t device_bytes = 0;
  std::vector<std::string> hidden;
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
    } else if (name == "--keeper") {
      flags->kept = std::string_view(argv[i + 1]) == "yes";
    } else if (name == "--identity") {
      flags->identity = argv[i + 1];
    } else if (name == "--sandbox") {
      const absl::StatusOr<SandboxMode> mode = ParseSandboxMode(argv[i + 1]);
      if (!mode.ok()) return false;
      flags->sandbox.mode = *mode;
    } else if (name == "--hide") {
      flags->hidden.emplace_back(argv[i + 1]);
    } else if (name == "--own-folder") {
      flags->sandbox.own_folder = argv[i + 1];
    } else if (name == "--device-bytes") {
      flags->device_bytes = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (name == "--memory") {
      flags->sandbox.memory_bytes = std::strtoull(argv[i + 1], nullptr, 10);
    } else {
      return false;
    }
  }
  return !flags->impl.empty() && argc % 2 == 1;
}

// The folders of the program and its libraries, and those that the loader searches.
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

HiddenFiles FilesToHide(const Flags& flags) {
  HiddenFiles files{flags.hidden, LibraryFolders(flags)};
  files.shown.insert(files.shown.end(), {flags.impl, flags.device_lib, flags.sandbox.own_folder});
  return files;
}

// Maps the shared memory: the part with the library's tensors, between inaccessible pages, and the rest,
// read-only. A forked copy of the process gets a private copy of the tensors.
class SharedTensors {
 public:
  // The next calls map the file anew. The frames mapped so far stay: a thread of the library may still be
  // writing there.
  void Forget() {
    if (inputs_ != nullptr) munmap(inputs_, input_bytes_);
    inputs_ = nullptr;
    frames_ = nullptr;
  }

  // Null when it cannot be mapped.
  std::byte* Frames(size_t end) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = end - kFrameOffset;
    if (frames_ != nullptr || bytes == 0) return frames_;
    void* base =
        mmap(nullptr, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    if (!MapFrames(static_cast<std::byte*>(base) + page, bytes, MAP_SHARED)) {
      munmap(base, bytes + 2 * page);
      return nullptr;
    }
    frames_ = static_cast<std::byte*>(base) + page;
    frame_bytes_ = bytes;
    return frames_;
  }

  // The bytes of the file from `from`, a multiple of the page size, to `to`.
  const char* Inputs(size_t from, size_t to) {
    if (inputs_ != nullptr && from + input_bytes_ >= to) return static_cast<const char*>(inputs_);
    if (inputs_ != nullptr) munmap(inputs_, input_bytes_);
    struct stat file {};
    inputs_ = nullptr;
    if (fstat(kMemoryDescriptor, &file) != 0 || static_cast<size_t>(file.st_size) < to) return nullptr;
    input_bytes_ = static_cast<size_t>(file.st_size) - from;
    void* base =
        mmap(nullptr, input_bytes_, PROT_READ, MAP_SHARED, kMemoryDescriptor, static_cast<off_t>(from));
    if (base == MAP_FAILED) return nullptr;
    madvise(base, input_bytes_, MADV_DONTFORK);
    inputs_ = base;
    return static_cast<const char*>(base);
  }

  // Call it in a forked copy of the process, before the descriptor is closed there.
  void KeepToCopy() const {
    if (frames_ != nullptr) MapFrames(frames_, frame_bytes_, MAP_PRIVATE);
  }

 private:
  static bool MapFrames(std::byte* at, size_t bytes, int how) {
    return mmap(at, bytes, PROT_READ | PROT_WRITE, how | MAP_FIXED, kMemoryDescriptor,
                static_cast<off_t>(kFrameOffset)) != MAP_FAILED;
  }

  std::byte* frames_ = nullptr;
  size_t frame_bytes_ = 0;
  void* inputs_ = nullptr;
  size_t input_bytes_ = 0;
};

// Global because the handler of a fork takes no argument.
SharedTensors& TensorsOfProcess() {
  static SharedTensors tensors;
  return tensors;
}

// Puts outputs into the shared memory, one after the other.
class SharedOutputs : public OutputStore {
 public:
  explicit SharedOutputs(const v1::WorkerCall& call) : next_(call.output_offset()) {}

  bool Put(std::string_view data, uint64_t* at) override {
    *at = next_;
    next_ = (next_ + data.size() + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
    for (size_t done = 0; done < data.size();) {
      const ssize_t n =
          pwrite(kMemoryDescriptor, data.data() + done, data.size() - done, static_cast<off_t>(*at + done));
      if (n <= 0) return false;
      done += static_cast<size_t>(n);
    }
    return true;
  }

 private:
  uint64_t next_;
};

void PlaceOutputs(const std::vector<OutputTensor>& outputs, SharedOutputs* shared, v1::WorkerReply* reply) {
  for (const OutputTensor& output : outputs) {
    uint64_t at = output.large.has_value() ? output.large->stored_at.value_or(0) : 0;
    if (!output.large.has_value() && !output.in_frame && !shared->Put(output.data, &at)) {
      reply->set_status(v1::WorkerReply::BAD_CASE);
      reply->set_text("the shared memory has no room for the outputs");
      return;
    }
    v1::ShmTensor* placed = reply->add_outputs();
    placed->set_key(output.key);
    placed->set_dtype(static_cast<v1::Dtype::Code>(output.dtype));
    for (const int64_t size : output.shape) placed->add_shape(size);
    placed->set_offset(at);
    placed->set_nbytes(output.bytes());
    placed->set_in_frame(output.in_frame);
    if (output.large.has_value() && output.large->hash.has_value()) placed->set_hash(*output.large->hash);
  }
}

// A case that is called beside another one is called so often at a time, again and again until the other one
// has gone through its calls twice: whatever the scheduler does, they overlap in different places.
constexpr int kCallsBeside = 8;
constexpr int kRoundsBeside = 4;
constexpr std::chrono::milliseconds kMostTimeBeside{250};  // after which it is called no more

RunResult RunCase(const v1::WorkerCall& call, const std::vector<InputView>& inputs, const RunOptions& options,
                  CaseRunner* runner) {
  if (call.adaptor().conversion().empty()) return runner->Run(call.case_(), inputs, options);
  RunResult run;
  absl::StatusOr<AdaptedCall> adapted = AdaptedCall::Make(call.case_(), inputs, call.adaptor());
  if (!adapted.ok()) {
    run.reply.set_status(v1::WorkerReply::BAD_CASE);
    run.reply.set_text(std::string(adapted.status().message()));
    return run;
  }
  // The agent converts the outputs, and does not ask where the values cannot be converted.
  return runner->Run(adapted->adapted_case(), adapted->inputs(), options);
}

void SetTimes(const CaseTime& time, v1::TimeReply* reply) {
  const auto ns = [](double microseconds) { return static_cast<uint64_t>(std::llround(microseconds * 1e3)); };
  for (const double microseconds : time.microseconds) reply->add_warm_ns(ns(microseconds));
  for (const double microseconds : time.cold_microseconds) reply->add_cold_ns(ns(microseconds));
  reply->set_first_ns(ns(time.first_us));
  reply->set_submit_ns(ns(time.submit_us));
  reply->set_calls(time.calls);
  reply->set_device_clock(time.device_clock);
  reply->set_late(time.late);
  reply->set_disturbed(time.disturbed);
}

// Measures the call. An adaptor's conversions are made before it and are no part of the time.
v1::WorkerReply TimeCase(const v1::WorkerCall& call, const std::vector<InputView>& inputs,
                         VendorLibrary* vendor) {
  v1::WorkerReply reply;
  const v1::TimeCall& asked = call.time();
  TimeOptions options;
  options.warmup = asked.warmup();
  options.fewest_samples = asked.fewest_samples();
  options.samples = asked.most_samples();
  options.max_calls = asked.most_calls();
  options.sample_seconds = asked.sample_seconds();
  options.seconds = asked.seconds();
  options.relative_interval = asked.relative_interval();
  options.cold_samples = asked.cold_samples();
  options.repeat_disturbed = true;
  const absl::StatusOr<AdaptedCall> adapted = AdaptedCall::Make(call.case_(), inputs, call.adaptor());
  absl::Status status = adapted.status();
  if (status.ok() && !adapted->not_adaptable().empty()) {
    status = absl::FailedPreconditionError(adapted->not_adaptable());
  }
  if (status.ok()) {
    const absl::StatusOr<CaseTime> time = CaseCaller::On(vendor, /*exact_memory=*/false)
                                              ->Time(adapted->adapted_case(), adapted->inputs(), options);
    status = time.status();
    if (time.ok()) SetTimes(*time, reply.mutable_time());
  }
  if (!status.ok()) {
    reply.set_status(v1::WorkerReply::BAD_CASE);
    reply.set_text(PrintableText(std::string(status.message())));
  }
  return reply;
}

// The call that the agent judges, beside the one that was kept where it asks for that.
RunResult RunBeside(const v1::WorkerCall& call, const std::vector<InputView>& inputs, RunOptions options,
                    VendorLibrary* vendor, CaseRunner* runner, ForkGuard* forks, Companion* kept) {
  if (!call.beside() || kept == nullptr) return RunCase(call, inputs, options, runner);
  options.calls = std::max(options.calls, kCallsBeside);
  options.alone = false;
  options.store = nullptr;  // which has room for the outputs of one run
  kept->Start(vendor, forks);
  const auto until = std::chrono::steady_clock::now() + kMostTimeBeside;
  RunResult run = RunCase(call, inputs, options, runner);
  while (kept->rounds() < kRoundsBeside && std::chrono::steady_clock::now() < until) {
    const bool right = run.reply.status() == v1::WorkerReply::RETURNED &&
                       run.reply.error_code() == diopiSuccess && run.reply.differs().empty() &&
                       run.reply.findings().empty();
    if (!right) break;
    runner->Recycle(std::move(run.outputs));
    run = RunCase(call, inputs, options, runner);
  }
  kept->Stop();
  return run;
}

v1::WorkerReply Answer(const v1::WorkerCall& call, VendorLibrary* vendor, CaseRunner* runner,
                       ForkGuard* forks, std::unique_ptr<Companion>* kept) {
  v1::WorkerReply reply;
  if (cases::IsLibraryCheck(call.case_())) {
    *reply.mutable_check() = RunLibraryCheck(call.case_().label(), vendor);
    forks->EndIfCopy();
    reply.set_forked(forks->NewCopies());
    reply.set_sequence(call.sequence());
    return reply;
  }
  std::vector<InputView> inputs;
  SharedTensors& shared = TensorsOfProcess();
  const size_t first = call.frames_end();
  const char* base = shared.Inputs(first, call.output_offset());
  RunOptions options;
  options.calls = call.calls();
  options.frame = shared.Frames(first);
  options.frame_bytes = call.frame_bytes();
  options.frame_gap = call.frame_gap();
  options.frame_is_checked = call.frame_bytes() > 0;
  options.leaves_last = call.leaves_last() && options.frame_is_checked;
  bool fits = base != nullptr && options.frame != nullptr;
  if (fits) options.frame += call.frame_offset() - kFrameOffset;
  const auto data_of = [&](const v1::ShmTensor& placed) {
    fits = fits && placed.offset() >= first && placed.offset() <= call.output_offset() &&
           placed.nbytes() <= call.output_offset() - placed.offset();
    return fits ? std::string_view(base + (placed.offset() - first), placed.nbytes()) : std::string_view();
  };
  for (const v1::ShmTensor& input : call.inputs()) {
    const std::string_view data = data_of(input);
    inputs.push_back(
        {input.key(), input.dtype(), {input.shape().begin(), input.shape().end()}, data.data(), data.size()});
  }
  BlockInputs made;
  absl::Status complete;
  if (call.adaptor().conversion().empty()) complete = AddMadeInputs(call.case_(), &inputs, &made);
  for (const v1::ShmTensor& pool : call.pools()) {
    const auto blocks = made.find(pool.key());
    fits = fits && blocks != made.end() && blocks->second->UsePool(data_of(pool));
  }
  if (!fits || !complete.ok()) {
    reply.set_status(v1::WorkerReply::BAD_CASE);
    reply.set_text(complete.ok() ? "inputs outside the shared memory" : std::string(complete.message()));
  } else if (call.has_time()) {
    reply = TimeCase(call, inputs, vendor);
    forks->EndIfCopy();
    reply.set_forked(forks->NewCopies());
  } else {
    SharedOutputs outputs(call);
    if (call.adaptor().conversion().empty()) options.store = &outputs;
    RunResult run = RunBeside(call, inputs, options, vendor, runner, forks, kept->get());
    *kept = call.keep() && made.empty() ? std::make_unique<Companion>(call, inputs, RunCase) : nullptr;
    forks->EndIfCopy();
    reply = std::move(run.reply);
    reply.set_forked(forks->NewCopies());
    PlaceOutputs(run.outputs, &outputs, &reply);
    runner->Recycle(std::move(run.outputs));
  }
  reply.set_sequence(call.sequence());
  return reply;
}

// Halves `bytes` until the library's malloc gives so many.
uint64_t RoomOf(const runtime::DeviceFunctions& functions, uint64_t bytes) {
  for (; bytes > 0; bytes /= 2) {
    void* const memory = functions.memory_malloc(bytes);
    if (memory == nullptr) continue;
    if (functions.memory_free != nullptr) functions.memory_free(memory);
    break;
  }
  return bytes;
}

v1::WorkerHello Greet(const absl::StatusOr<std::unique_ptr<VendorLibrary>>& vendor, uint64_t device_bytes) {
  v1::WorkerHello hello;
  if (!vendor.ok()) {
    hello.set_load_error(PrintableText(std::string(vendor.status().message())));
    return hello;
  }
  hello.set_vendor_name((*vendor)->VendorName());
  hello.set_impl_version((*vendor)->ImplVersion());
  hello.set_dialect((*vendor)->dialect());
  hello.set_device_memory((*vendor)->functions().HasMemory());
  if (hello.device_memory()) hello.set_device_room(RoomOf((*vendor)->functions(), device_bytes));
  for (const std::string& name : (*vendor)->missing_device_functions()) {
    hello.add_missing_device_functions(name);
  }
  return hello;
}

// When the library forks this process, the copy gets neither the channel nor the shared memory.
void KeepFromCopies(CrashReport* report) {
  madvise(report, kCrashBytes, MADV_DONTFORK);
  pthread_atfork(nullptr, nullptr, [] {
    TensorsOfProcess().KeepToCopy();
    close(kSocketDescriptor);
    close(kMemoryDescriptor);
  });
}

// The process dies with its parent. False: the parent has gone already.
bool TieToParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return parent == 0 || getppid() == parent;
}

// Replaces the shared memory by the file that came with the call.
bool TakeMemory(const Descriptor& file, CrashReport* report) {
  if (!file.valid() || dup3(file.get(), kMemoryDescriptor, O_CLOEXEC) < 0) return false;
  TensorsOfProcess().Forget();
  if (mmap(report, kCrashBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, kMemoryDescriptor, 0) !=
      report) {
    return false;
  }
  return madvise(report, kCrashBytes, MADV_DONTFORK) == 0;
}

int Serve(const Flags& flags, CrashReport* report) {
  fcntl(kSocketDescriptor, F_SETFD, FD_CLOEXEC);  // programs that the library starts must not inherit it
  fcntl(kMemoryDescriptor, F_SETFD, FD_CLOEXEC);
  Channel channel{Descriptor(kSocketDescriptor)};
  InstallCrashHandler(report);
  KeepFromCopies(report);
  ForkGuard forks;
  SandboxOptions options = flags.sandbox;
  options.readable = LibraryFolders(flags);
  v1::WorkerHello sandboxed;  // sent before the library is loaded, which could forge it
  *sandboxed.mutable_sandbox() = EnterSandbox(options);
  if (!channel.Send(sandboxed).ok()) return 1;
  const absl::StatusOr<std::unique_ptr<VendorLibrary>> vendor =
      VendorLibrary::Open(flags.impl, flags.device_lib, flags.identity);
  forks.EndIfCopy();
  forks.AcceptCopies();
  InstallCrashHandler(report);  // the library may have installed its own
  if (!channel.Send(Greet(vendor, flags.device_bytes)).ok() || !vendor.ok()) return 1;
  CaseRunner runner(vendor->get(), &forks);
  std::unique_ptr<Companion> kept;
  v1::WorkerCall call;
  Descriptor memory;
  while (channel.Receive(&call, &memory).ok()) {
    if (call.new_memory() && !TakeMemory(memory, report)) return 1;
    memory.Close();
    if (!channel.Send(Answer(call, vendor->get(), &runner, &forks, &kept)).ok()) return 1;
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
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (flags.kept) {
    flags.sandbox.keeping = diopi::loader::ForkFromKeeper(
        flags.parent, diopi::loader::kKeeperDescriptor,
        diopi::loader::KeeperOptionsOf(flags.sandbox, diopi::loader::FilesToHide(flags)));
  } else if (!diopi::loader::TieToParent(flags.parent)) {
    return 1;
  }
  void* report = mmap(nullptr, diopi::loader::kCrashBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                      diopi::loader::kMemoryDescriptor, 0);
  if (report == MAP_FAILED) {
    std::fputs("diopi-worker: descriptor 4 is not shared memory\n", stderr);
    return diopi::loader::kUsage;
  }
  return diopi::loader::Serve(flags, static_cast<CrashReport*>(report));
}
