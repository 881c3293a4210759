// Messages as schema version 1 stored them: each field in a column of the same name. Private to this folder.
//
//   string                    TEXT
//   bool, integers, enums     INTEGER
//   double                    REAL; NaN, "not measured", is NULL
//   optional ...              the same; NULL: absent
//   repeated string           TEXT, one entry per line, escaped as in C
//   messages, other repeated  together in one BLOB, `extra`: the message with these fields alone
#ifndef SERVER_STORE_MESSAGE_COLUMNS_H_
#define SERVER_STORE_MESSAGE_COLUMNS_H_

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/sqlite.h"

namespace diopi::server {

class MessageColumns {
 public:
  // `names` are the columns'. A column that no field is named after is not read.
  MessageColumns(const google::protobuf::Descriptor& type, std::vector<std::string> names);

  int size() const { return static_cast<int>(names_.size()); }

  // "o.key, o.max_ulp", with `prefix` "o.".
  std::string Names(const std::string& prefix) const;

  // Reads size() columns from `first` (0 is the row's first) on. DataLoss without the file's name.
  absl::Status Read(const Statement& row, int first, google::protobuf::Message* message) const;

 private:
  const google::protobuf::Descriptor& type_;
  std::vector<std::string> names_;
  std::vector<const google::protobuf::FieldDescriptor*> fields_;  // null: no such field
};

// One entry per line; characters that would break a line are escaped.
std::string JoinLines(const std::vector<std::string>& entries);
std::vector<std::string> SplitLines(const std::string& text);

}  // namespace diopi::server

#endif  // SERVER_STORE_MESSAGE_COLUMNS_H_
