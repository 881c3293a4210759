#include "server/http/api.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "baselines/store/store.h"
#include "proto/enum_name.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/diff.h"
#include "reports/model/failure_groups.h"
#include "reports/model/history.h"
#include "reports/model/lab.h"
#include "reports/model/model_support.h"
#include "reports/model/progress.h"
#include "reports/model/run_summary.h"
#include "reports/performance/load.h"
#include "reports/render/performance.h"
#include "server/http/api_json.h"
#include "server/http/api_parameters.h"
#include "server/http/api_schema.h"
#include "server/http/captures.h"
#include "server/http/compress.h"
#include "server/http/page.h"
#include "server/http/site.h"

namespace diopi::server {
namespace {

constexpr size_t kWorthGzip = 1024;
constexpr int kQuickGzip = 1;
constexpr int kRunsAtOnce = 1000;
constexpr int kRunsUnlessAsked = 100;
constexpr int kPointsUnlessAsked = 200;
constexpr size_t kMeasuredRuns = 50;
constexpr int kMostCapturedCalls = 1000;

using Answer = absl::StatusOr<Json>;

// Handlers take the request with the groups that its route matched, percent-decoded.
class Api {
 public:
  Api(std::shared_ptr<Queries> queries, ApiOptions options)
      : queries_(std::move(queries)), options_(std::move(options)) {}

  Answer Chips(const HttpRequest& request) const;
  Answer Chip(const HttpRequest& request) const;
  Answer Runs(const HttpRequest& request) const;
  Answer Run(const HttpRequest& request) const;
  Answer Cases(const HttpRequest& request) const;
  Answer Case(const HttpRequest& request) const;
  Answer Failures(const HttpRequest& request) const;
  Answer Performance(const HttpRequest& request) const;
  Answer MeasuredRuns(const HttpRequest& request) const;
  Answer Progress(const HttpRequest& request) const;
  Answer History(const HttpRequest& request) const;
  Answer Compare(const HttpRequest& request) const;
  Answer Coverage(const HttpRequest& request) const;
  Answer Models(const HttpRequest& request) const;
  Answer Lab(const HttpRequest& request) const;
  Answer Explorations(const HttpRequest& request) const;
  Answer Agents(const HttpRequest& request) const;
  Answer Captures(const HttpRequest& request) const;
  Answer Capture(const HttpRequest& request) const;
  Answer Schema(const HttpRequest& request) const;
  Answer Version(const HttpRequest& request) const;

 private:
  // The chip that a request means: "unnamed" is the one without a name, unless one has that name.
  absl::StatusOr<std::string> ChipNamed(const std::string& name) const;
  // The parameters of a list of runs.
  absl::StatusOr<RunFilter> ListFilter(const HttpRequest& request) const;

  const std::shared_ptr<Queries> queries_;
  const ApiOptions options_;
};

// A handler's result, or its status.
template <typename T>
Answer Told(const absl::StatusOr<T>& value) {
  if (!value.ok()) return value.status();
  return ToJson(*value);
}

// The only parameters: a range of time.
absl::StatusOr<TimeRange> OnlyRange(const HttpRequest& request) {
  const Parameters parameters(request);
  if (absl::Status status = parameters.Only({"from", "to"}); !status.ok()) return status;
  return parameters.Range();
}

absl::StatusOr<std::string> Api::ChipNamed(const std::string& name) const {
  if (name != ChipName("")) return name;
  const absl::StatusOr<std::vector<ChipRow>> chips = queries_->Chips();
  if (!chips.ok()) return chips.status();
  for (const ChipRow& row : *chips) {
    if (row.chip == name) return name;
  }
  return std::string();
}

Answer Api::Chips(const HttpRequest& request) const {
  const absl::StatusOr<TimeRange> range = OnlyRange(request);
  if (!range.ok()) return range.status();
  const absl::StatusOr<std::vector<reports::ChipOverview>> chips = reports::LoadChips(*queries_, *range);
  if (!chips.ok()) return chips.status();
  Json list = Json::array();
  for (const reports::ChipOverview& chip : *chips) list.push_back(ToJson(chip));
  return Json{{"chips", std::move(list)}};
}

Answer Api::Chip(const HttpRequest& request) const {
  if (absl::Status status = Parameters(request).Only({}); !status.ok()) return status;
  const absl::StatusOr<std::string> chip = ChipNamed(request.matches[0]);
  if (!chip.ok()) return chip.status();
  return Told(reports::LoadChip(*queries_, *chip));
}

absl::StatusOr<RunFilter> Api::ListFilter(const HttpRequest& request) const {
  const Parameters parameters(request);
  if (absl::Status status = parameters.Only({"chip", "limit", "from", "to", "label"}); !status.ok())
    return status;
  const absl::StatusOr<int64_t> limit = parameters.Number("limit", 1, kRunsAtOnce, kRunsUnlessAsked);
  if (!limit.ok()) return limit.status();
  const absl::StatusOr<TimeRange> range = parameters.Range();
  if (!range.ok()) return range.status();
  RunFilter filter;
  filter.limit = static_cast<int>(*limit);
  filter.range = *range;
  if (!parameters.Text("chip").empty()) {
    const absl::StatusOr<std::string> chip = ChipNamed(parameters.Text("chip"));
    if (!chip.ok()) return chip.status();
    filter.chip = *chip;
  }
  if (parameters.Has("label")) {
    const absl::StatusOr<Labels::value_type> label = ParseLabel(parameters.Text("label"));
    if (!label.ok()) return absl::InvalidArgumentError(absl::StrCat("label: ", label.status().message()));
    filter.label.emplace(*label);
  }
  return filter;
}

Answer Api::Explorations(const HttpRequest& request) const {
  const absl::StatusOr<RunFilter> filter = ListFilter(request);
  if (!filter.ok()) return filter.status();
  const absl::StatusOr<std::vector<v1::RunInfo>> runs = queries_->Explorations(*filter);
  if (!runs.ok()) return runs.status();
  Json list = Json::array();
  for (const v1::RunInfo& run : *runs) list.push_back(ExplorationRowJson(run));
  return Json{{"explorations", std::move(list)}};
}

Answer Api::Runs(const HttpRequest& request) const {
  const absl::StatusOr<RunFilter> filter = ListFilter(request);
  if (!filter.ok()) return filter.status();
  const absl::StatusOr<std::vector<reports::RunSummary>> runs = reports::LoadRuns(*queries_, *filter);
  if (!runs.ok()) return runs.status();
  Json list = Json::array();
  for (const reports::RunSummary& run : *runs) list.push_back(ToJson(run));
  return Json{{"runs", std::move(list)}};
}

Answer Api::Run(const HttpRequest& request) const {
  if (absl::Status status = Parameters(request).Only({}); !status.ok()) return status;
  const absl::StatusOr<reports::RunDetail> run = reports::LoadDetail(*queries_, request.matches[0]);
  if (!run.ok()) return run.status();
  const absl::StatusOr<int64_t> measured = queries_->MeasuredCalls(run->summary.facts.run_id);
  if (!measured.ok()) return measured.status();
  Json json = ToJson(*run);
  json["measured_calls"] = *measured;
  return json;
}

Answer Api::Cases(const HttpRequest& request) const {
  const Parameters parameters(request);
  if (absl::Status status = parameters.Only({"outcome", "operator", "dtype"}); !status.ok()) return status;
  const absl::StatusOr<CaseFilter> filter = parameters.Cases();
  if (!filter.ok()) return filter.status();
  const absl::StatusOr<RunRow> run = queries_->RunCounts(request.matches[0]);
  if (!run.ok()) return run.status();
  const absl::StatusOr<std::vector<CaseRow>> cases = queries_->Cases(run->facts.run_id, *filter);
  if (!cases.ok()) return cases.status();
  Json rows = Json::array();
  rows.get_ref<Json::array_t&>().reserve(cases->size());
  for (const CaseRow& row : *cases) rows.push_back(ToJson(row));
  return Json{{"run_id", run->facts.run_id},
              {"state", EnumName(run->facts.state)},
              {"columns", CaseColumns()},
              {"rows", std::move(rows)}};
}

Answer Api::Case(const HttpRequest& request) const {
  if (absl::Status status = Parameters(request).Only({}); !status.ok()) return status;
  const absl::StatusOr<v1::RunInfo> run = queries_->Describe(request.matches[0]);
  if (!run.ok()) return run.status();
  const absl::StatusOr<v1::Verdict> verdict = queries_->Verdict(run->run_id(), request.matches[1]);
  if (!verdict.ok()) return verdict.status();
  // The operator's name becomes a file name.
  if (verdict->function().empty() || absl::StrContains(verdict->operator_(), "/")) {
    return ToJson(*run, *verdict, nullptr);
  }
  const auto reader = baselines::BaselineReader::Open(
      baselines::BaselinePath(options_.data_folder, options_.reference, verdict->operator_()));
  if (!reader.ok() || (*reader)->HashOf(verdict->case_id()) != verdict->case_hash()) {
    return ToJson(*run, *verdict, nullptr);
  }
  const absl::StatusOr<v1::Case> c = (*reader)->ReadCase(verdict->case_id());
  return ToJson(*run, *verdict, c.ok() ? &*c : nullptr);
}

Answer Api::Failures(const HttpRequest& request) const {
  if (absl::Status status = Parameters(request).Only({}); !status.ok()) return status;
  const absl::StatusOr<reports::RunFailures> failures = reports::LoadFailures(*queries_, request.matches[0]);
  if (!failures.ok()) return failures.status();
  return ToJson(*failures);
}

Answer Api::Progress(const HttpRequest& request) const {
  const Parameters parameters(request);
  if (absl::Status status = parameters.Only({"since"}); !status.ok()) return status;
  const absl::StatusOr<int64_t> since = parameters.Number("since", 0, INT64_MAX, 0);
  if (!since.ok()) return since.status();
  return Told(reports::LoadProgress(*queries_, request.matches[0], *since, absl::Now()));
}

Answer Api::History(const HttpRequest& request) const {
  const Parameters parameters(request);
  if (absl::Status status = parameters.Only({"chip", "limit"}); !status.ok()) return status;
  const absl::StatusOr<std::string> name = parameters.Required("chip");
  if (!name.ok()) return name.status();
  const absl::StatusOr<int64_t> limit = parameters.Number("limit", 1, kRunsAtOnce, kPointsUnlessAsked);
  if (!limit.ok()) return limit.status();
  const absl::StatusOr<std::string> chip = ChipNamed(*name);
  if (!chip.ok()) return chip.status();
  return Told(reports::LoadHistory(*queries_, request.matches[0], *chip, static_cast<int>(*limit)));
}

// That a run measured nothing is, for a reader of pages, that there is nothing.
absl::Status Missing(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) ? absl::NotFoundError(status.message()) : status;
}

Answer Api::Performance(const HttpRequest& request) const {
  const Parameters parameters(request);
  if (absl::Status status = parameters.Only({"against"}); !status.ok()) return status;
  const absl::StatusOr<RunFacts> run = reports::FindMeasuredRun(*queries_, request.matches[0]);
  if (!run.ok()) return Missing(run.status());
  const absl::StatusOr<reports::PerformanceReport> report =
      reports::LoadPerformance(*queries_, *run, nullptr, reports::A100Times());
  if (!report.ok()) return report.status();
  if (!parameters.Has("against")) return reports::PerformanceJson(*report, nullptr);
  const absl::StatusOr<RunFacts> before = reports::FindMeasuredRun(*queries_, parameters.Text("against"));
  if (!before.ok()) return Missing(before.status());
  const absl::StatusOr<reports::Comparison> comparison =
      reports::LoadComparison(*queries_, *before, *run, reports::ComparisonOptions().factor);
  if (!comparison.ok()) return comparison.status();
  return reports::PerformanceJson(*report, &*comparison);
}

Answer Api::MeasuredRuns(const HttpRequest& request) const {
  const Parameters parameters(request);
  if (absl::Status status = parameters.Only({"chip"}); !status.ok()) return status;
  const absl::StatusOr<std::string> given = parameters.Required("chip");
  if (!given.ok()) return given.status();
  const absl::StatusOr<std::string> chip = ChipNamed(*given);
  if (!chip.ok()) return chip.status();
  const absl::StatusOr<std::vector<RunFacts>> measured = queries_->MeasuredRunsFacts(0);
  if (!measured.ok()) return measured.status();
  Json::array_t runs;  // newest first
  for (const RunFacts& run : *measured) {
    if (run.chip != *chip || runs.size() == kMeasuredRuns) continue;
    const absl::StatusOr<reports::PerformanceReport> report =
        reports::LoadPerformance(*queries_, run, nullptr, reports::A100Times());
    if (!report.ok()) return report.status();
    runs.push_back(ToJson(run, *report));
  }
  std::reverse(runs.begin(), runs.end());
  return Json{{"chip", *given}, {"runs", std::move(runs)}};
}

Answer Api::Compare(const HttpRequest& request) const {
  const Parameters parameters(request);
  if (absl::Status status = parameters.Only({"a", "b"}); !status.ok()) return status;
  const absl::StatusOr<std::string> a = parameters.Required("a");
  if (!a.ok()) return a.status();
  const absl::StatusOr<std::string> b = parameters.Required("b");
  if (!b.ok()) return b.status();
  return Told(reports::LoadDiff(*queries_, *a, *b));
}

Answer Api::Coverage(const HttpRequest& request) const {
  if (absl::Status status = Parameters(request).Only({}); !status.ok()) return status;
  return Told(reports::LoadCoverage(*queries_));
}

Answer Api::Models(const HttpRequest& request) const {
  const absl::StatusOr<TimeRange> range = OnlyRange(request);
  if (!range.ok()) return range.status();
  return Told(reports::LoadModelSupport(*queries_, *range));
}

Answer Api::Lab(const HttpRequest& request) const {
  const absl::StatusOr<TimeRange> range = OnlyRange(request);
  if (!range.ok()) return range.status();
  return Told(reports::LoadLab(*queries_, *range));
}

Answer Api::Agents(const HttpRequest& request) const {
  if (absl::Status status = Parameters(request).Only({}); !status.ok()) return status;
  Json list = Json::array();
  if (options_.agents != nullptr) {
    for (const v1::AgentInfo& agent : options_.agents()) list.push_back(ToJson(agent));
  }
  return Json{{"agents", std::move(list)}};
}

Answer Api::Captures(const HttpRequest& request) const {
  if (absl::Status status = Parameters(request).Only({}); !status.ok()) return status;
  return CapturesJson(options_.data_folder);
}

Answer Api::Capture(const HttpRequest& request) const {
  const Parameters parameters(request);
  if (absl::Status status = parameters.Only({"limit"}); !status.ok()) return status;
  const absl::StatusOr<int64_t> limit = parameters.Number("limit", 1, kMostCapturedCalls, kMostCapturedCalls);
  if (!limit.ok()) return limit.status();
  return CaptureJson(options_.data_folder, request.matches[0], *limit);
}

Answer Api::Schema(const HttpRequest& request) const {
  if (absl::Status status = Parameters(request).Only({}); !status.ok()) return status;
  // The messages' part is generated from their declarations.
  Json schema = Json::parse(ApiSchema(), nullptr, false);
  schema["$defs"].update(Json::parse(MessageSchema(), nullptr, false).at("$defs"));
  return schema;
}

Answer Api::Version(const HttpRequest& request) const {
  if (absl::Status status = Parameters(request).Only({}); !status.ok()) return status;
  return Json{
      {"version", options_.version}, {"schema_version", kSchemaVersion}, {"web", !PageHtml().empty()}};
}

// FNV-1a, 64 bits: the tag changes when a byte of the answer does.
std::string TagOf(const std::string& body) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : body) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return absl::StrCat("\"", absl::Hex(hash, absl::kZeroPad16), "\"");
}

std::string HeaderOf(const HttpRequest& request, const std::string& name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string() : found->second;
}

HttpResponse Finish(const HttpRequest& request, const Answer& answer) {
  if (!answer.ok()) return ApiError(answer.status());
  HttpResponse response = JsonResponse(Dump(*answer));
  const std::string tag = TagOf(response.body);
  response.headers = {{"ETag", tag}, {"Cache-Control", "private, no-cache"}, {"Vary", "Accept-Encoding"}};
  if (absl::StrContains(HeaderOf(request, "if-none-match"), tag)) {
    response.status = 304;
    response.body.clear();
  } else if (response.body.size() > kWorthGzip && AcceptsGzip(HeaderOf(request, "accept-encoding"))) {
    std::string compressed = Gzip(response.body, kQuickGzip);
    if (!compressed.empty()) {
      response.body = std::move(compressed);
      response.headers.emplace("Content-Encoding", "gzip");
    }
  }
  return response;
}

}  // namespace

void RegisterApi(HttpServer* http, std::shared_ptr<Queries> queries, const ApiOptions& options) {
  http->OnStop([queries] { queries->End(); });
  const auto api = std::make_shared<const Api>(std::move(queries), options);
  const auto get = [http, &api](const std::string& pattern,
                                Answer (Api::*handler)(const HttpRequest&) const) {
    http->Get("/api/v1" + pattern, [api, handler](const HttpRequest& request) {
      return Finish(request, ((*api).*handler)(request));
    });
  };
  get("/chips", &Api::Chips);
  get("/chips/(.+)", &Api::Chip);  // a name may contain slashes
  get("/runs", &Api::Runs);
  get("/runs/([^/]+)", &Api::Run);
  get("/runs/([^/]+)/cases", &Api::Cases);
  get("/runs/([^/]+)/cases/([^/]+)", &Api::Case);
  get("/runs/([^/]+)/failures", &Api::Failures);
  get("/runs/([^/]+)/performance", &Api::Performance);
  get("/runs/([^/]+)/progress", &Api::Progress);
  get("/cases/([^/]+)/history", &Api::History);
  get("/compare", &Api::Compare);
  get("/coverage", &Api::Coverage);
  get("/models", &Api::Models);
  get("/lab", &Api::Lab);
  get("/explorations", &Api::Explorations);
  get("/agents", &Api::Agents);
  get("/captures", &Api::Captures);
  get("/captures/([^/]+)", &Api::Capture);
  get("/performance", &Api::MeasuredRuns);
  get("/schema", &Api::Schema);
  get("/version", &Api::Version);
  http->Get("/api(/.*)?", [](const HttpRequest& request) {
    return ApiError(absl::NotFoundError(
        absl::StrCat("there is nothing at ", request.path, "; /api/v1/schema describes what there is")));
  });
  RegisterPage(http);
  RegisterSite(http, InstalledSite());
}

HttpResponse ApiError(const absl::Status& status) {
  HttpResponse response = ErrorResponse(status);
  const Json json = {
      {"error",
       {{"code", absl::StatusCodeToString(status.code())}, {"message", std::string(status.message())}}}};
  response.content_type = "application/json";
  response.body = Dump(json);
  return response;
}

bool IsApiPath(std::string_view path) {
  return path == "/api" || absl::StartsWith(absl::string_view(path.data(), path.size()), "/api/");
}

std::string CookieOf(std::string_view header, std::string_view name) {
  for (absl::string_view entry : absl::StrSplit(absl::string_view(header.data(), header.size()), ';')) {
    const std::pair<absl::string_view, absl::string_view> cookie =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    if (absl::StripAsciiWhitespace(cookie.first) == absl::string_view(name.data(), name.size())) {
      return std::string(absl::StripAsciiWhitespace(cookie.second));
    }
  }
  return {};
}

}  // namespace diopi::server
