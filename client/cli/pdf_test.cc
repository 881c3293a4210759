#include "client/cli/pdf.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace diopi::cli {
namespace {

namespace fs = std::filesystem;

class PdfTest : public ::testing::Test {
 protected:
  PdfTest() {
    std::string name = (fs::temp_directory_path() / "diopi_pdf_test_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~PdfTest() override { fs::remove_all(folder_); }
  // A program in place of the browser.
  std::string Script(const std::string& text) const {
    std::string path = folder_ + "/browser";
    std::ofstream(path) << "#!/bin/sh\n" << text;
    chmod(path.c_str(), 0755);
    return path;
  }
  std::string Output() const { return folder_ + "/out.pdf"; }

  std::string folder_;
};

TEST_F(PdfTest, WithoutABrowserItNamesThePackage) {
  const absl::Status status = PrintPdf("<p>x", Output(), {.browser = folder_ + "/none"});
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
      {"echo no display >&2; exit 7\n", "printed no PDF, exit status 7: no display", 60},
      {"exit 0\n", "printed no PDF, exit status 0", 60},
      {"kill -9 $$\n", "signal 9", 60},
      {"exec sleep 1000\n", "did not print the page within 1 s", 1},
  };
  for (const Row& row : rows) {
    const absl::Status status = PrintPdf(
        "<p>x", Output(), {.browser = Script(row.script), .limit = std::chrono::seconds(row.limit_s)});
    EXPECT_FALSE(status.ok()) << row.script;
    EXPECT_NE(status.message().find(row.text), absl::string_view::npos) << status;
    EXPECT_FALSE(fs::exists(Output()));
  }
}

TEST_F(PdfTest, PrintsAPage) {
  if (!FindBrowser({}).ok()) GTEST_SKIP() << FindBrowser({}).status().message();
  const absl::Status status = PrintPdf("<!doctype html><title>t</title><p>text", Output(), {});
  ASSERT_TRUE(status.ok()) << status;
  std::ifstream in(Output(), std::ios::binary);
  const std::string pdf((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_EQ(pdf.rfind("%PDF-", 0), 0u);
  EXPECT_NE(pdf.find("%%EOF"), std::string::npos);
}

}  // namespace
}  // namespace diopi::cli
