// The columns of a table that holds messages, made from the message's declaration: a field of a .proto file
// is a column of the same name without a further word. Private to this folder.
//
//   string                    TEXT NOT NULL
//   bool, integers, enums     INTEGER NOT NULL
//   double                    REAL; NaN, "not measured", is NULL
//   optional ...              the same; NULL: absent
//   repeated string           TEXT NOT NULL, an entry a line, escaped as in C
//   messages, other repeated  together in one BLOB NOT NULL, `extra`: the message with these fields alone
//
// The declaration is thereby the schema: a change of a stored message is a change of the schema, and
// schema_test shows it by its golden copy.
#ifndef SERVER_STORE_MESSAGE_COLUMNS_H_
#define SERVER_STORE_MESSAGE_COLUMNS_H_

#include <google/protobuf/message.h>

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/sqlite.h"

namespace diopi::server {

class MessageColumns {
 public:
  // `without`: fields that the table keeps in another way. They are neither bound nor read.
  explicit MessageColumns(const google::protobuf::Descriptor& type,
                          const std::set<std::string>& without = {});

  int size() const { return static_cast<int>(columns_.size()); }

  // "  key TEXT NOT NULL,\n  max_ulp REAL", for CREATE TABLE.
  std::string Definitions() const;
  // "o.key, o.max_ulp", with `prefix` "o.".
  std::string Names(const std::string& prefix = "") const;

  // Binds size() parameters from `first` (1 is the statement's first) on. The message must live until the
  // statement is stepped.
  void Bind(const google::protobuf::Message& message, int first, Statement* statement) const;
  // Reads size() columns from `first` (0 is the row's first) on. DataLoss without the file's name.
  absl::Status Read(const Statement& row, int first, google::protobuf::Message* message) const;

 private:
  const google::protobuf::Descriptor& type_;
  std::vector<const google::protobuf::FieldDescriptor*> columns_;  // null: `extra`
  std::vector<const google::protobuf::FieldDescriptor*> extra_;
};

// Entries a line each, with what would break a line escaped.
std::string JoinLines(const std::vector<std::string>& entries);
std::vector<std::string> SplitLines(const std::string& text);

}  // namespace diopi::server

#endif  // SERVER_STORE_MESSAGE_COLUMNS_H_
