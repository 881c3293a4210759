// Files of earlier schemas, for the tests of this folder.
#ifndef SERVER_STORE_MIGRATION_TESTING_H_
#define SERVER_STORE_MIGRATION_TESTING_H_

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// A database of that schema version at `path`, from testdata/results_vVERSION.sql.
inline void MakeOldDatabase(int version, const std::string& path) {
  const std::string source =
      absl::StrCat(DIOPI_SOURCE_DIR "/server/store/testdata/results_v", version, ".sql");
  std::ifstream in(source);
  const std::string sql((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_NE(sql, "") << source
                     << " is missing: write it from a file of that version before the schema moves on";
  auto connection = Connection::Open(path, Connection::Mode::kReadWrite);
  ASSERT_TRUE(connection.ok()) << connection.status();
  const absl::Status status = (*connection)->Execute(sql);
  ASSERT_TRUE(status.ok()) << status;
}

// The rows of a query with one column.
inline std::vector<std::string> Rows(const std::string& path, std::string_view sql) {
  auto connection = Connection::Open(path, Connection::Mode::kReadOnly);
  EXPECT_TRUE(connection.ok()) << connection.status();
  std::vector<std::string> rows;
  if (!connection.ok()) return rows;
  auto statement = (*connection)->Prepare(sql);
  EXPECT_TRUE(statement.ok()) << sql << ": " << statement.status();
  while (statement.ok()) {
    const absl::StatusOr<bool> row = statement->Step();
    EXPECT_TRUE(row.ok()) << row.status();
    if (!row.ok() || !*row) break;
    rows.push_back(statement->Text(0));
  }
  return rows;
}

}  // namespace diopi::server

#endif  // SERVER_STORE_MIGRATION_TESTING_H_
