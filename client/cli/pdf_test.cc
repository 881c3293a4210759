#include "client/cli/pdf.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cases/base/test_folder.h"

namespace diopi::cli {
namespace {

namespace fs = std::filesystem;

class PdfTest : public ::testing::Test {
 protected:
  // A program in place of the browser.
  std::string Script(const std::string& text) const {
    std::string path = folder_ / "browser";
    std::ofstream(path) << "#!/bin/sh\n" << text;
    chmod(path.c_str(), 0755);
    return path;
  }
  std::string Output() const { return folder_ / "out.pdf"; }

  const TestFolder folder_;
};

TEST_F(PdfTest, WithoutABrowserItNamesThePackage) {
  const absl::Status status = PrintPdf("<p>x", Output(), {.browser = folder_ / "none"});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("package chromium-headless-shell"), absl::string_view::npos) << status;
  EXPECT_FALSE(fs::exists(Output()));
}

TEST_F(PdfTest, ABrowserThatFailsLeavesNoFile) {
  struct Row {
    const char* script;
    const char* text;
    int limit_s;
  };
  const Row rows[] = {
      {"echo no display >&2; exit 7\n", "made no PDF, exit status 7: no display", 60},
      {"exit 0\n", "made no PDF, exit status 0", 60},
      {"kill -9 $$\n", "signal 9", 60},
      {"exec sleep 1000\n", "made no PDF within 1 s", 1},
  };
  for (const Row& row : rows) {
    const absl::Status status = PrintPdf(
        "<p>x", Output(), {.browser = Script(row.script), .limit = std::chrono::seconds(row.limit_s)});
    EXPECT_FALSE(status.ok()) << row.script;
    EXPECT_NE(status.message().find(row.text), absl::string_view::npos) << status;
    EXPECT_FALSE(fs::exists(Output()));
  }
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_F(PdfTest, PrintsAPage) {
  if (!FindBrowser({}).ok()) GTEST_SKIP() << FindBrowser({}).status().message();
  const absl::Status status = PrintPdf("<!doctype html><title>t</title><p>text", Output(), {});
  ASSERT_TRUE(status.ok()) << status;
  const std::string pdf = ReadAll(Output());
  EXPECT_EQ(pdf.rfind("%PDF-", 0), 0u);
  EXPECT_NE(pdf.find("%%EOF"), std::string::npos);
}

// The file comes out of the PDF as it went in.
TEST_F(PdfTest, EmbedsAFile) {
  if (!FindBrowser({}).ok()) GTEST_SKIP() << FindBrowser({}).status().message();
  if (std::system("qpdf --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "qpdf is not installed";
  const std::string file = folder_ / "r.pdf.failures.csv";
  const std::string content = "case,reason\r\n\"a \xe7\x89\x87\",b\r\n";
  std::ofstream(file, std::ios::binary) << content;
  const absl::Status status = PrintPdf("<!doctype html><p>x", Output(), {.attachment = file});
  ASSERT_TRUE(status.ok()) << status;
  const std::string got = folder_ / "got";
  ASSERT_EQ(
      std::system(("qpdf --show-attachment=r.pdf.failures.csv '" + Output() + "' >'" + got + "'").c_str()),
      0);
  EXPECT_EQ(ReadAll(got), content);
}

TEST_F(PdfTest, WithoutQpdfItNamesThePackage) {
  const std::string browser = Script("exit 1\n");
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.path().c_str(), 1);
  const absl::Status status = PrintPdf("<p>x", Output(), {.browser = browser, .attachment = browser});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("Debian's package qpdf"), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace diopi::cli
