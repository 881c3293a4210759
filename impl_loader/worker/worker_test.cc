#include "impl_loader/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cases/base/output_hash.h"
#include "cases/fill/block_fill.h"
#include "cases/fill/fill.h"
#include "cases/findings/finding_text.h"
#include "impl_loader/worker/test_options.h"

namespace diopi::loader {
namespace {

using Kind = CallOutcome::Kind;
using testing::HasSubstr;

std::unique_ptr<Worker> StartOrDie(const WorkerOptions& options) {
  auto worker = Worker::Start(options);
  if (!worker.ok()) {
    ADD_FAILURE() << worker.status();
    return nullptr;
  }
  return *std::move(worker);
}

CallOutcome RunCase(Worker* worker, const v1::Case& c, const TensorMap& inputs, int calls = 2) {
  const absl::Status submitted = worker->Submit(c, inputs, calls);
  EXPECT_TRUE(submitted.ok()) << submitted;
  return worker->Wait();
}

TEST(Worker, RunsACaseAndReturnsItsOutput) {
  const auto worker = StartOrDie(OptionsFor("good"));
  ASSERT_NE(worker, nullptr);
  EXPECT_EQ(worker->hello().vendor_name(), "good");
  EXPECT_EQ(worker->hello().impl_version(), "1.2.3");
  EXPECT_EQ(worker->hello().dialect(), "none");
  const std::vector<std::vector<int64_t>> shapes = {{2, 3}, {}, {0}, {5, 0, 2}, {17, 33}};
  for (const std::vector<int64_t>& shape : shapes) {
    const CallOutcome outcome = RunCase(worker.get(), AddCase(shape, 2), AddInputs(shape));
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
    EXPECT_EQ(outcome.reply.error_code(), 0);
    EXPECT_EQ(outcome.reply.calls(), 2);
    EXPECT_TRUE(outcome.reply.findings().empty()) << outcome.reply.ShortDebugString();
    EXPECT_TRUE(outcome.reply.differs().empty());
    EXPECT_GT(outcome.reply.call_us(), 0);
    ASSERT_EQ(outcome.outputs.size(), 1u);
    EXPECT_EQ(outcome.outputs.at("out").shape, shape);
    EXPECT_EQ(Floats(outcome.outputs.at("out")), AddResult(shape, 2));
  }
}

int64_t ThreadsOf(const Worker& worker) {
  const std::filesystem::directory_iterator threads("/proc/" + std::to_string(worker.pid()) + "/task");
  return std::distance(begin(threads), end(threads));
}

// Large enough for threads of the worker's own, which are gone when the library is called and when the case
// has been answered, so that threads seen then are the library's.
TEST(Worker, PassesOverLargeTensorsLeaveNoThreads) {
  constexpr int64_t kElements = int64_t{2} << 20;
  v1::Case c = AddCase({kElements}, 2);
  c.set_generator_version(kBlockGeneratorVersion);
  const absl::StatusOr<TensorMap> inputs = FillInputs(c);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  const std::vector<float> a = Floats(inputs->at("input"));
  const std::vector<float> b = Floats(inputs->at("other"));
  for (const char* sandbox : {"off", "default", "strict"}) {
    WorkerOptions options = OptionsFor("good");
    options.sandbox = sandbox;
    const auto worker = StartOrDie(options);
    ASSERT_NE(worker, nullptr);
    int64_t threads = ThreadsOf(*worker);
    for (int round = 0; round < 3; ++round) {
      const CallOutcome outcome = RunCase(worker.get(), c, {});
      ASSERT_EQ(outcome.kind, Kind::kReplied) << sandbox << ' ' << outcome.Text();
      EXPECT_TRUE(outcome.reply.findings().empty()) << outcome.reply.ShortDebugString();
      EXPECT_TRUE(outcome.reply.differs().empty()) << FindingsText(outcome.reply.differs());
      EXPECT_EQ(outcome.hashes.at("out"), HashOutput(outcome.outputs.at("out").data));
      const std::vector<float> out = Floats(outcome.outputs.at("out"));
      ASSERT_EQ(out.size(), a.size());
      for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], a[i] + 2 * b[i]) << i;
#ifdef DIOPI_THREAD_SANITIZER
      if (round == 0) threads = ThreadsOf(*worker);  // it makes one of its own beside the first
#endif
      EXPECT_EQ(ThreadsOf(*worker), threads) << sandbox;
    }
  }
}

// A case that was kept is called on another thread beside the next one: what both share shows.
TEST(Worker, CallsACaseBesideAnother) {
  struct Row {
    const char* vendor;
    bool disturbed;
  };
  const std::vector<int64_t> shape = {64, 33};
  TensorMap others = AddInputs(shape);
  for (char& byte : others.at("input").data) byte = static_cast<char>(byte ^ 1);
  for (const Row& row : {Row{"good", false}, Row{"shared_scratch", true}}) {
    const auto worker = StartOrDie(OptionsFor(row.vendor));
    ASSERT_NE(worker, nullptr);
    bool disturbed = false;  // in some round: on a busy machine two calls may not overlap
    for (int round = 0; round < 3; ++round) {
      CallOptions options;
      options.keep = true;
      ASSERT_TRUE(worker->Submit(AddCase(shape, 2), others, options).ok());
      EXPECT_TRUE(worker->Wait().reply.differs().empty()) << "alone";
      options.keep = false;
      options.beside = true;
      const TensorMap inputs = AddInputs(shape);
      ASSERT_TRUE(worker->Submit(AddCase(shape, 2), inputs, options).ok());
      const CallOutcome outcome = worker->Wait();
      ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
      EXPECT_GE(outcome.reply.calls(), 2);
      EXPECT_TRUE(outcome.reply.findings().empty()) << outcome.reply.ShortDebugString();
      disturbed |=
          !outcome.reply.differs().empty() || Floats(outcome.outputs.at("out")) != AddResult(shape, 2);
      EXPECT_TRUE(RunCase(worker.get(), AddCase(shape, 2), inputs).reply.differs().empty())
          << "it is kept for one call only";
    }
    EXPECT_EQ(disturbed, row.disturbed) << row.vendor;
  }
}

TEST(Worker, RestoresInOutTensorsBetweenCalls) {
  const auto worker = StartOrDie(OptionsFor("good"));
  ASSERT_NE(worker, nullptr);
  v1::Case c = AddCase({4});
  c.set_function("diopiAddInp");
  c.mutable_args()->DeleteSubrange(0, 1);
  c.mutable_args(0)->set_role(v1::ROLE_INOUT);
  const CallOutcome outcome = RunCase(worker.get(), c, AddInputs({4}), 5);
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
  EXPECT_TRUE(outcome.reply.differs().empty()) << FindingsText(outcome.reply.differs());
  EXPECT_EQ(outcome.reply.calls(), 5);
  EXPECT_EQ(Floats(outcome.outputs.at("input")), AddResult({4}));
}

TEST(Worker, SharedMemoryGrowsForLargeCasesAndKeepsWorkingAfterwards) {
  WorkerOptions options = OptionsFor("good");
  options.shared_bytes = 4096;
  const auto worker = StartOrDie(options);
  ASSERT_NE(worker, nullptr);
  for (const int64_t size : {4, 1'000'000, 5, 1'400'000, 6}) {
    const CallOutcome outcome = RunCase(worker.get(), AddCase({size}), AddInputs({size}));
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
    EXPECT_TRUE(Floats(outcome.outputs.at("out")) == AddResult({size})) << size;
  }
}

TEST(Worker, LibraryOutputsComeBackAsFound) {
  const auto worker = StartOrDie(OptionsFor("library_output"));
  ASSERT_NE(worker, nullptr);
  v1::Case c = NewCase("diopiNonzero");
  v1::Argument* out = c.add_args();
  out->set_name("out");
  out->set_role(v1::ROLE_LIBRARY_OUTPUT);
  // Larger than the reserve for outputs of unknown size.
  std::vector<float> values(50'000, 1);
  values[1] = 0;
  *c.add_args() = TensorArg("input", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {50'000}));
  const CallOutcome outcome = RunCase(worker.get(), c, {{"input", FloatTensor({50'000}, values)}});
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
  EXPECT_TRUE(outcome.reply.findings().empty()) << outcome.reply.ShortDebugString();
  EXPECT_TRUE(outcome.reply.failed().empty());
  const HostTensor& found = outcome.outputs.at("out");
  EXPECT_EQ(found.dtype, v1::Dtype::int64);
  EXPECT_EQ(found.shape, (std::vector<int64_t>{49'999, 1}));
  EXPECT_EQ(ElementAsDouble(found.dtype, found.data.data(), 1), 2);
}

TEST(Worker, HandlesTheLibraryDidNotGetFromTheHostAreAnError) {
  const auto worker = StartOrDie(OptionsFor("library_output"));
  ASSERT_NE(worker, nullptr);
  v1::Case c = NewCase("diopiMaskedSelect");
  v1::Argument* out = c.add_args();
  out->set_name("out");
  out->set_role(v1::ROLE_LIBRARY_OUTPUT);
  *c.add_args() = TensorArg("input", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {4}));
  *c.add_args() = TensorArg("mask", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {4}));
  const TensorMap inputs = {{"input", FloatTensor({4}, {1, 2, 3, 4})},
                            {"mask", FloatTensor({4}, {1, 0, 1, 0})}};
  EXPECT_THAT(FindingsText(RunCase(worker.get(), c, inputs).reply.failed()),
              HasSubstr("out is still a null handle"));
  *c.mutable_args(2)->mutable_tensor() = Spec(v1::Dtype::float32, {1});
  TensorMap short_mask = inputs;
  short_mask["mask"] = FloatTensor({1}, {1});
  EXPECT_THAT(FindingsText(RunCase(worker.get(), c, short_mask).reply.failed()),
              HasSubstr("diopiRequireTensor did not return"));
}

TEST(Worker, CasesThatDoNotFitTheSignatureAreOurFault) {
  const auto worker = StartOrDie(OptionsFor("good"));
  ASSERT_NE(worker, nullptr);
  v1::Case missing = AddCase({4});
  missing.mutable_args()->RemoveLast();
  v1::Case small = AddCase({4});
  small.mutable_args(0)->mutable_tensor()->set_storage_elements(3);
  TensorMap other_shape = AddInputs({4});
  other_shape["other"] = FloatTensor({5}, {1, 2, 3, 4, 5});
  const std::tuple<v1::Case, TensorMap, std::string> bad[] = {
      {missing, AddInputs({4}), "alpha"},
      {small, AddInputs({4}), "out"},
      {AddCase({4}), {}, "input"},
      {AddCase({4}), other_shape, "other"},
  };
  for (const auto& [c, inputs, argument] : bad) {
    const CallOutcome outcome = RunCase(worker.get(), c, inputs);
    EXPECT_EQ(outcome.reply.status(), v1::WorkerReply::BAD_CASE);
    EXPECT_THAT(outcome.reply.text(), HasSubstr(argument));
  }
}

TEST(Worker, DeviceFunctionsOfEveryDialect) {
  struct Row {
    std::string vendor, device_lib, dialect;
  };
  for (const Row& row :
       {Row{"conform_device", "", "conform_test"}, Row{"register_device", "", "register"},
        Row{"split_ops", "split_device", "conform_test"}, Row{"split_ops", "register_device", "register"}}) {
    WorkerOptions options = OptionsFor(row.vendor);
    if (!row.device_lib.empty()) options.device_lib = VendorPath(row.device_lib);
    const auto worker = StartOrDie(options);
    ASSERT_NE(worker, nullptr);
    EXPECT_EQ(worker->hello().dialect(), row.dialect);
    EXPECT_EQ(worker->hello().missing_device_functions_size(), 0);
    const CallOutcome outcome = RunCase(worker.get(), AddCase({2, 3}), AddInputs({2, 3}));
    ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text() << outcome.backtrace;
    EXPECT_EQ(outcome.reply.error_code(), 0) << outcome.reply.text();
    EXPECT_TRUE(outcome.reply.findings().empty()) << outcome.reply.ShortDebugString();
    EXPECT_EQ(Floats(outcome.outputs.at("out")), AddResult({2, 3}));
  }
}

TEST(Worker, TellsHowMuchMemoryTheDeviceGives) {
  const struct {
    const char* vendor;
    const char* fault;
    uint64_t asked;
    uint64_t room;
  } rows[] = {{"good", "", 1 << 20, 0},  // it has no memory of its own
              {"async_device", "", 1 << 20, 1 << 20},
              {"async_device", "little_memory", 1 << 30, 64 << 20},
              {"async_device", "little_memory", 0, 0}};
  for (const auto& row : rows) {
    WorkerOptions options = OptionsFor(row.vendor);
    options.environment = {std::string("DIOPI_TEST_FAULT=") + row.fault};
    options.device_bytes = row.asked;
    const auto worker = StartOrDie(options);
    ASSERT_NE(worker, nullptr);
    EXPECT_EQ(worker->hello().device_memory(), std::string(row.vendor) != "good");
    EXPECT_EQ(worker->hello().device_room(), row.room) << row.vendor << " " << row.fault;
  }
}

TEST(Worker, AStreamThatCannotBeSynchronisedIsNoSuccessAndEndsTheProcess) {
  WorkerOptions options = OptionsFor("conform_device");
  options.environment = {"DIOPI_TEST_SYNC_FAILS=1"};
  const auto worker = StartOrDie(options);
  ASSERT_NE(worker, nullptr);
  const CallOutcome outcome = RunCase(worker.get(), AddCase({4}), AddInputs({4}));
  EXPECT_EQ(outcome.reply.status(), v1::WorkerReply::SYNC_FAILED);
  EXPECT_EQ(worker->pid(), -1);
}

TEST(Worker, IsReplacedWhenItDiesBetweenTwoCases) {
  const auto worker = StartOrDie(OptionsFor("good"));
  ASSERT_NE(worker, nullptr);
  const int pid = worker->pid();
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  WaitForEnd(pid);
  const CallOutcome outcome = RunCase(worker.get(), AddCase({4}), AddInputs({4}));
  ASSERT_EQ(outcome.kind, Kind::kReplied) << outcome.Text();
  EXPECT_EQ(Floats(outcome.outputs.at("out")), AddResult({4}));
  EXPECT_NE(worker->pid(), pid);
}

// A process that is killed before it has the case says nothing of the case: another one gets it.
TEST(Worker, IsKilledBeforeItHasTheCase) {
  const std::string kills = testing::TempDir() + "/worker_kills_" + std::to_string(getpid());
  const auto set_kills = [&kills](size_t n) { std::ofstream(kills, std::ios::trunc) << std::string(n, 'x'); };
  set_kills(0);
  WorkerOptions options = OptionsFor("good");
  options.environment = {"DIOPI_TEST_KILLS=" + kills, "DIOPI_TEST_WORKER=" + options.worker_program};
  options.worker_program = std::string(DIOPI_BINARY_DIR) + "/tools/killed_worker";
  const auto worker = Worker::Start(options);
  ASSERT_TRUE(worker.ok()) << worker.status();
  for (const size_t times : {1, 2}) {
    set_kills(times);
    kill((*worker)->pid(), SIGKILL);
    WaitForEnd((*worker)->pid());
    ASSERT_TRUE((*worker)->Submit(AddCase({4}, 1), AddInputs({4}), 2).ok()) << times;
    EXPECT_EQ((*worker)->Wait().kind, Kind::kReplied) << times;
  }
  set_kills(100);  // whatever is started is killed: that is told
  kill((*worker)->pid(), SIGKILL);
  WaitForEnd((*worker)->pid());
  EXPECT_EQ((*worker)->Submit(AddCase({4}, 1), AddInputs({4}), 2).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::filesystem::file_size(kills), 97U);
  std::filesystem::remove(kills);
}

TEST(Worker, IsKilledFromOutsideInTheMiddleOfACase) {
  WorkerOptions options = OptionsFor("hang");
  const auto worker = StartOrDie(options);
  ASSERT_NE(worker, nullptr);
  ASSERT_TRUE(worker->Submit(AddCase({4}), AddInputs({4}), 2).ok());
  ASSERT_EQ(kill(worker->pid(), SIGKILL), 0);
  const CallOutcome outcome = worker->Wait();
  EXPECT_EQ(outcome.kind, Kind::kCrashed);
  EXPECT_EQ(outcome.signal_name, "SIGKILL");
  EXPECT_THAT(outcome.Text(), HasSubstr("killed from outside"));
}

TEST(Worker, TakesOneCaseAtATime) {
  const auto worker = StartOrDie(OptionsFor("good"));
  ASSERT_NE(worker, nullptr);
  EXPECT_EQ(worker->Wait().kind, Kind::kLost);
  ASSERT_TRUE(worker->Submit(AddCase({4}), AddInputs({4}), 2).ok());
  EXPECT_EQ(worker->Submit(AddCase({4}), AddInputs({4}), 2).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(worker->Wait().kind, Kind::kReplied);
}

TEST(Worker, WhatTheLibraryPrintsGoesToTheLogUpToItsLimit) {
  const std::string path = testing::TempDir() + "/worker_log_" + std::to_string(getpid());
  std::filesystem::remove(path);
  WorkerOptions options = OptionsFor("good");
  options.environment = {"DIOPI_TEST_CHATTY=1"};
  options.log_path = path;
  options.log_limit = 14;
  {
    const auto worker = StartOrDie(options);
    ASSERT_NE(worker, nullptr);
    RunCase(worker.get(), AddCase({4}), AddInputs({4}));
  }
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_THAT(text.str(), testing::StartsWith("adding 4\n[diopi: "));
  std::filesystem::remove(path);
}

TEST(Worker, DoesNotOutliveItsParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    auto worker = Worker::Start(OptionsFor("hang"));
    int pid = worker.ok() && (*worker)->Submit(AddCase({4}), AddInputs({4}), 2).ok() ? (*worker)->pid() : -1;
    if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid)) _exit(1);
    raise(SIGKILL);
  }
  int worker = -1;
  ASSERT_EQ(read(ends[0], &worker, sizeof(worker)), static_cast<ssize_t>(sizeof(worker)));
  ASSERT_GT(worker, 0);
  waitpid(parent, nullptr, 0);
  // It is no longer our child, so we cannot wait for it: look until it is gone.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto gone = [&] {
    std::ifstream stat("/proc/" + std::to_string(worker) + "/stat");
    std::string pid, name, state;
    return !(stat >> pid >> name >> state) || state == "Z";
  };
  while (!gone() && std::chrono::steady_clock::now() < until) sched_yield();
  EXPECT_TRUE(gone());
  close(ends[0]);
  close(ends[1]);
}

TEST(Worker, AProgramThatIsNotAWorkerIsAnError) {
  WorkerOptions options = OptionsFor("good");
  options.worker_program = "/does/not/exist";
  EXPECT_EQ(Worker::Start(options).status().code(), absl::StatusCode::kInternal);
  options.worker_program = "/bin/true";
  EXPECT_FALSE(Worker::Start(options).ok());
}

}  // namespace
}  // namespace diopi::loader
