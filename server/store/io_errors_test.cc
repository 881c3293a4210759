// The first reads of the file, and some of the later ones, fail in turn, in every call: the caller gets an
// error, or gets what it gets without a fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "server/store/check.h"
#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/queries.h"
#include "server/store/rows_testing.h"
#include "server/store/upkeep.h"

namespace diopi::server {
namespace {

// While it lives, SQLite opens files through it, and the read of a database that it was asked to fail fails.
// One at a time, in a process of one thread.
class FailingReads {
 public:
  FailingReads() : vfs_(*Base()) {
    vfs_.zName = "failing reads";
    vfs_.xOpen = [](sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
      const int code = Base()->xOpen(Base(), name, file, flags, out);
      if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB) != 0) {
        usual_ = file->pMethods;
        failing_ = *usual_;
        failing_.xRead = [](sqlite3_file* f, void* to, int bytes, sqlite3_int64 at) {
          if (left_ > 0 && --left_ == 0) {
            failed_ = true;
            return SQLITE_IOERR_READ;
          }
          return usual_->xRead(f, to, bytes, at);
        };
        file->pMethods = &failing_;
      }
      return code;
    };
    sqlite3_vfs_register(&vfs_, /*makeDflt=*/1);
  }
  FailingReads(const FailingReads&) = delete;
  ~FailingReads() { sqlite3_vfs_unregister(&vfs_); }

  // The n-th read from now on fails, n from 1; 0: none.
  static void Fail(int n) {
    left_ = n;
    failed_ = false;
  }
  // Whether it has; from now on none fails.
  static bool Failed() {
    left_ = 0;
    return std::exchange(failed_, false);
  }

 private:
  static sqlite3_vfs* Base() {
    static sqlite3_vfs* const base = sqlite3_vfs_find("unix");
    return base;
  }
  static inline int left_ = 0;
  static inline bool failed_ = false;
  static inline const sqlite3_io_methods* usual_ = nullptr;
  static inline sqlite3_io_methods failing_ = {};
  sqlite3_vfs vfs_;
};

class IoErrorsTest : public testing::Test {
 protected:
  // Two finished runs, of which the second has the first one's verdicts as bases, and one that goes on.
  IoErrorsTest() : path_(DatabasePath(folder_.path())) {
    const auto database = *Database::Open(path_, {});
    for (std::string* id : {&first_, &second_, &open_}) {
      *id = database->CreateRun(MakeOptions("c"), "s", MakeCases(16))->run_id();
      std::vector<v1::Verdict> verdicts;
      for (int i = 0; i < 16; ++i) {
        verdicts.push_back(MakeVerdict(i, i % 9 == 1 ? v1::OUTCOME_FAIL : v1::OUTCOME_PASS));
        verdicts.back().set_elapsed_us(i + 0.125);
        verdicts.back().set_tensor_info(std::string(400, 'y'));  // so that differences save enough
        if (i >= 12) verdicts.back().set_reason(*id);
        verdicts.back().add_outputs()->set_key("out");
      }
      EXPECT_TRUE(database->Append(*id, verdicts).ok());
      v1::Measurement measurement;
      measurement.set_case_id(CaseId(1));
      const v1::Measurement* const each = &measurement;
      EXPECT_TRUE(database->AppendPerformance(*id, {each}, nullptr).ok());
      if (id != &open_) {
        EXPECT_TRUE(database->SetState(*id, v1::RUN_STATE_FINISHED).ok());
      }
    }
    EXPECT_TRUE(LabelRun(path_, first_, {{"branch", "main"}}).ok());
  }

  // Calls with one read failing, a later one each time, until none fails. `call` describes what it got, and
  // `after` what it left.
  static void ForEachRead(
      const std::string& name, const std::function<void()>& prepare,
      const std::function<absl::StatusOr<std::string>()>& call,
      const std::function<std::string()>& after = [] { return std::string(); }) {
    SCOPED_TRACE(name);
    std::string expected;
    int reads = 0;
    for (int n = 0;; n += 1 + n / 16) {
      prepare();
      FailingReads::Fail(n);
      const absl::StatusOr<std::string> got = call();
      const bool failed = FailingReads::Failed();
      const std::string all = got.ok() ? absl::StrCat(*got, " ", after()) : "";
      if (n == 0) {
        ASSERT_TRUE(got.ok()) << got.status();
        expected = all;
      } else if (got.ok()) {
        ASSERT_EQ(all, expected) << "read " << n;
      }
      if (n > 0 && !failed) break;
      reads = n;
    }
    EXPECT_GT(reads, 0);
  }

  const FailingReads failing_;
  const TestFolder folder_;
  const std::string path_;
  std::string first_, second_, open_;
};

template <typename T>
std::string TextOf(const std::vector<T>& messages) {
  std::string text;
  for (const T& message : messages) text += message.ShortDebugString();
  return text;
}

TEST_F(IoErrorsTest, QueriesAreWholeOrFail) {
  using Text = absl::StatusOr<std::string>;
  const struct {
    const char* name;
    Text (*ask)(Queries&, const std::string&);
  } rows[] = {
      {"Run",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto row, q.Run(run));
         return absl::StrCat(row.facts.run_id, row.totals.done, " ",
                             absl::StrJoin(row.totals.references, ","), row.totals.outcomes.size());
       }},
      {"RunCounts",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto row, q.RunCounts(run));
         return absl::StrCat(row.facts.chip, row.totals.done, " ", row.totals.outcomes.size());
       }},
      {"Runs",
       [](Queries& q, const std::string&) -> Text {
         ASSIGN_OR_RETURN(const auto runs, q.Runs({}));
         std::string text;
         for (const RunRow& row : runs) absl::StrAppend(&text, row.facts.run_id, row.totals.done, " ");
         return text;
       }},
      {"Describe",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto info, q.Describe(run));
         return info.ShortDebugString();
       }},
      {"Chips",
       [](Queries& q, const std::string&) -> Text {
         ASSIGN_OR_RETURN(const auto chips, q.Chips());
         return absl::StrCat(chips.size(), chips.front().latest);
       }},
      {"Tallies",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto tallies, q.Tallies(run));
         return absl::StrCat(tallies.size());
       }},
      {"Cases",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto cases, q.Cases(run, {}));
         return absl::StrCat(cases.size(), cases.back().case_id, cases.back().reason);
       }},
      {"Verdict",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto verdict, q.Verdict(run, CaseId(7)));
         return verdict.ShortDebugString();
       }},
      {"FailedVerdicts",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto verdicts, q.FailedVerdicts(run));
         return TextOf(verdicts);
       }},
      {"History",
       [](Queries& q, const std::string&) -> Text {
         ASSIGN_OR_RETURN(const auto points, q.History(CaseId(1), "c", 0));
         return absl::StrCat(points.size(), points.back().verdict.reason);
       }},
      {"Failures",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto failures, q.Failures(run));
         return absl::StrCat(failures.size(), failures.back().case_hash);
       }},
      {"OutcomesOf",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto outcomes, q.OutcomesOf(run, {CaseId(1), CaseId(2)}));
         return absl::StrCat(outcomes.size(), outcomes.back().case_hash);
       }},
      {"Times",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto times, q.Times(run));
         return absl::StrCat(times.size());
       }},
      {"Performance",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto performance, q.Performance(run));
         return TextOf(performance.measurements);
       }},
      {"MeasuredCalls",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto count, q.MeasuredCalls(run));
         return absl::StrCat(count);
       }},
      {"Recent",
       [](Queries& q, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto recent, q.Recent(run, 0, 100));
         return absl::StrCat(recent.size(), recent.back().stored);
       }},
  };
  for (const std::string& run : {second_, open_}) {
    for (const auto& row : rows) {
      std::unique_ptr<Queries> queries;
      const auto open = [&] { queries = *Queries::Open(path_); };
      ForEachRead(row.name, open, [&] { return row.ask(*queries, run); });
    }
  }
}

TEST_F(IoErrorsTest, ADatabasesReadingsAreWholeOrFail) {
  using Text = absl::StatusOr<std::string>;
  const struct {
    const char* name;
    Text (*ask)(Database&, const std::string&);
  } rows[] = {
      {"GetRun",
       [](Database& d, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto info, d.GetRun(run));
         return info.ShortDebugString();
       }},
      {"ListRuns",
       [](Database& d, const std::string&) -> Text {
         ASSIGN_OR_RETURN(const auto runs, d.ListRuns("", 0));
         return TextOf(runs);
       }},
      {"CasesOf",
       [](Database& d, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto cases, d.CasesOf(run));
         return absl::StrCat(cases.size(), cases.back().case_id);
       }},
      {"DoneCases",
       [](Database& d, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto cases, d.DoneCases(run));
         return absl::StrJoin(cases, " ");
       }},
      {"Verdicts",
       [](Database& d, const std::string& run) -> Text {
         ASSIGN_OR_RETURN(const auto verdicts, d.Verdicts(run, {}));
         return TextOf(verdicts);
       }},
      {"PageOfVerdicts",
       [](Database& d, const std::string& run) -> Text {
         VerdictFilter filter;
         filter.outcomes = {v1::OUTCOME_FAIL};
         ASSIGN_OR_RETURN(const auto page, d.PageOfVerdicts(run, filter, "", 1 << 20));
         return absl::StrCat(TextOf(page.verdicts), page.next);
       }},
      {"Stats",
       [](Database& d, const std::string&) -> Text {
         ASSIGN_OR_RETURN(const auto stats, d.Stats());
         return absl::StrCat(stats.runs.at("c").at("finished"), stats.runs.at("c").at("running"));
       }},
      {"CaseSeconds",
       [](Database& d, const std::string&) -> Text {
         ASSIGN_OR_RETURN(const auto seconds, d.CaseSeconds("c"));
         return absl::StrCat(seconds.size());
       }},
  };
  for (const auto& row : rows) {
    std::unique_ptr<Database> database;
    const auto open = [&] { database = *Database::Open(path_, {.read_only = true}); };
    ForEachRead(row.name, open, [&] { return row.ask(*database, second_); });
  }
}

TEST_F(IoErrorsTest, WhatIsRemovedIsGoneAndWhatIsArchivedIsWhole) {
  const std::string copy = folder_ / "copy.db";
  const std::string archive = folder_ / "archive.db";
  const auto fresh = [&] {
    for (const std::string& file : {copy, copy + "-wal", copy + "-shm", archive})
      std::filesystem::remove(file);
    std::filesystem::copy_file(path_, copy);
  };
  const auto left = [&] {
    return absl::StrJoin(Rows(copy, "SELECT (SELECT count(*) FROM runs) || ' ' || count(*) FROM contents"),
                         "");
  };
  ForEachRead(
      "RemoveRuns", fresh,
      [&]() -> absl::StatusOr<std::string> {
        ASSIGN_OR_RETURN(const auto removed, RemoveRuns(copy, {first_, second_}));
        return absl::StrCat(removed.runs, " ", removed.verdicts);
      },
      left);
  ForEachRead("ArchiveRuns", fresh, [&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const auto archived, ArchiveRuns(copy, {second_}, archive));
    return absl::StrCat(archived.verdicts);
  });
  ForEachRead("LabelRun", fresh, [&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const auto labelled, LabelRun(copy, first_, {{"note", "x"}}));
    return absl::StrCat(labelled.labels.size());
  });
  ForEachRead("TagRun", fresh, [&]() -> absl::StatusOr<std::string> { return TagRun(copy, first_, "x"); });
  ForEachRead("BytesOfRuns", fresh, [&]() -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(const auto bytes, BytesOfRuns(copy, {first_}));
    return absl::StrCat(bytes.front().verdicts, " ", bytes.front().bytes);
  });
}

}  // namespace
}  // namespace diopi::server
