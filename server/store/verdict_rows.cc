// A verdict is compared with that of the run "alike", chosen when the run was created. If both say the same,
// they share a row of `contents`; if the difference is small enough, only the difference is stored; otherwise
// the row is complete by itself. As a base has no base, reading a verdict applies two differences at most.
#include "server/store/verdict_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/findings/describe.h"
#include "server/store/message_delta.h"
#include "server/store/run_bytes.h"
#include "server/store/varint.h"

namespace diopi::server {
namespace {

constexpr char kInsertProvenance[] =
    "INSERT OR IGNORE INTO provenances (text, device_reference) VALUES (?, ?)";
constexpr char kSelectProvenance[] = "SELECT id FROM provenances WHERE text = ? AND device_reference = ?";
constexpr char kSelectSuiteAndAlike[] = "SELECT suite, alike FROM runs WHERE id = ?";
// The case of that id in the suite, whether the run has a verdict on it, and the content of the run alike.
constexpr char kLook[] = R"sql(
SELECT c.id, c.case_hash, c.function, c.operator, mine.run IS NOT NULL, x.id, x.base, x.body, b.body
FROM cases c CROSS JOIN suite_cases s ON s.suite = ?2 AND s.case_row = c.id
     LEFT JOIN verdicts mine ON mine.run = ?3 AND mine.case_row = c.id
     LEFT JOIN verdicts other ON other.run = ?4 AND other.case_row = c.id
     LEFT JOIN contents x ON x.id = other.content LEFT JOIN contents b ON b.id = x.base
WHERE c.case_id = ?1)sql";
constexpr char kInsertContent[] = "INSERT INTO contents (base, body) VALUES (?, ?)";
constexpr char kInsertResult[] = R"sql(
INSERT INTO verdicts (run, case_row, outcome, content, reference, call_time, elapsed_time, device_index)
VALUES (?, ?, ?, ?, ?, ?, ?, ?))sql";
constexpr char kSelectLastAppend[] =
    "SELECT last, stored, case_rows FROM appends WHERE run = ? ORDER BY last DESC LIMIT 1";
constexpr char kInsertAppend[] = "INSERT INTO appends (run, last, stored, case_rows) VALUES (?, ?, ?, ?)";
constexpr char kExtendAppend[] = "UPDATE appends SET last = ?, case_rows = ? WHERE run = ? AND last = ?";

// Columns of `verdicts` hold these.
constexpr FieldSet kNotInContents =
    FieldBit(v1::Verdict::kOutcomeFieldNumber) | FieldBit(v1::Verdict::kCallUsFieldNumber) |
    FieldBit(v1::Verdict::kElapsedUsFieldNumber) | FieldBit(v1::Verdict::kDeviceIndexFieldNumber) |
    FieldBit(v1::Verdict::kReferenceFieldNumber) | FieldBit(v1::Verdict::kDeviceReferenceFieldNumber);

// Appends of one second are one row, up to this size.
constexpr size_t kMostAppendBytes = 512;

// Most rows that a page reads, even when the filter leaves all of them out.
constexpr int kPageRows = 1024;
// A run with less than 1/kFewCases of all cases sorts its own; others read the index of all cases.
constexpr int64_t kFewCases = 8;

#define DIOPI_PAGE_COLUMNS DIOPI_VERDICT_COLUMNS ", p.text, p.device_reference, s.position"
#define DIOPI_PAGE_JOINS DIOPI_VERDICT_JOINS "CROSS JOIN provenances p ON p.id = v.reference "
#define DIOPI_PAGE_OF_CASES                                                                  \
  "SELECT " DIOPI_PAGE_COLUMNS                                                               \
  " FROM cases k CROSS JOIN verdicts v ON v.run = ?1 AND v.case_row = k.id" DIOPI_PLACE_JOIN \
      DIOPI_PAGE_JOINS

constexpr char kSelectAll[] =
    "SELECT " DIOPI_PAGE_COLUMNS
    " FROM suite_cases s CROSS JOIN verdicts v ON v.run = ?1 AND v.case_row = s.case_row" DIOPI_PAGE_JOINS
    "WHERE s.suite = (SELECT suite FROM runs WHERE id = ?1) ORDER BY s.position";
constexpr char kSelectNotPassed[] =
    "SELECT " DIOPI_PAGE_COLUMNS " FROM verdicts v" DIOPI_PLACE_JOIN DIOPI_PAGE_JOINS
    "WHERE v.run = ?1 AND v.outcome <> 1 ORDER BY s.position";
constexpr char kSelectOne[] = DIOPI_PAGE_OF_CASES "WHERE k.case_id = ?2";
constexpr char kSelectPage[] = DIOPI_PAGE_OF_CASES "WHERE k.case_id > ?2 ORDER BY k.case_id LIMIT ?3";
constexpr char kSelectPageOfFew[] = "SELECT " DIOPI_PAGE_COLUMNS R"sql(
FROM (SELECT k.id, k.case_id FROM verdicts r CROSS JOIN cases k ON k.id = r.case_row
      WHERE r.run = ?1 AND k.case_id > ?2 ORDER BY k.case_id LIMIT ?3) k
     CROSS JOIN verdicts v ON v.run = ?1 AND v.case_row = k.id)sql" DIOPI_PLACE_JOIN DIOPI_PAGE_JOINS
                                    "ORDER BY k.case_id";
// Whether the run has less than 1/kFewCases of all cases.
constexpr char kSelectShare[] = "SELECT cases * ?2 < (SELECT max(id) FROM cases) FROM runs WHERE id = ?1";

absl::Status Damaged(const std::string& path, const std::string& case_id) {
  return absl::DataLossError(
      absl::StrCat(path, ": the verdict on case ", case_id, " cannot be read: the file is damaged"));
}

void BindTime(bool measured, double us, int index, Statement* statement) {
  if (!measured) return statement->BindNull(index);
  const double ns = std::round(us * 1000);
  const bool whole = std::abs(ns) < 1e15 && ns / 1000 == us && !(us == 0 && std::signbit(us));
  if (whole) return statement->BindAt(index, static_cast<int64_t>(ns));
  statement->BindAt(index, us);
}

}  // namespace

std::optional<double> MicrosecondsOf(const Statement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return row.IsInteger(column) ? static_cast<double>(row.Int(column)) / 1000 : row.Double(column);
}

absl::Status ReadVerdict(const Statement& row, int first, const std::string& path, v1::Verdict* verdict) {
  verdict->Clear();
  verdict->set_case_id(row.Text(first));
  verdict->set_case_hash(row.Text(first + 1));
  verdict->set_function(row.Text(first + 2));
  verdict->set_operator_(row.Text(first + 3));
  const bool based = !row.IsNull(first + 9);
  if ((based && !ApplyDelta(row.Bytes(first + 9), verdict)) || !ApplyDelta(row.Bytes(first + 8), verdict)) {
    return Damaged(path, row.Text(first));
  }
  verdict->set_outcome(static_cast<v1::Outcome>(row.Int(first + 4)));
  if (const auto us = MicrosecondsOf(row, first + 5); us.has_value()) verdict->set_call_us(*us);
  if (const auto us = MicrosecondsOf(row, first + 6); us.has_value()) verdict->set_elapsed_us(*us);
  if (!row.IsNull(first + 7)) verdict->set_device_index(static_cast<int32_t>(row.Int(first + 7)));
  Describe(verdict);
  return absl::OkStatus();
}

absl::StatusOr<VerdictWriter> VerdictWriter::Make(Connection* connection, int64_t run,
                                                  const std::string& now) {
  ASSIGN_OR_RETURN(Statement select, connection->Prepare(kSelectSuiteAndAlike));
  select.Bind(run);
  RETURN_IF_ERROR(select.Step().status());
  VerdictWriter writer(connection, run, now);
  writer.suite_ = select.Int(0);
  writer.alike_ = select.Int(1);
  return writer;
}

absl::StatusOr<int64_t> VerdictWriter::ProvenanceId(const v1::Verdict& verdict) {
  const bool same = verdict.reference() == reference_ && verdict.device_reference() == device_reference_;
  if (provenance_id_ != 0 && same) return provenance_id_;
  // Looked up first: nearly always it is there.
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectProvenance));
    select.Bind(verdict.reference(), verdict.device_reference());
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (row) {
      reference_ = verdict.reference();
      device_reference_ = verdict.device_reference();
      provenance_id_ = select.Int(0);
      return provenance_id_;
    }
    ASSIGN_OR_RETURN(Statement insert, connection_->Prepare(kInsertProvenance));
    insert.Bind(verdict.reference(), verdict.device_reference());
    RETURN_IF_ERROR(insert.Run().status());
  }
  return absl::InternalError(
      absl::StrCat(connection_->path(), ": a provenance that was just stored is not found"));
}

absl::StatusOr<VerdictWriter::Known> VerdictWriter::Look(const std::string& case_id) {
  ASSIGN_OR_RETURN(Statement look, connection_->Prepare(kLook));
  look.Bind(case_id, suite_, run_, alike_);
  ASSIGN_OR_RETURN(const bool row, look.Step());
  if (!row) {
    return absl::InvalidArgumentError(
        absl::StrCat(connection_->path(), ": case '", case_id, "' is not in this run"));
  }
  Known known;
  known.case_row = look.Int(0);
  known.duplicate = look.Int(4) != 0;
  if (known.duplicate) return known;
  known.start.set_case_id(case_id);
  known.start.set_case_hash(look.Text(1));
  known.start.set_function(look.Text(2));
  known.start.set_operator_(look.Text(3));
  if (look.IsNull(5)) return known;
  known.content = look.Int(5);
  known.body = look.Text(7);
  if (!look.IsNull(6)) {
    known.base = look.Int(6);
    known.base_body = look.Text(8);
  }
  return known;
}

// Returns the row of the run alike if it says the same; otherwise adds one, if possible as a difference from
// that row or its base.
absl::StatusOr<int64_t> VerdictWriter::ContentOf(const Known& known, const v1::Verdict& verdict) {
  std::string body;
  if (!known.base.has_value()) {
    body = EncodeDelta(known.start, verdict, kNotInContents);
    if (known.content != 0 && body == known.body) return known.content;
  }
  std::optional<int64_t> base;
  if (known.content != 0) {
    const std::string& full = known.base.has_value() ? known.base_body : known.body;
    v1::Verdict whole = known.start;
    if (!ApplyDelta(full, &whole)) return Damaged(connection_->path(), verdict.case_id());
    std::string delta = EncodeDelta(whole, verdict, kNotInContents);
    if (known.base.has_value() && delta == known.body) return known.content;
    // A base must stay as long as rows refer to it, so the difference must save enough.
    if (delta.size() * 4 < full.size() * 3) {
      base = known.base.value_or(known.content);
      body = std::move(delta);
    } else if (known.base.has_value()) {
      body = EncodeDelta(known.start, verdict, kNotInContents);
    }
  }
  ASSIGN_OR_RETURN(Statement insert, connection_->Prepare(kInsertContent));
  if (base.has_value()) {
    insert.BindAt(1, *base);
  } else {
    insert.BindNull(1);
  }
  insert.BindBytes(2, body);
  RETURN_IF_ERROR(insert.Run().status());
  bytes_ += kContentBytes + static_cast<int64_t>(body.size());
  return connection_->LastInsertRowid();
}

absl::StatusOr<bool> VerdictWriter::Insert(const v1::Verdict& verdict) {
  ASSIGN_OR_RETURN(const Known known, Look(verdict.case_id()));
  if (known.duplicate) return false;
  ASSIGN_OR_RETURN(const int64_t reference, ProvenanceId(verdict));
  std::optional<v1::Verdict> bare;  // a copy only where there are texts to leave out
  if (HasFindings(verdict)) ClearDescription(&bare.emplace(verdict));
  ASSIGN_OR_RETURN(const int64_t content, ContentOf(known, bare.has_value() ? *bare : verdict));
  ASSIGN_OR_RETURN(Statement insert, connection_->Prepare(kInsertResult));
  insert.Bind(run_, known.case_row, static_cast<int>(verdict.outcome()), content, reference);
  BindTime(verdict.has_call_us(), verdict.call_us(), 6, &insert);
  BindTime(verdict.has_elapsed_us(), verdict.elapsed_us(), 7, &insert);
  if (verdict.has_device_index()) {
    insert.BindAt(8, verdict.device_index());
  } else {
    insert.BindNull(8);
  }
  RETURN_IF_ERROR(insert.Run().status());
  case_rows_.push_back(known.case_row);
  bytes_ += kVerdictBytes;
  return true;
}

absl::Status VerdictWriter::Finish() {
  if (case_rows_.empty()) return absl::OkStatus();
  int64_t last = 0;
  std::string bytes;
  bool extend = false;
  {
    ASSIGN_OR_RETURN(Statement select, connection_->Prepare(kSelectLastAppend));
    select.Bind(run_);
    ASSIGN_OR_RETURN(const bool row, select.Step());
    if (row) {
      last = select.Int(0);
      extend = select.Text(1) == now_ && select.Bytes(2).size() < kMostAppendBytes;
      if (extend) bytes = select.Text(2);
    }
  }
  int64_t before = 0;
  if (extend) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> rows, CaseRowsOf(bytes));
    before = rows.back();
  }
  for (const int64_t row : case_rows_) {
    PutZigzag(row - before, &bytes);
    before = row;
  }
  const int64_t now_last = last + static_cast<int64_t>(case_rows_.size());
  case_rows_.clear();
  ASSIGN_OR_RETURN(Statement write, connection_->Prepare(extend ? kExtendAppend : kInsertAppend));
  if (extend) {
    write.BindAt(1, now_last);
    write.BindBytes(2, bytes);
    write.BindAt(3, run_);
    write.BindAt(4, last);
  } else {
    write.Bind(run_, now_last, now_);
    write.BindBytes(4, bytes);
  }
  return write.Run().status();
}

absl::StatusOr<std::vector<int64_t>> CaseRowsOf(std::string_view bytes) {
  std::vector<int64_t> rows;
  ByteReader in(bytes);
  int64_t row = 0;
  while (in.ok() && !in.empty()) {
    row += in.Zigzag();
    rows.push_back(row);
  }
  if (!in.ok() || rows.empty()) {
    return absl::DataLossError("a row of appends cannot be read: the file is damaged");
  }
  return rows;
}

namespace {

bool Admits(const VerdictFilter& filter, v1::Outcome outcome) {
  const std::vector<v1::Outcome>& outcomes = filter.outcomes;
  return outcomes.empty() || std::find(outcomes.begin(), outcomes.end(), outcome) != outcomes.end();
}

// Reads the row's verdict if the filter admits it. False: it does not.
absl::StatusOr<bool> ReadFiltered(const Statement& row, const std::string& path, const VerdictFilter& filter,
                                  v1::Verdict* verdict) {
  if (!Admits(filter, static_cast<v1::Outcome>(row.Int(4)))) return false;
  RETURN_IF_ERROR(ReadVerdict(row, 0, path, verdict));
  verdict->set_reference(row.Text(kVerdictColumns));
  verdict->set_device_reference(row.Text(kVerdictColumns + 1));
  if (!filter.with_outputs) verdict->clear_outputs();
  return true;
}

const char* SelectFor(const VerdictFilter& filter) {
  if (!filter.case_id.empty()) return kSelectOne;
  return Admits(filter, v1::OUTCOME_PASS) ? kSelectAll : kSelectNotPassed;
}

}  // namespace

absl::StatusOr<std::vector<v1::Verdict>> SelectVerdicts(Connection* connection, int64_t run,
                                                        const VerdictFilter& filter) {
  ASSIGN_OR_RETURN(Statement results, connection->Prepare(SelectFor(filter)));
  if (filter.case_id.empty()) {
    results.Bind(run);
  } else {
    results.Bind(run, filter.case_id);
  }
  std::vector<v1::Verdict> verdicts;
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, results.Step());
    if (!more) return verdicts;
    v1::Verdict verdict;
    ASSIGN_OR_RETURN(const bool wanted, ReadFiltered(results, connection->path(), filter, &verdict));
    if (wanted) verdicts.push_back(std::move(verdict));
  }
}

absl::StatusOr<VerdictPage> SelectVerdictPage(Connection* connection, int64_t run,
                                              const VerdictFilter& filter, const std::string& after,
                                              size_t max_bytes) {
  bool few = false;
  {
    ASSIGN_OR_RETURN(Statement share, connection->Prepare(kSelectShare));
    share.Bind(run, kFewCases);
    ASSIGN_OR_RETURN(const bool row, share.Step());
    few = row && share.Int(0) != 0;
  }
  ASSIGN_OR_RETURN(Statement results, connection->Prepare(few ? kSelectPageOfFew : kSelectPage));
  results.Bind(run, after, kPageRows);
  VerdictPage page;
  size_t bytes = 0;
  for (int rows = 0; rows < kPageRows && (page.verdicts.empty() || bytes < max_bytes); ++rows) {
    ASSIGN_OR_RETURN(const bool more, results.Step());
    if (!more) {
      page.next.clear();
      return page;
    }
    v1::Verdict verdict;
    ASSIGN_OR_RETURN(const bool wanted, ReadFiltered(results, connection->path(), filter, &verdict));
    page.next = results.Text(0);
    if (!wanted) continue;
    bytes += verdict.ByteSizeLong();
    page.positions.push_back(results.Int(kVerdictColumns + 2));
    page.verdicts.push_back(std::move(verdict));
  }
  return page;
}

}  // namespace diopi::server
