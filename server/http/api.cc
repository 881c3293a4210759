// A handler checks its parameters (an unknown one is an error), loads one message from `queries_` and returns
// it as JSON. What all answers share, ETag and compression, is added once, in Finish. Handlers keep nothing
// between requests, so the only shared state is Queries, which is thread-safe.
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
#include "cases/base/status_macros.h"
#include "cases/core/argument_text.h"
#include "diopi/v1/answers.pb.h"
#include "diopi/v1/server_answers.pb.h"
#include "reports/model/cases_table.h"
#include "reports/model/chips.h"
#include "reports/model/coverage.h"
#include "reports/model/explorations.h"
#include "reports/model/failure_groups.h"
#include "reports/model/history.h"
#include "reports/model/lab.h"
#include "reports/model/model_support.h"
#include "reports/model/progress.h"
#include "reports/model/run_summary.h"
#include "reports/performance/load.h"
#include "reports/render/diff.h"
#include "reports/render/json_parts.h"
#include "reports/render/performance.h"
#include "reports/render/render.h"
#include "server/http/api_parameters.h"
#include "server/http/api_schema.h"
#include "server/http/captures.h"
#include "server/http/compress.h"
#include "server/http/page.h"
#include "server/http/site.h"

namespace diopi::server {
namespace {

constexpr char kUnnamed[] = "unnamed";  // a chip without a name, in paths
constexpr size_t kWorthGzip = 1024;
constexpr int kQuickGzip = 1;
constexpr int kRunsAtOnce = 1000;
constexpr int kRunsUnlessAsked = 100;
constexpr int kPointsUnlessAsked = 200;
constexpr int kMeasuredRuns = 50;
constexpr int kMostCapturedCalls = 1000;

using reports::Dump;
using reports::Json;
using reports::MessageJson;
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
  void AddCase(v1::CasePage* page) const;
  // The parameters of a list of runs.
  absl::StatusOr<RunFilter> ListFilter(const HttpRequest& request) const;

  const std::shared_ptr<Queries> queries_;
  const ApiOptions options_;
};

// What was loaded, or its status.
template <typename T>
Answer AnswerOf(const absl::StatusOr<T>& value) {
  if (!value.ok()) return value.status();
  return MessageJson(*value);
}

// The only parameters: a range of time.
absl::StatusOr<TimeRange> OnlyRange(const HttpRequest& request) {
  const Parameters parameters(request);
  RETURN_IF_ERROR(parameters.Only({"from", "to"}));
  return parameters.Range();
}

absl::StatusOr<std::string> Api::ChipNamed(const std::string& name) const {
  if (name != kUnnamed) return name;
  ASSIGN_OR_RETURN(const std::vector<ChipRow> chips, queries_->Chips());
  for (const ChipRow& row : chips) {
    if (row.chip == name) return name;
  }
  return std::string();
}

Answer Api::Chips(const HttpRequest& request) const {
  ASSIGN_OR_RETURN(const TimeRange range, OnlyRange(request));
  return AnswerOf(reports::LoadChips(*queries_, range));
}

Answer Api::Chip(const HttpRequest& request) const {
  RETURN_IF_ERROR(Parameters(request).Only({}));
  ASSIGN_OR_RETURN(const std::string chip, ChipNamed(request.matches[0]));
  return AnswerOf(reports::LoadChip(*queries_, chip));
}

absl::StatusOr<RunFilter> Api::ListFilter(const HttpRequest& request) const {
  const Parameters parameters(request);
  RETURN_IF_ERROR(parameters.Only({"chip", "limit", "from", "to", "label"}));
  ASSIGN_OR_RETURN(const int64_t limit, parameters.Number("limit", 1, kRunsAtOnce, kRunsUnlessAsked));
  ASSIGN_OR_RETURN(const TimeRange range, parameters.Range());
  RunFilter filter;
  filter.limit = static_cast<int>(limit);
  filter.range = range;
  if (!parameters.Text("chip").empty()) {
    ASSIGN_OR_RETURN(const std::string chip, ChipNamed(parameters.Text("chip")));
    filter.chip = chip;
  }
  if (parameters.Has("label")) {
    const absl::StatusOr<Labels::value_type> label = ParseLabel(parameters.Text("label"));
    if (!label.ok()) return absl::InvalidArgumentError(absl::StrCat("label: ", label.status().message()));
    filter.label.emplace(*label);
  }
  return filter;
}

Answer Api::Explorations(const HttpRequest& request) const {
  ASSIGN_OR_RETURN(const RunFilter filter, ListFilter(request));
  return AnswerOf(reports::LoadExplorations(*queries_, filter));
}

Answer Api::Runs(const HttpRequest& request) const {
  ASSIGN_OR_RETURN(const RunFilter filter, ListFilter(request));
  return AnswerOf(reports::LoadRuns(*queries_, filter));
}

Answer Api::Run(const HttpRequest& request) const {
  RETURN_IF_ERROR(Parameters(request).Only({}));
  return AnswerOf(reports::LoadRun(*queries_, request.matches[0]));
}

Answer Api::Cases(const HttpRequest& request) const {
  const Parameters parameters(request);
  RETURN_IF_ERROR(parameters.Only({"outcome", "operator", "dtype"}));
  ASSIGN_OR_RETURN(const CaseFilter filter, parameters.Cases());
  return AnswerOf(reports::LoadCases(*queries_, request.matches[0], filter));
}

// Adds what the baseline that judged the verdict says about the case.
void Api::AddCase(v1::CasePage* page) const {
  const v1::Verdict& verdict = page->verdict();
  // The operator's name becomes a file name.
  if (verdict.function().empty() || absl::StrContains(verdict.operator_(), "/")) return;
  const auto reader = baselines::BaselineReader::Open(
      baselines::BaselinePath(options_.data_folder, options_.reference, verdict.operator_()));
  if (!reader.ok() || (*reader)->HashOf(verdict.case_id()) != verdict.case_hash()) return;
  const absl::StatusOr<v1::Case> c = (*reader)->ReadCase(verdict.case_id());
  if (!c.ok()) return;
  page->set_reveals(c->reveals());
  page->mutable_arguments();
  for (const cases::ArgumentLine& line : cases::ArgumentLines(*c)) {
    v1::ShownArgument& argument = *page->mutable_arguments()->add_list();
    argument.set_name(line.name);
    argument.set_role(line.role);
    argument.set_text(line.text);
  }
}

Answer Api::Case(const HttpRequest& request) const {
  RETURN_IF_ERROR(Parameters(request).Only({}));
  ASSIGN_OR_RETURN(const v1::RunInfo run, queries_->Describe(request.matches[0]));
  ASSIGN_OR_RETURN(const v1::Verdict verdict, queries_->Verdict(run.run_id(), request.matches[1]));
  v1::CasePage page;
  page.set_run_id(run.run_id());
  page.set_chip(run.options().chip());
  *page.mutable_verdict() = verdict;
  AddCase(&page);
  page.set_repro(reports::ReproCommand(run.options(), verdict));
  return MessageJson(page);
}

Answer Api::Failures(const HttpRequest& request) const {
  RETURN_IF_ERROR(Parameters(request).Only({}));
  ASSIGN_OR_RETURN(const reports::RunFailures failures, reports::LoadFailures(*queries_, request.matches[0]));
  return MessageJson(reports::FailuresOf(failures));
}

Answer Api::Progress(const HttpRequest& request) const {
  const Parameters parameters(request);
  RETURN_IF_ERROR(parameters.Only({"since"}));
  ASSIGN_OR_RETURN(const int64_t since, parameters.Number("since", 0, INT64_MAX, 0));
  return AnswerOf(reports::LoadProgress(*queries_, request.matches[0], since, absl::Now()));
}

Answer Api::History(const HttpRequest& request) const {
  const Parameters parameters(request);
  RETURN_IF_ERROR(parameters.Only({"chip", "limit"}));
  ASSIGN_OR_RETURN(const std::string name, parameters.Required("chip"));
  ASSIGN_OR_RETURN(const int64_t limit, parameters.Number("limit", 1, kRunsAtOnce, kPointsUnlessAsked));
  ASSIGN_OR_RETURN(const std::string chip, ChipNamed(name));
  return AnswerOf(reports::LoadHistory(*queries_, request.matches[0], chip, static_cast<int>(limit)));
}

// For a page, a run without measurements is a page that does not exist.
absl::Status Missing(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) ? absl::NotFoundError(status.message()) : status;
}

Answer Api::Performance(const HttpRequest& request) const {
  const Parameters parameters(request);
  RETURN_IF_ERROR(parameters.Only({"against"}));
  const absl::StatusOr<RunFacts> run = reports::FindMeasuredRun(*queries_, request.matches[0]);
  if (!run.ok()) return Missing(run.status());
  ASSIGN_OR_RETURN(const reports::PerformanceReport report,
                   reports::LoadPerformance(*queries_, *run, nullptr, reports::A100Times()));
  if (!parameters.Has("against")) return MessageJson(reports::PerformanceOf(report, nullptr));
  const absl::StatusOr<RunFacts> before = reports::FindMeasuredRun(*queries_, parameters.Text("against"));
  if (!before.ok()) return Missing(before.status());
  ASSIGN_OR_RETURN(const reports::Comparison comparison,
                   reports::LoadComparison(*queries_, *before, *run, reports::ComparisonOptions().factor));
  return MessageJson(reports::PerformanceOf(report, &comparison));
}

Answer Api::MeasuredRuns(const HttpRequest& request) const {
  const Parameters parameters(request);
  RETURN_IF_ERROR(parameters.Only({"chip"}));
  ASSIGN_OR_RETURN(const std::string given, parameters.Required("chip"));
  ASSIGN_OR_RETURN(const std::string chip, ChipNamed(given));
  ASSIGN_OR_RETURN(const std::vector<RunFacts> measured, queries_->MeasuredRunsFacts(0));
  v1::ChipPerformance page;
  page.set_chip(given);
  for (const RunFacts& run : measured) {  // newest first
    if (run.chip != chip || page.runs_size() == kMeasuredRuns) continue;
    ASSIGN_OR_RETURN(const reports::PerformanceReport report,
                     reports::LoadPerformance(*queries_, run, nullptr, reports::A100Times()));
    *page.add_runs() = reports::MeasuredRunOf(run, report);
  }
  std::reverse(page.mutable_runs()->begin(), page.mutable_runs()->end());
  return MessageJson(page);
}

Answer Api::Compare(const HttpRequest& request) const {
  const Parameters parameters(request);
  RETURN_IF_ERROR(parameters.Only({"a", "b"}));
  ASSIGN_OR_RETURN(const std::string a, parameters.Required("a"));
  ASSIGN_OR_RETURN(const std::string b, parameters.Required("b"));
  ASSIGN_OR_RETURN(v1::Compare compare, reports::LoadDiff(*queries_, a, b));
  compare.set_comparable(reports::ComparableText(compare.comparison()));
  compare.set_times(reports::TimesText(compare.comparison().times()));
  return MessageJson(compare);
}

Answer Api::Coverage(const HttpRequest& request) const {
  RETURN_IF_ERROR(Parameters(request).Only({}));
  return AnswerOf(reports::LoadCoverage(*queries_));
}

Answer Api::Models(const HttpRequest& request) const {
  ASSIGN_OR_RETURN(const TimeRange range, OnlyRange(request));
  return AnswerOf(reports::LoadModelSupport(*queries_, range));
}

Answer Api::Lab(const HttpRequest& request) const {
  ASSIGN_OR_RETURN(const TimeRange range, OnlyRange(request));
  return AnswerOf(reports::LoadLab(*queries_, range));
}

v1::AgentRow RowOf(const v1::AgentInfo& agent) {
  const v1::AgentFacts& facts = agent.facts();
  v1::AgentRow row;
  row.set_agent_id(facts.agent_id());
  row.set_chip(facts.chip());
  row.set_host(facts.host());
  row.set_agent_version(facts.agent_version());
  row.set_vendor_name(facts.vendor_name());
  row.set_impl_version(facts.impl_version());
  row.set_impl_sha256(facts.impl_sha256());
  row.set_takes_uploads(facts.takes_uploads());
  row.set_state(agent.state());
  row.set_since(agent.since());
  row.set_seen(agent.seen());
  row.set_health(agent.health().text());
  *row.mutable_health_found() = agent.health().found();
  if (agent.run_id().empty()) return row;
  row.set_run_id(agent.run_id());
  row.set_cases(agent.cases());
  row.set_done(agent.done());
  return row;
}

Answer Api::Agents(const HttpRequest& request) const {
  RETURN_IF_ERROR(Parameters(request).Only({}));
  v1::AgentsPage page;
  if (options_.agents != nullptr) {
    for (const v1::AgentInfo& agent : options_.agents()) *page.add_agents() = RowOf(agent);
  }
  return MessageJson(page);
}

Answer Api::Captures(const HttpRequest& request) const {
  RETURN_IF_ERROR(Parameters(request).Only({}));
  return MessageJson(LoadCaptures(options_.data_folder));
}

Answer Api::Capture(const HttpRequest& request) const {
  const Parameters parameters(request);
  RETURN_IF_ERROR(parameters.Only({"limit"}));
  ASSIGN_OR_RETURN(const int64_t limit,
                   parameters.Number("limit", 1, kMostCapturedCalls, kMostCapturedCalls));
  return AnswerOf(LoadCapture(options_.data_folder, request.matches[0], limit));
}

Answer Api::Schema(const HttpRequest& request) const {
  RETURN_IF_ERROR(Parameters(request).Only({}));
  return Json::parse(ApiSchema(), nullptr, false);
}

Answer Api::Version(const HttpRequest& request) const {
  RETURN_IF_ERROR(Parameters(request).Only({}));
  v1::VersionPage page;
  page.set_version(options_.version);
  page.set_schema_version(kSchemaVersion);
  page.set_web(!PageHtml().empty());
  return MessageJson(page);
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
  v1::ErrorPage page;
  page.mutable_error()->set_code(absl::StatusCodeToString(status.code()));
  page.mutable_error()->set_message(std::string(status.message()));
  response.content_type = "application/json";
  response.body = Dump(MessageJson(page));
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
