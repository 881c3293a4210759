// A library that tries to get out: refused with an errno, so that the verdict is the library's own error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "impl_loader/worker/test_options.h"

namespace diopi::loader {
namespace {

using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizer = true;
#else
constexpr bool kSanitizer = false;
#endif

// vendor_escapes.cc
enum Attempt {
  kInet = 1,
  kInet6,
  kPacket,
  kUnix,
  kExec,
  kPtrace,
  kWrite,
  kKill,
  kMemory,
  kSelf,
  kToken,
  kHugeOutput
};

struct Row {
  std::string sandbox;
  Attempt attempt;
  std::string error;  // empty: granted
};

void PrintTo(const Row& row, std::ostream* os) {
  *os << row.sandbox << " " << row.attempt;
}

class SandboxTest : public testing::TestWithParam<Row> {
 protected:
  SandboxTest() {
    options_ = OptionsFor("escapes");
    file_ = absl::StrCat(testing::TempDir(), "escaped_", getpid());
    options_.environment.push_back("DIOPI_TEST_ESCAPE_FILE=" + file_);
    setenv("DIOPI_TOKEN", "diopi_0", 1);
  }
  ~SandboxTest() override {
    unsetenv("DIOPI_TOKEN");
    std::filesystem::remove(file_);
  }

  WorkerOptions options_;
  std::string file_;
};

TEST_P(SandboxTest, RefusesWithAnError) {
  const Row& row = GetParam();
  options_.sandbox = row.sandbox;
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, row.attempt), AddInputs({2, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, CallOutcome::Kind::kReplied) << outcome.text;
  EXPECT_EQ(outcome.reply.error_code() == 0, row.error.empty()) << outcome.reply.text();
  EXPECT_THAT(outcome.reply.text(), HasSubstr(row.error));
  if (row.error.empty()) {
    EXPECT_EQ(Floats(outcome.outputs.at("out")), AddResult({2, 3}, row.attempt));
  }
  if (row.attempt == kWrite) {
    EXPECT_EQ(std::filesystem::exists(file_), row.error.empty());
  }
}

constexpr char kRefused[] = "Operation not permitted";

INSTANTIATE_TEST_SUITE_P(All, SandboxTest,
                         testing::Values(Row{"default", kInet, kRefused}, Row{"default", kInet6, kRefused},
                                         Row{"default", kPacket, kRefused}, Row{"default", kUnix, ""},
                                         Row{"default", kExec, kRefused}, Row{"default", kPtrace, kRefused},
                                         Row{"default", kWrite, ""}, Row{"default", kKill, kRefused},
                                         Row{"default", kSelf, ""}, Row{"strict", kInet, kRefused},
                                         Row{"strict", kUnix, kRefused}, Row{"strict", kExec, kRefused},
                                         Row{"strict", kPtrace, kRefused}, Row{"strict", kKill, kRefused},
                                         Row{"strict", kSelf, ""}, Row{"off", kInet, ""},
                                         Row{"off", kUnix, ""}, Row{"off", kExec, ""}, Row{"off", kWrite, ""},
                                         Row{"off", kKill, ""}, Row{"off", kToken, "No such file"},
                                         Row{"default", kToken, "No such file"}));

TEST_F(SandboxTest, StrictWritesNoFileOrSaysThatItCannotForbidIt) {
  options_.sandbox = "strict";
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kWrite), AddInputs({2, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, CallOutcome::Kind::kReplied) << outcome.text;
  const std::string& sandbox = (*worker)->hello().sandbox();
  if (sandbox.find("could not drop: reading and writing files") != std::string::npos) {
    GTEST_SKIP() << "this machine's kernel does not offer it: " << sandbox;
  }
  EXPECT_THAT(outcome.reply.text(), HasSubstr("Permission denied"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(SandboxTest, TheAgentTakesNoFigureOfTheWorkerOnTrust) {
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kHugeOutput), AddInputs({2, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  EXPECT_EQ(outcome.kind, CallOutcome::Kind::kLost);
  EXPECT_THAT(outcome.text, HasSubstr("an output of 107374182400 bytes"));
  // And goes on with another process.
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kSelf), AddInputs({2, 3}), 2).ok());
  EXPECT_EQ((*worker)->Wait().kind, CallOutcome::Kind::kReplied);
}

TEST_F(SandboxTest, SaysWhatItDropped) {
  struct Words {
    std::string sandbox;
    std::string text;
  };
  for (const Words& row : {Words{"off", "off"}, Words{"default", "default: new privileges, resource limits"},
                           Words{"strict", "strict: new privileges, resource limits"}}) {
    options_.sandbox = row.sandbox;
    auto worker = Worker::Start(options_);
    ASSERT_TRUE(worker.ok()) << worker.status();
    const std::string& sandbox = (*worker)->hello().sandbox();
    EXPECT_THAT(sandbox, testing::StartsWith(row.text));
    EXPECT_EQ(sandbox.find('\n'), std::string::npos);
    if (row.sandbox == "default") {
      EXPECT_THAT(sandbox, HasSubstr("network, exec, other processes"));
    }
  }
}

TEST_F(SandboxTest, LimitsMemoryOrSaysWhyNot) {
  options_.memory_bytes = uint64_t{16} << 30;
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker.ok()) << worker.status();
  const std::string& sandbox = (*worker)->hello().sandbox();
  if (kSanitizer) {
    EXPECT_THAT(sandbox, HasSubstr("could not drop: address space over 17179869184 bytes (this build has a "
                                   "sanitizer"));
    return;
  }
  EXPECT_THAT(sandbox, HasSubstr("address space over 17179869184 bytes"));
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kMemory), AddInputs({2, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, CallOutcome::Kind::kReplied) << outcome.text;
  EXPECT_THAT(outcome.reply.text(), HasSubstr("Cannot allocate memory"));
}

}  // namespace
}  // namespace diopi::loader
