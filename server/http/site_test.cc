#include "server/http/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/http/compress.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

// One file of a tar archive, as docs/site/pack.mjs writes it.
std::string Entry(const std::string& name, const std::string& text) {
  const std::string data = Gzip(text, 9);
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  const std::string size = absl::StrFormat("%011o", data.size());
  header.replace(124, size.size(), size);
  header[156] = '0';
  header.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
  return absl::StrCat(header, data, std::string((512 - data.size() % 512) % 512, '\0'));
}

std::string Archive() {
  return absl::StrCat(Entry("en/index.html.gz", "<h1>Welcome</h1>"),
                      Entry("zh/index.html.gz", "<h1>欢迎</h1>"), Entry("en/outcomes.html.gz", "outcomes"),
                      Entry("method.html.gz", "method"), Entry("404.html.gz", "no such page"),
                      Entry("./assets/style.css.gz", "body { }"), std::string(1024, '\0'));
}

TEST(ReadSite, FilesByName) {
  const absl::StatusOr<SiteFiles> files = ReadSite(Archive());
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 6u);
  EXPECT_EQ(Decompress(files->at("en/index.html")), "<h1>Welcome</h1>");
  EXPECT_EQ(Decompress(files->at("assets/style.css")), "body { }");
  EXPECT_TRUE(ReadSite("")->empty());
}

TEST(ReadSite, RefusesWhatIsNoArchive) {
  EXPECT_EQ(ReadSite(std::string(2048, 'x')).status().code(), absl::StatusCode::kDataLoss);
  const std::string whole = Archive();
  EXPECT_EQ(ReadSite(whole.substr(0, 520)).status().code(), absl::StatusCode::kDataLoss);
  std::string odd = whole;
  odd[124] = '9';  // no octal digit
  EXPECT_EQ(ReadSite(odd).status().code(), absl::StatusCode::kDataLoss);
}

TEST(Decompress, DamagedDataGiveNothing) {
  const std::string large(100'000, 'a');
  EXPECT_EQ(Decompress(Gzip(large, 6)), large);
  EXPECT_EQ(Decompress("no gzip"), "");
  EXPECT_EQ(Decompress(Gzip(large, 6).substr(0, 50)), "");
}

class SiteTest : public ::testing::Test {
 protected:
  void Serve(SiteFiles files) {
    http_ = HttpServer::Create({});
    RegisterSite(http_.get(), std::move(files));
    ASSERT_TRUE(http_->Listen("127.0.0.1", 0).ok());
  }

  httplib::Result Get(const std::string& path, const httplib::Headers& headers = {}) {
    httplib::Client client(absl::StrCat("http://", http_->address()));
    client.set_decompress(false);
    return client.Get(path.c_str(), headers);
  }

  std::unique_ptr<HttpServer> http_;
};

TEST_F(SiteTest, ServesFilesCompressedOrNot) {
  Serve(*ReadSite(Archive()));
  const auto page = Get("/docs/en/");
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, "<h1>Welcome</h1>");
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  const auto small = Get("/docs/assets/style.css", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(small->get_header_value("Content-Encoding"), "gzip");
  EXPECT_EQ(small->get_header_value("Content-Type"), "text/css; charset=utf-8");
  EXPECT_EQ(Decompress(small->body), "body { }");
}

TEST_F(SiteTest, FindsPagesByEverySpelling) {
  Serve(*ReadSite(Archive()));
  const struct {
    const char* path;
    int status;
    const char* answer;  // its text, or where it leads
  } rows[] = {
      {"/docs/method.html", 200, "method"},
      {"/docs/method", 200, "method"},
      {"/docs/method/", 302, "/docs/method.html"},
      {"/docs/en/outcomes.html", 200, "outcomes"},
      {"/docs/en/outcomes", 200, "outcomes"},
      {"/docs/en/outcomes?from=run", 200, "outcomes"},
      {"/docs/en/outcomes/", 302, "/docs/en/outcomes.html"},
      {"/docs/en/", 200, "<h1>Welcome</h1>"},
      {"/docs/en", 302, "/docs/en/"},
      {"/docs/en/index", 200, "<h1>Welcome</h1>"},
      {"/docs/", 302, "/docs/en/"},
      {"/docs/assets/style.css", 200, "body { }"},
      {"/docs/assets", 404, "no such page"},
      {"/docs/assets/", 404, "no such page"},
      {"/docs/en/nothing.html", 404, "no such page"},
      {"/docs/en/nothing", 404, "no such page"},
      {"/docs/en/outcomes.htm", 404, "no such page"},
      {"/docs//en", 404, "no such page"},
      {"/docs/../docs/method", 404, "no such page"},
  };
  for (const auto& row : rows) {
    const auto answer = Get(row.path);
    ASSERT_TRUE(answer) << row.path;
    EXPECT_EQ(answer->status, row.status) << row.path;
    EXPECT_EQ(row.status == 302 ? answer->get_header_value("Location") : answer->body, row.answer)
        << row.path;
  }
}

TEST_F(SiteTest, LeadsToTheBrowsersLanguage) {
  Serve(*ReadSite(Archive()));
  const std::pair<const char*, const char*> languages[] = {{"zh-CN,zh;q=0.9,en;q=0.8", "/docs/zh/"},
                                                           {"en-GB,en;q=0.9,zh;q=0.1", "/docs/en/"},
                                                           {"de", "/docs/en/"}};
  for (const auto& [accepted, where] : languages) {
    const auto answer = Get("/docs", {{"Accept-Language", accepted}});
    EXPECT_EQ(answer->status, 302);
    EXPECT_EQ(answer->get_header_value("Location"), where) << accepted;
  }
}

TEST_F(SiteTest, WithoutASiteSaysHowToBuildIt) {
  Serve({});
  for (const char* path : {"/docs", "/docs/en/"}) {
    const auto page = Get(path);
    EXPECT_EQ(page->status, 404);
    EXPECT_THAT(page->body, HasSubstr("--target diopi_docs"));
  }
}

TEST(IsSitePath, IsTheFolderAlone) {
  EXPECT_TRUE(IsSitePath("/docs"));
  EXPECT_TRUE(IsSitePath("/docs/zh/x"));
  EXPECT_FALSE(IsSitePath("/docsx"));
  EXPECT_FALSE(IsSitePath("/"));
}

}  // namespace
}  // namespace diopi::server
