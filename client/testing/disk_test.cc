// Full disks, read-only disks, and disks with changed bytes. Stored data stay, damaged cases are named, the
// others continue, and once the disk works again the same command completes the run.
//
// As root, the full disk is a small tmpfs and the read-only one a bind mount, each in a mount namespace of
// its own (permission bits do not bind root). Others skip these; bad_files_test and database_faults_test have
// what limits and permissions can show.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "baselines/store/store.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

class DiskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0 || Mounted("true").code != 0) mounts_ = false;
  }

  std::string data() const { return folder_ / "data"; }

  // Runs a script in a mount namespace: $1 is the data folder, $2 the folder of the programs, $3 the library,
  // $4 a folder outside that stays.
  Finished Mounted(const std::string& script) const {
    std::filesystem::create_directories(data());
    return RunProgram({"/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/bash", "-c",
                       "set -u; " + script, "bash", data(), BuildPath("bin"), LibPath("libdiopi_cpu.so"),
                       folder_.path()});
  }

  TestFolder folder_;
  bool mounts_ = true;
};

#define DIOPI_NEEDS_MOUNTS() \
  if (!mounts_) GTEST_SKIP() << "only root may mount, and only where mount namespaces are allowed"

TEST_F(DiskTest, GenOnAFullDisk) {
  DIOPI_NEEDS_MOUNTS();
  const Finished run = Mounted(R"(
    mount -t tmpfs -o size=64k none "$1" || exit 99
    "$2/diopi-cli" gen --data "$1" --fname relu; echo "full: $?"
    find "$1" -type f -size +0 | sed 's/^/left: /'
    mount -o remount,size=64m "$1" || exit 99
    "$2/diopi-cli" gen --data "$1" --fname relu; echo "roomy: $?")");
  EXPECT_NE(run.out.find("full: 4"), std::string::npos) << run.out << run.err;
  EXPECT_NE(run.err.find("relu.h5: No space left on device"), std::string::npos) << run.err;
  EXPECT_EQ(run.out.find("left: "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("roomy: 0"), std::string::npos) << run.out << run.err;
}

// The disk fills while verdicts are stored: the agent says so, nothing that was stored is lost, and --resume
// completes the run when there is room.
TEST_F(DiskTest, ARunOnAFullDisk) {
  DIOPI_NEEDS_MOUNTS();
  const Finished run = Mounted(R"(
    mount -t tmpfs -o size=64m none "$1" || exit 99
    "$2/diopi-cli" gen --data "$1" --fname relu tanh sigmoid --quiet || exit 98
    agent() { "$2/diopi-agent" --impl "$3" --data "$1" --fname relu tanh sigmoid --error-report "$4/errors.csv"; }
    "$2/diopi-cli" runs --data "$1" >/dev/null 2>&1
    # Until 64 KiB are left: enough to create a run in, not to store it all.
    free=$(df --output=avail -k "$1" | tail -1)
    head -c $(((free - 64) * 1024)) /dev/zero >"$1/filler"
    agent "$@"; echo "full: $?"
    rm "$1/filler"
    if "$2/diopi-cli" runs --data "$1" 2>/dev/null | grep -q running; then
      "$2/diopi-agent" --impl "$3" --data "$1" --resume latest --error-report "$4/errors.csv"; echo "roomy: $?"
    else
      agent "$@"; echo "roomy: $?"
    fi
    mkdir "$4/kept" && cp "$1"/results.db* "$4/kept")");
  EXPECT_NE(run.out.find("full: 4"), std::string::npos) << run.out << run.err;
  EXPECT_TRUE(run.err.find("full") != std::string::npos || run.err.find("No space left") != std::string::npos)
      << run.err;
  EXPECT_NE(run.out.find("roomy: 0"), std::string::npos) << run.out << run.err;
  const StoredRun stored = ReadRun(folder_ / "kept");
  EXPECT_EQ(stored.info.state(), v1::RUN_STATE_FINISHED);
  for (const v1::Verdict& verdict : stored.verdicts) {
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id();
  }
}

TEST_F(DiskTest, AReadOnlyStore) {
  DIOPI_NEEDS_MOUNTS();
  const Finished run = Mounted(R"(
    "$2/diopi-cli" gen --data "$1" --fname relu --quiet || exit 98
    "$2/diopi-agent" --impl "$3" --data "$1" --fname relu --quiet --error-report "$4/errors.csv"; echo "before: $?"
    mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 99
    "$2/diopi-agent" --impl "$3" --data "$1" --fname relu --quiet --error-report "$4/errors.csv"; echo "agent: $?"
    "$2/diopi-cli" gen --data "$1" --fname tanh --quiet; echo "gen: $?"
    "$2/diopi-cli" report --data "$1" --run latest --format csv >"$4/report.csv"; echo "report: $?")");
  EXPECT_NE(run.out.find("before: 0"), std::string::npos) << run.out << run.err;
  EXPECT_NE(run.out.find("agent: 4"), std::string::npos) << run.out << run.err;
  EXPECT_NE(run.out.find("gen: 4"), std::string::npos) << run.out << run.err;
  EXPECT_NE(run.err.find("read"), std::string::npos)
      << run.err;  // read-only, in SQLite's words or the system's
  // What was stored before can be read there.
  EXPECT_NE(run.out.find("report: 0"), std::string::npos) << run.out << run.err;
  EXPECT_NE(ReadFile(folder_ / "report.csv").find("diopiRelu"), std::string::npos);
  // Nothing has changed once the disk is writable again.
  EXPECT_EQ(ReadRun(data()).info.state(), v1::RUN_STATE_FINISHED);
}

// One byte of one reference changes on the disk: that case is not judged and is named, all others are.
TEST_F(DiskTest, ADamagedDatasetCostsOneCase) {
  ASSERT_EQ(RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "softmax", "--quiet"}).code,
            0);
  const std::string path = baselines::BaselinePath(data(), "cpu", "softmax");
  std::string bytes = ReadFile(path);
  std::string damaged;
  {
    const auto reader = baselines::BaselineReader::Open(path);
    ASSERT_TRUE(reader.ok()) << reader.status();
    for (const std::string& id : (*reader)->case_ids()) {
      const auto baseline = (*reader)->Read(id);
      ASSERT_TRUE(baseline.ok()) << baseline.status();
      const auto reference = baseline->references.begin();
      // Long enough to occur only once in the file.
      if (reference == baseline->references.end() || reference->second.data.size() < 256) continue;
      const size_t at = bytes.find(reference->second.data);
      ASSERT_NE(at, std::string::npos) << id;
      if (bytes.find(reference->second.data, at + 1) != std::string::npos) continue;
      bytes[at + 100] = static_cast<char>(bytes[at + 100] ^ 0x20);
      damaged = id;
      break;
    }
  }
  ASSERT_NE(damaged, "");
  WriteFile(path, bytes);
  const Finished run = RunProgram({BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--data",
                                   data(), "--fname", "softmax", "--error-report", folder_ / "errors.csv"});
  EXPECT_EQ(run.code, 3) << run.out << run.err;
  for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
    if (verdict.case_id() == damaged) {
      EXPECT_EQ(verdict.outcome(), v1::OUTCOME_HARNESS_ERROR) << verdict.reason();
      EXPECT_NE(verdict.reason().find("checksum"), std::string::npos) << verdict.reason();
      EXPECT_NE(verdict.reason().find("tensor out"), std::string::npos) << verdict.reason();
    } else {
      EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id() << ": " << verdict.reason();
    }
  }
  const Finished check = RunProgram({BinPath("diopi-server"), "check", "--data", data()});
  EXPECT_NE(check.code, 0);
  EXPECT_NE((check.out + check.err).find(damaged), std::string::npos) << check.out << check.err;
}

}  // namespace
}  // namespace diopi::testing
