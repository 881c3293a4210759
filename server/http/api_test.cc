// The API of a real server on a loopback port; every answer is validated by the schema.
#include "server/http/api.h"

#include <zlib.h>

#include <cstdio>
#include <fstream>

#include "build_paths.h"
#include "cases/findings/finding.h"
#include "server/http/api_schema.h"
#include "server/http/api_testing.h"
#include "server/http/compress.h"
#include "server/http/page.h"

namespace diopi::server {
namespace {

using api_testing::ApiTest;
using api_testing::FoundVerdict;
using api_testing::Json;
using api_testing::kApi;
using ::testing::HasSubstr;

TEST_F(ApiTest, EveryAnswerFitsTheSchema) {
  Captured("run 1", {7});
  std::vector<v1::Verdict> all(4);
  for (int i = 0; i < 4; ++i) all[static_cast<size_t>(i)] = MakeVerdict(i, v1::OUTCOME_PASS);
  const std::string whole = Run("chip whole", v1::RUN_STATE_FINISHED, all);
  const Json stands = Ask("/chips/chip%20whole").at("complete");
  EXPECT_EQ(stands.at("run_id"), whole);
  EXPECT_TRUE(stands.at("partial").is_null());
  const Json cut_off = Ask("/chips/chip%20a");  // two of four cases have a verdict
  EXPECT_TRUE(cut_off.at("complete").is_null());
  EXPECT_EQ(cut_off.at("latest").at("partial"), "incomplete after 3 of 4 cases");
  EXPECT_TRUE(cut_off.at("latest").at("abort_reason").is_null());
  const std::string aborted = Run("chip gone", v1::RUN_STATE_RUNNING, {});
  const v1::Finding why = Found(v1::Finding::ABANDONED).Limit("3h");
  ASSERT_TRUE(database_->ChangeRun(aborted, {.state = v1::RUN_STATE_ABORTED, .aborted = why}).ok());
  const Json ended = Ask("/runs/" + aborted);
  EXPECT_EQ(ended.at("abort_reason"), "no agent has worked on it for more than 3h; --resume continues it");
  EXPECT_EQ(ended.at("abort_reason_found"), Json({{"code", "abandoned"}, {"limit", "3h"}}));
  EXPECT_EQ(ended.at("partial_found").at("code"), "together");
  const std::string explored = Explored("chip a", /*stored=*/true), other = Explored("", /*stored=*/false);
  const std::string found = Run("chip found", v1::RUN_STATE_RUNNING, {FoundVerdict(0), FoundVerdict(1)});
  const std::string before = Measured("chip m", 10), after = Measured("chip m", 30);
  const std::pair<std::string, std::string> endpoints[] = {
      {"ChipsPage", "/chips"},
      {"ChipPage", "/chips/chip%20a"},
      {"ChipPage", "/chips/unnamed"},
      {"RunsPage", "/runs"},
      {"RunsPage", "/runs?chip=chip%20b&limit=1"},
      {"RunPage", "/runs/" + good_},
      {"RunPage", "/runs/" + bad_},
      {"RunPage", "/runs/" + queued_},
      {"RunPage", "/runs/latest"},
      {"CasesTable", "/runs/" + bad_ + "/cases"},
      {"CasesTable", "/runs/" + queued_ + "/cases"},
      {"CasePage", "/runs/" + bad_ + "/cases/" + CaseId(0)},
      {"CasePage", "/runs/" + bad_ + "/cases/" + CaseId(2)},
      {"Failures", "/runs/" + bad_ + "/failures"},
      {"Failures", "/runs/" + queued_ + "/failures"},
      {"Progress", "/runs/" + running_ + "/progress"},
      {"Progress", "/runs/" + queued_ + "/progress?since=5"},
      {"History", "/cases/" + CaseId(0) + "/history?chip=chip%20a"},
      {"Compare", "/compare?a=" + good_ + "&b=" + bad_},
      {"CoveragePage", "/coverage"},
      {"ModelsPage", "/models"},
      {"Performance", "/runs/" + before + "/performance"},
      {"Performance", "/runs/" + after + "/performance?against=" + before},
      {"ChipPerformance", "/performance?chip=chip%20m"},
      {"ChipPerformance", "/performance?chip=chip%20a"},
      {"RunPage", "/runs/" + after},
      {"ExplorationsPage", "/explorations?chip=chip%20a"},
      {"ExplorationsPage", "/explorations?limit=1"},
      {"CapturesPage", "/captures"},
      {"CapturePage", "/captures/run%201"},
      {"RunPage", "/runs/" + explored},
      {"RunPage", "/runs/" + other},
      {"RunPage", "/runs/" + found},
      {"CasesTable", "/runs/" + found + "/cases"},
      {"CasePage", "/runs/" + found + "/cases/" + CaseId(0)},
      {"Failures", "/runs/" + found + "/failures"},
      {"Progress", "/runs/" + found + "/progress"},
      {"LabPage", "/lab"},
      {"LabPage", "/lab?from=2026-01-01&to=2099-01-01T00:00:00%2B08:00"},
      {"AgentsPage", "/agents"},
      {"VersionPage", "/version"},
  };
  Json answers = Json::array();
  for (const auto& [name, path] : endpoints)
    answers.push_back({{"name", name}, {"path", path}, {"answer", Ask(path)}});
  answers.push_back({{"name", "ErrorPage"}, {"path", "/runs/x"}, {"answer", Ask("/runs/x", 404)}});
  const std::string file = folder_ / "answers.json";
  std::ofstream(file) << Json{{"schema", Ask("/schema")}, {"answers", answers}};
  const std::string command =
      absl::StrCat("/usr/bin/python3 " DIOPI_SOURCE_DIR "/server/http/validate_answers.py ", file, " 2>&1");
  // NOLINTNEXTLINE(bugprone-command-processor): the test writes the command itself
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output(4096, '\0');
  output.resize(fread(output.data(), 1, output.size(), pipe));
  EXPECT_EQ(pclose(pipe), 0) << output;
  EXPECT_THAT(output, HasSubstr(absl::StrCat(answers.size(), " answers fit")));
}

TEST_F(ApiTest, WhatIsWrongIsNamed) {
  const std::string cases = "/runs/" + good_ + "/cases";
  struct Row {
    std::string path;
    int status;
    std::string code;
    std::string text;
  };
  const Row rows[] = {
      {"/runs/x", 404, "NOT_FOUND", "no run 'x'; there are"},
      {"/compare?a=" + good_ + "&b=" + Explored("chip a", true), 400, "INVALID_ARGUMENT",
       "is an exploration, which has no verdicts"},
      {"/explorations?limit=0", 400, "INVALID_ARGUMENT", "limit"},
      {"/explorations?label=main", 400, "INVALID_ARGUMENT", "label"},
      {"/runs/x/cases", 404, "NOT_FOUND", "no run 'x'"},
      {"/runs/x/failures", 404, "NOT_FOUND", "no run 'x'"},
      {"/runs/x/progress", 404, "NOT_FOUND", "no run 'x'"},
      {cases + "/nothing", 404, "NOT_FOUND", "has no verdict on case 'nothing'"},
      {"/chips/nothing", 404, "NOT_FOUND", "no runs on a chip 'nothing'; there are runs on"},
      {"/cases/" + CaseId(0) + "/history", 400, "INVALID_ARGUMENT", "parameter 'chip' is required"},
      {"/cases/nothing/history?chip=chip%20a", 404, "NOT_FOUND", "has a verdict on case 'nothing'"},
      {"/compare?a=" + good_, 400, "INVALID_ARGUMENT", "parameter 'b' is required"},
      {"/compare?a=" + good_ + "&b=x", 404, "NOT_FOUND", "no run 'x'"},
      {"/runs?limit=0", 400, "INVALID_ARGUMENT", "limit: expected a whole number from 1 to 1000, got '0'"},
      {"/runs?limit=many", 400, "INVALID_ARGUMENT", "got 'many'"},
      {"/runs?limits=5", 400, "INVALID_ARGUMENT", "unknown parameter 'limits'; expected some of chip, limit"},
      {"/runs?from=yesterday", 400, "INVALID_ARGUMENT",
       "from: expected a time such as 2026-11-20T08:00:00Z, or a day such as 2026-11-20, got 'yesterday'"},
      {"/runs?limit=1&limit=2", 400, "INVALID_ARGUMENT", "parameter 'limit' is given twice"},
      {"/agents?x=1", 400, "INVALID_ARGUMENT", "this address takes none"},
      {"/runs/latest/progress?since=-1", 400, "INVALID_ARGUMENT", "since: expected"},
      {cases + "?outcome=green", 400, "INVALID_ARGUMENT", "outcome: unknown outcome 'green'"},
      {cases + "?dtype=float31", 400, "INVALID_ARGUMENT", "dtype: "},
      {"/runs/x/performance", 404, "NOT_FOUND", "no run 'x'"},
      {"/runs/" + good_ + "/performance", 404, "NOT_FOUND", "measured nothing"},
      {"/performance", 400, "INVALID_ARGUMENT", "parameter 'chip' is required"},
      {"/nothing", 404, "NOT_FOUND", "there is nothing at /api/v1/nothing"},
  };
  for (const Row& row : rows) {
    const Json json = Ask(row.path, row.status);
    EXPECT_EQ(json.at("error").at("code"), row.code) << row.path;
    EXPECT_THAT(json.at("error").at("message").get<std::string>(), HasSubstr(row.text)) << row.path;
  }
  EXPECT_EQ(Get("/api/v2/runs")->status, 404);
  EXPECT_EQ(Get("/etc/passwd")->status, 404);
}

TEST_F(ApiTest, AChipsNameMayHoldAnythingThatAnAddressCanEncode) {
  for (const std::string name : {"acme/100", "a//b/", "50%2F", "c #?&+ü", "runs/x"}) {
    const std::string run = Run(name, v1::RUN_STATE_FINISHED, {MakeVerdict(0, v1::OUTCOME_PASS)});
    std::string encoded;
    for (const unsigned char c : name) absl::StrAppendFormat(&encoded, "%%%02X", c);
    const Json chip = Ask("/chips/" + encoded);
    EXPECT_EQ(chip.at("chip"), name);
    EXPECT_EQ(chip.at("latest").at("run_id"), run) << name;
    EXPECT_EQ(Ask("/runs?chip=" + encoded).at("runs").size(), 1U) << name;
    EXPECT_EQ(Ask("/cases/" + CaseId(0) + "/history?chip=" + encoded).at("points").size(), 1U) << name;
  }
}

std::string Gunzip(const std::string& data) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::string out(1 << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST_F(ApiTest, TagsAndCompression) {
  const std::string path = std::string(kApi) + "/coverage";
  const auto plain = Get(path);
  EXPECT_EQ(plain->get_header_value("Content-Encoding"), "");
  EXPECT_EQ(plain->get_header_value("Cache-Control"), "private, no-cache");
  const auto small = Get(path, {{"Accept-Encoding", "br, gzip"}});
  EXPECT_EQ(small->get_header_value("Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(small->body), plain->body);
  const std::string tag = plain->get_header_value("ETag");
  const auto unchanged = Get(path, {{"If-None-Match", tag}});
  EXPECT_EQ(unchanged->status, 304);
  EXPECT_EQ(unchanged->body, "");
  Run("chip c", v1::RUN_STATE_FINISHED, {MakeVerdict(0, v1::OUTCOME_PASS)});
  EXPECT_EQ(Get(path, {{"If-None-Match", tag}})->status, 200);
}

TEST_F(ApiTest, ThePageIsAtItsPathsAndKeepsTheBrowserToItself) {
  for (const char* path :
       {"/", "/chips/x", "/runs", "/runs/x/cases/y", "/compare?a=1&b=2", "/coverage", "/models"}) {
    const auto page = Get(path);
    EXPECT_EQ(page->status, 200) << path;
    EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8") << path;
    EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'")) << path;
    EXPECT_EQ(page->get_header_value("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(page->get_header_value("Referrer-Policy"), "no-referrer") << path;
    EXPECT_THAT(page->body,
                HasSubstr(PageHtml().empty() ? "the dashboards' page was left out" : "<div id=\"app\""))
        << path;
  }
  const std::string body = Get("/")->body;
  const auto small = Get("/", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(Gunzip(small->body), body);
  EXPECT_EQ(Ask("/version").at("web"), !PageHtml().empty());
}

TEST(ApiParts, CookiesPathsAndEncodings) {
  EXPECT_EQ(CookieOf("a=1; diopi_token=abc; b=2", "diopi_token"), "abc");
  EXPECT_EQ(CookieOf("diopi_token=a=b", "diopi_token"), "a=b");
  EXPECT_EQ(CookieOf("xdiopi_token=abc", "diopi_token"), "");
  EXPECT_EQ(CookieOf("", "diopi_token"), "");
  for (const char* path : {"/", "/index.html", "/chips", "/runs/x/cases/y", "/compare"})
    EXPECT_TRUE(IsPagePath(path));
  for (const char* path : {"/api", "/api/v1/runs", "/metrics", "/healthz", "/runsx", "/etc/passwd", ""}) {
    EXPECT_FALSE(IsPagePath(path)) << path;
  }
  EXPECT_TRUE(IsApiPath("/api/v1"));
  EXPECT_FALSE(IsApiPath("/apix"));
  const std::pair<const char*, bool> encodings[] = {
      {"gzip", true},      {"br, gzip;q=0.5", true},
      {"*", true},         {"GZIP", true},
      {"", false},         {"br", false},
      {"gzip;q=0", false}, {"gzip; q=0.0", false},
      {"gzipx", false},    {"gzip;q=x", false},
  };
  for (const auto& [header, accepts] : encodings) EXPECT_EQ(AcceptsGzip(header), accepts) << header;
}

}  // namespace
}  // namespace diopi::server
