#include "client/agent/watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cases/base/process.h"
#include "cases/base/watch_file.h"

namespace diopi::agent {
namespace {

namespace fs = std::filesystem;
using Event = FileWatch::Event;
constexpr std::chrono::milliseconds kSettle{1};

class FileWatchTest : public ::testing::Test {
 protected:
  FileWatchTest() : folder_(::testing::TempDir() + "watch_" + std::to_string(getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/versions");
    Write("lib.so", "first");
    stop_ = MakePipe().value();
  }
  ~FileWatchTest() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  absl::StatusOr<Event> Wait(FileWatch* watch) const { return watch->Wait(stop_.read.get(), kSettle); }
  // Whether Wait has no event: it would wait forever, so a stop ends it.
  bool NothingYet(FileWatch* watch) {
    Pipe stop = MakePipe().value();
    if (write(stop.write.get(), "x", 1) != 1) return false;
    return watch->Wait(stop.read.get(), kSettle).value() == Event::kStopped;
  }

  const std::string folder_;
  Pipe stop_;
};

TEST_F(FileWatchTest, EveryWayInWhichAFileChanges) {
  FileWatch watch = FileWatch::Open(folder_ + "/lib.so").value();
  Write("lib.so", "in place");
  EXPECT_EQ(Wait(&watch).value(), Event::kChanged);
  Write("new.so", "replaced");
  fs::rename(folder_ + "/new.so", folder_ + "/lib.so");
  EXPECT_EQ(Wait(&watch).value(), Event::kChanged);
  fs::remove(folder_ + "/lib.so");
  Write("lib.so", "made anew");
  EXPECT_EQ(Wait(&watch).value(), Event::kChanged);
  fs::remove(folder_ + "/lib.so");
  Write("versions/1.so", "linked");
  fs::create_symlink("versions/1.so", folder_ + "/lib.so");
  EXPECT_EQ(Wait(&watch).value(), Event::kChanged);
  Write("versions/1.so", "behind the link");
  EXPECT_EQ(Wait(&watch).value(), Event::kChanged);
  Write("lib.so.2", "linked in its own folder");
  fs::create_symlink("lib.so.2", folder_ + "/new.so");
  fs::rename(folder_ + "/new.so", folder_ + "/lib.so");
  EXPECT_EQ(Wait(&watch).value(), Event::kChanged);
  Write("lib.so.2", "behind that link");
  EXPECT_EQ(Wait(&watch).value(), Event::kChanged);
}

TEST_F(FileWatchTest, OthersAndOneThatIsBeingWrittenDoNotCount) {
  FileWatch watch = FileWatch::Open(folder_ + "/lib.so").value();
  Write("other.so", "another file");
  std::ofstream half(folder_ + "/lib.so");
  half << "half" << std::flush;
  EXPECT_TRUE(NothingYet(&watch));
  half << " and the rest";
  half.close();
  EXPECT_EQ(Wait(&watch).value(), Event::kChanged);
  EXPECT_TRUE(NothingYet(&watch));
}

TEST_F(FileWatchTest, StopAndTheFolderGone) {
  FileWatch watch = FileWatch::Open(folder_ + "/lib.so").value();
  ASSERT_EQ(write(stop_.write.get(), "x", 1), 1);
  EXPECT_EQ(Wait(&watch).value(), Event::kStopped);
  stop_ = MakePipe().value();
  fs::remove_all(folder_);
  EXPECT_EQ(Wait(&watch).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(FileWatch::Open(folder_ + "/lib.so").status().code(), absl::StatusCode::kNotFound);
}

v1::Verdict Verdict(v1::Outcome outcome, const std::string& reason = "") {
  v1::Verdict verdict;
  verdict.set_outcome(outcome);
  verdict.set_reason(reason);
  return verdict;
}

TEST(ChangesTextTest, SaysWhatIsAnotherAndNothingElse) {
  const auto pass = Verdict(v1::OUTCOME_PASS);
  const auto fail = Verdict(v1::OUTCOME_FAIL, "out is wrong");
  const auto crash = Verdict(v1::OUTCOME_CRASH, "SIGSEGV");
  EXPECT_EQ(ChangesText({{"a", pass}, {"b", fail}}, {{"a", pass}, {"b", fail}}),
            "Changed      0 newly failing, 0 newly passing\n");
  EXPECT_EQ(ChangesText({{"a", pass}, {"b", fail}, {"c", fail}, {"gone", fail}},
                        {{"a", fail}, {"b", pass}, {"c", crash}, {"new", fail}}),
            "Changed      1 newly failing, 1 newly passing\n"
            "  a: pass -> fail: out is wrong\n"
            "  b: fail -> pass\n"
            "  c: fail -> crash: SIGSEGV\n");
}

}  // namespace
}  // namespace diopi::agent
