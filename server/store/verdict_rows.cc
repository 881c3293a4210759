#include "server/store/verdict_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace diopi::server {
namespace {

constexpr char kInsertProvenance[] =
    "INSERT OR IGNORE INTO provenances (text, device_reference) VALUES (?, ?)";
constexpr char kSelectProvenance[] = "SELECT id FROM provenances WHERE text = ? AND device_reference = ?";

// Rows that a page looks at, also when the filter leaves all of them out.
constexpr int kPageRows = 1024;

absl::Status Located(const absl::Status& status, const std::string& path) {
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

// Before a verdict's own columns.
constexpr char kResultKeys[] = "run, reference, stored";
constexpr int kResultKeyCount = 3;
constexpr char kReadKeys[] = "r.id, c.position, p.text, p.device_reference";
constexpr int kReadKeyCount = 4;
constexpr int kOutputKeyCount = 2;

// Statements stay prepared by their text's place (Connection::Prepare), so each text is made once.
template <typename Make>
const std::string& Once(Make make) {
  static const std::string& text = *new std::string(make());
  return text;
}

std::string Parameters(int count) {
  return absl::StrJoin(std::vector<std::string>(static_cast<size_t>(count), "?"), ", ");
}

const std::string& InsertResultSql() {
  return Once([] {
    return absl::StrCat("INSERT OR IGNORE INTO results (", kResultKeys, ", ", VerdictColumns().Names(),
                        ") VALUES (", Parameters(kResultKeyCount + VerdictColumns().size()), ")");
  });
}

const std::string& InsertOutputSql() {
  return Once([] {
    return absl::StrCat("INSERT INTO result_outputs (result, ordinal, ", OutputColumns().Names(),
                        ") VALUES (", Parameters(kOutputKeyCount + OutputColumns().size()), ")");
  });
}

const std::string& SelectOutputsSql() {
  return Once([] {
    return absl::StrCat("SELECT ", OutputColumns().Names(),
                        " FROM result_outputs WHERE result = ? ORDER BY ordinal");
  });
}

std::string SelectResultsSql(const char* which) {
  return absl::StrCat("SELECT ", kReadKeys, ", ", VerdictColumns().Names("r."),
                      " FROM results r JOIN run_cases c ON c.run = r.run AND c.case_id = r.case_id "
                      "JOIN provenances p ON p.id = r.reference WHERE r.run = ? ",
                      which);
}

const std::string& SelectAllSql() {
  return Once([] { return SelectResultsSql("ORDER BY c.position"); });
}

const std::string& SelectPageSql() {
  return Once([] { return SelectResultsSql("AND r.case_id > ? ORDER BY r.case_id LIMIT ?"); });
}

const std::string& SelectOneSql() {
  return Once([] { return SelectResultsSql("AND r.case_id = ?"); });
}

absl::Status ReadVerdict(const Statement& row, const std::string& path, v1::Verdict* verdict) {
  verdict->Clear();
  absl::Status status = VerdictColumns().Read(row, kReadKeyCount, verdict);
  verdict->set_reference(row.Text(2));
  verdict->set_device_reference(row.Text(3));
  return Located(status, path);
}

absl::Status AddOutputs(Connection* connection, int64_t result, v1::Verdict* verdict) {
  absl::StatusOr<Statement> outputs = connection->Prepare(SelectOutputsSql());
  if (!outputs.ok()) return outputs.status();
  outputs->Bind(result);
  for (;;) {
    const absl::StatusOr<bool> more = outputs->Step();
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
    const absl::Status status = OutputColumns().Read(*outputs, 0, verdict->add_outputs());
    if (!status.ok()) return Located(status, connection->path());
  }
}

}  // namespace

const MessageColumns& VerdictColumns() {
  static const MessageColumns& columns =
      *new MessageColumns(*v1::Verdict::descriptor(), {"outputs", "reference", "device_reference"});
  return columns;
}

const MessageColumns& OutputColumns() {
  static const MessageColumns& columns = *new MessageColumns(*v1::OutputStats::descriptor());
  return columns;
}

absl::StatusOr<VerdictWriter> VerdictWriter::Make(Connection* connection, int64_t run,
                                                  const std::string& now) {
  absl::StatusOr<Statement> result = connection->Prepare(InsertResultSql());
  if (!result.ok()) return result.status();
  absl::StatusOr<Statement> output = connection->Prepare(InsertOutputSql());
  if (!output.ok()) return output.status();
  return VerdictWriter(connection, run, now, *std::move(result), *std::move(output));
}

absl::StatusOr<int64_t> VerdictWriter::ProvenanceId(const v1::Verdict& verdict) {
  const bool same = verdict.reference() == reference_ && verdict.device_reference() == device_reference_;
  if (provenance_id_ != 0 && same) return provenance_id_;
  // Looked up first: nearly always it is there.
  for (int attempt = 0; attempt < 2; ++attempt) {
    absl::StatusOr<Statement> select = connection_->Prepare(kSelectProvenance);
    if (!select.ok()) return select.status();
    select->Bind(verdict.reference(), verdict.device_reference());
    const absl::StatusOr<bool> row = select->Step();
    if (!row.ok()) return row.status();
    if (*row) {
      reference_ = verdict.reference();
      device_reference_ = verdict.device_reference();
      provenance_id_ = select->Int(0);
      return provenance_id_;
    }
    absl::StatusOr<Statement> insert = connection_->Prepare(kInsertProvenance);
    if (!insert.ok()) return insert.status();
    insert->Bind(verdict.reference(), verdict.device_reference());
    const absl::StatusOr<int> inserted = insert->Run();
    if (!inserted.ok()) return inserted.status();
  }
  return absl::InternalError(
      absl::StrCat(connection_->path(), ": a provenance that was stored is not found"));
}

absl::StatusOr<bool> VerdictWriter::Insert(const v1::Verdict& verdict) {
  const absl::StatusOr<int64_t> reference = ProvenanceId(verdict);
  if (!reference.ok()) return reference.status();
  result_.Bind(run_, *reference, now_);
  VerdictColumns().Bind(verdict, kResultKeyCount + 1, &result_);
  const absl::StatusOr<int> inserted = result_.Run();
  if (absl::IsInvalidArgument(inserted.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat(connection_->path(), ": case '", verdict.case_id(), "' is not in this run"));
  }
  if (!inserted.ok()) return inserted.status();
  if (*inserted == 0) return false;
  const int64_t result = connection_->LastInsertRowid();
  for (int i = 0; i < verdict.outputs_size(); ++i) {
    output_.Bind(result, i);
    OutputColumns().Bind(verdict.outputs(i), kOutputKeyCount + 1, &output_);
    absl::Status status = output_.Run().status();
    if (!status.ok()) return status;
  }
  return true;
}

namespace {

// Whether the filter lets the row's verdict through; then with its outputs, where they are wanted.
absl::StatusOr<bool> ReadFiltered(Connection* connection, const Statement& row, const VerdictFilter& filter,
                                  v1::Verdict* verdict) {
  absl::Status status = ReadVerdict(row, connection->path(), verdict);
  if (!status.ok()) return status;
  const std::vector<v1::Outcome>& outcomes = filter.outcomes;
  if (!outcomes.empty() && std::find(outcomes.begin(), outcomes.end(), verdict->outcome()) == outcomes.end())
    return false;
  if (!filter.with_outputs) return true;
  status = AddOutputs(connection, row.Int(0), verdict);
  if (!status.ok()) return status;
  return true;
}

}  // namespace

absl::StatusOr<std::vector<v1::Verdict>> SelectVerdicts(Connection* connection, int64_t run,
                                                        const VerdictFilter& filter) {
  const bool all = filter.case_id.empty();
  absl::StatusOr<Statement> results = connection->Prepare(all ? SelectAllSql() : SelectOneSql());
  if (!results.ok()) return results.status();
  if (all) {
    results->Bind(run);
  } else {
    results->Bind(run, filter.case_id);
  }
  std::vector<v1::Verdict> verdicts;
  for (;;) {
    const absl::StatusOr<bool> more = results->Step();
    if (!more.ok()) return more.status();
    if (!*more) return verdicts;
    v1::Verdict verdict;
    const absl::StatusOr<bool> wanted = ReadFiltered(connection, *results, filter, &verdict);
    if (!wanted.ok()) return wanted.status();
    if (*wanted) verdicts.push_back(std::move(verdict));
  }
}

absl::StatusOr<VerdictPage> SelectVerdictPage(Connection* connection, int64_t run,
                                              const VerdictFilter& filter, const std::string& after,
                                              size_t max_bytes) {
  absl::StatusOr<Statement> results = connection->Prepare(SelectPageSql());
  if (!results.ok()) return results.status();
  results->Bind(run, after, kPageRows);
  VerdictPage page;
  size_t bytes = 0;
  for (int rows = 0; rows < kPageRows && (page.verdicts.empty() || bytes < max_bytes); ++rows) {
    const absl::StatusOr<bool> more = results->Step();
    if (!more.ok()) return more.status();
    if (!*more) {
      page.next.clear();
      return page;
    }
    v1::Verdict verdict;
    const absl::StatusOr<bool> wanted = ReadFiltered(connection, *results, filter, &verdict);
    if (!wanted.ok()) return wanted.status();
    page.next = verdict.case_id();
    if (!*wanted) continue;
    bytes += verdict.ByteSizeLong();
    page.positions.push_back(results->Int(1));
    page.verdicts.push_back(std::move(verdict));
  }
  return page;
}

}  // namespace diopi::server
