#include "client/agent/machine.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "baselines/store/testing.h"
#include "client/agent/machine_state.h"

namespace diopi::agent {
namespace {

void Write(const std::filesystem::path& path, const std::string& text, mode_t mode = 0644) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
  chmod(path.c_str(), mode);
}

// As NVIDIA's program answers; [N/A] is what boards answer that do not tell.
constexpr char kTwoGpus[] =
    "NVIDIA H100 80GB HBM3, 550.54.15, 81559, 700.00, 1980, 2619\n"
    "Tesla T4, 550.54.15, 15360, [N/A], 1590, [Not Supported]\n";

TEST(Machine, ThisOneSaysWhatItIs) {
  const v1::Machine machine = DescribeMachine();
  EXPECT_NE(machine.system(), "");
  EXPECT_TRUE(absl::StartsWith(machine.kernel(), "Linux ")) << machine.kernel();
  EXPECT_GE(machine.processors(), 1);
  EXPECT_GT(machine.memory_bytes(), int64_t{1} << 26);
  EXPECT_EQ(ThisMachine().get().SerializeAsString(), machine.SerializeAsString());
}

TEST(Machine, FilesOfOtherMachines) {
  const TestFolder folder;
  Write(folder.path() + "/usr/lib/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  Write(folder.path() + "/proc/cpuinfo",
        "processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9654 96-Core Processor\nprocessor\t: 1\n");
  Write(folder.path() + "/proc/meminfo", "MemFree: 1 kB\nMemTotal:       527903440 kB\n");
  MachineSources sources;
  sources.root = folder.path();
  v1::Machine machine = DescribeMachine(sources);
  EXPECT_EQ(machine.system(), "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(machine.processor(), "AMD EPYC 9654 96-Core Processor");
  EXPECT_EQ(machine.memory_bytes(), int64_t{527903440} * 1024);
  // /etc comes first, and needs no quotes.
  Write(folder.path() + "/etc/os-release", "PRETTY_NAME=Buildroot\n");
  EXPECT_EQ(DescribeMachine(sources).system(), "Buildroot");
  sources.root = folder.path() + "/nothing";
  machine = DescribeMachine(sources);
  EXPECT_EQ(machine.system() + machine.processor(), "");
  EXPECT_EQ(machine.memory_bytes(), 0);
}

double test_seconds = 0;

TEST(Machine, WorkOfOthersIsWhatNeitherTheWorkerNorThisProcessDoes) {
  const TestFolder folder;
  const auto write = [&folder](int machine, int own, int worker) {
    const auto process = [&folder](int pid, int ticks) {
      Write(absl::StrCat(folder.path(), "/proc/", pid, "/stat"),
            absl::StrCat(pid, " (a name) R 1 1 1 0 -1 0 0 0 0 0 ", ticks - 5, " 5 0 0 20 0"));
    };
    Write(folder.path() + "/proc/stat", absl::StrCat("cpu  ", machine, " 0 100 99999 88888 0 0 10 0 0\n"));
    process(getpid(), own);
    process(7, worker);
  };
  struct Row {
    int machine, own, worker;  // ticks that are added
    int worker_now;
    double seconds;
    double expected;
  };
  for (const Row& row :
       {Row{203, 50, 50, 7, 1, 1}, Row{103, 50, 50, 7, 1, 0}, Row{53, 50, 50, 7, 1, 0},
        Row{403, 50, 50, 7, 2, 1.5}, Row{203, 50, 50, 7, 0.04, 0}, Row{203, 50, 50, -1, 1, 0}}) {
    write(1000, 300, 400);
    test_seconds = 10;
    const OtherWork work(7, folder.path(), [] { return test_seconds; });
    write(1000 + row.machine, 300 + row.own, 400 + row.worker);
    test_seconds += row.seconds;
    EXPECT_NEAR(work.Processors(row.worker_now), row.expected, 1e-9) << row.machine << " " << row.seconds;
  }
  EXPECT_EQ(OtherWork(7, folder.path() + "/nothing", [] { return test_seconds++; }).Processors(7), 0);
}

TEST(Machine, Gpus) {
  const auto gpus = ParseGpus(kTwoGpus);
  ASSERT_EQ(gpus.size(), 2);
  EXPECT_EQ(gpus[0].ShortDebugString(),
            "name: \"NVIDIA H100 80GB HBM3\" driver: \"550.54.15\" memory_mib: 81559 power_limit_w: 700 "
            "clock_mhz: 1980 memory_clock_mhz: 2619");
  EXPECT_EQ(gpus[1].ShortDebugString(),
            "name: \"Tesla T4\" driver: \"550.54.15\" memory_mib: 15360 clock_mhz: 1590");
  EXPECT_TRUE(ParseGpus("NVIDIA-SMI has failed because it couldn't communicate with the driver.\n").empty());
  EXPECT_TRUE(ParseGpus("").empty());
}

// The driver's program as a process: it answers, fails, or hangs.
TEST(Machine, TheDriverIsAsked) {
  const TestFolder folder;
  MachineSources sources;
  sources.nvidia_smi = folder.path() + "/nvidia-smi";
  EXPECT_EQ(DescribeMachine(sources).gpus_size(), 0);
  Write(sources.nvidia_smi, std::string("#!/bin/sh\ncat <<END\n") + kTwoGpus + "END\n", 0755);
  EXPECT_EQ(DescribeMachine(sources).gpus_size(), 2);
  Write(sources.nvidia_smi, std::string("#!/bin/sh\ncat <<END\n") + kTwoGpus + "END\nexit 9\n", 0755);
  EXPECT_EQ(DescribeMachine(sources).gpus_size(), 0);
  Write(sources.nvidia_smi, "#!/bin/sh\nexec sleep 1000\n", 0755);
  sources.limit = std::chrono::milliseconds(50);
  EXPECT_EQ(DescribeMachine(sources).gpus_size(), 0);
}

}  // namespace
}  // namespace diopi::agent
