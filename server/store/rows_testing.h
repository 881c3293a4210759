// A query of a results file, for the tests of this folder.
#ifndef SERVER_STORE_ROWS_TESTING_H_
#define SERVER_STORE_ROWS_TESTING_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/store/sqlite.h"

namespace diopi::server {

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

#endif  // SERVER_STORE_ROWS_TESTING_H_
