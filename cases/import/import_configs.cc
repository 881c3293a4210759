#include "cases/import/import_configs.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cases/core/operator_file.h"

namespace diopi::cases {
namespace {

// The escapes of read_configs.py.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain.push_back(text[i]);
      continue;
    }
    const char c = text[++i];
    plain.push_back(c == 't' ? '\t' : c == 'n' ? '\n' : c);
  }
  return plain;
}

const v1::OperatorFile* FindOperator(const Catalog& catalog, const std::string& name) {
  for (const v1::OperatorFile& op : catalog.operators()) {
    if (op.operator_() == name || std::find(op.also().begin(), op.also().end(), name) != op.also().end()) {
      return &op;
    }
  }
  return nullptr;
}

v1::OperatorFile WithoutPoints(const v1::OperatorFile& op) {
  v1::OperatorFile rules;
  rules.set_operator_(op.operator_());
  rules.set_family(op.family());
  *rules.mutable_function() = op.function();
  return rules;
}

// What a point's text has that ours may not, as a number beyond its type.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int /*line*/, int /*column*/, const std::string& message) override {
    if (text.empty()) text = message;
  }
  std::string text;
};

class Importer {
 public:
  Importer(const std::string& file_name, const Catalog& catalog) : file_name_(file_name), catalog_(catalog) {}

  // False when it is no record.
  bool Take(const std::vector<std::string>& fields) {
    if (fields.size() == 4 && fields[0] == "skip") {
      LeaveOut(fields, fields[3]);
      return true;
    }
    if (fields.size() != 6 || fields[0] != "case") return false;
    const std::string where = absl::StrCat("case ", fields[4], ": ");
    v1::Grid grid;
    FirstError error;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&error);
    if (!parser.ParseFromString(fields[5], &grid)) {
      LeaveOut(fields, absl::StrCat(where, "it is no point of ours: ", error.text));
      return true;
    }
    const v1::OperatorFile* op = FindOperator(catalog_, fields[3]);
    if (op == nullptr) {
      LeaveOut(fields,
               absl::StrCat(where, "the suite has no operator '", fields[3],
                            "', so its output shapes and judges are not known; begin one with diopi-cli ",
                            "new-operator ", fields[3]));
      return true;
    }
    const absl::Status status = Add(*op, grid);
    if (!status.ok()) LeaveOut(fields, where + std::string(status.message()));
    return true;
  }

  ImportedConfigs Finish() {
    for (auto& [name, file] : files_) imported_.files.push_back(std::move(file));
    return std::move(imported_);
  }

 private:
  void LeaveOut(const std::vector<std::string>& fields, const std::string& why) {
    imported_.left_out.push_back(absl::StrCat(file_name_, ":", fields[1], ": ", fields[2], ": ", why));
  }

  // The point alone is checked first; then it goes into the operator's file.
  absl::Status Add(const v1::OperatorFile& op, const v1::Grid& grid) {
    v1::OperatorFile alone = WithoutPoints(op);
    *alone.add_grid() = grid;
    const SourceLines lines(op.operator_());
    absl::Status status = CheckOperator(alone, lines);
    if (!status.ok()) return status;
    const absl::StatusOr<std::vector<v1::Case>> cases = ExpandOperator(alone, lines);
    if (!cases.ok()) return cases.status();
    if (cases->empty())
      return absl::InvalidArgumentError("no function of the operator takes it in a dtype of these");
    const auto [file, is_new] = files_.try_emplace(op.operator_(), WithoutPoints(op));
    *file->second.add_grid() = grid;
    ++imported_.points;
    return absl::OkStatus();
  }

  const std::string& file_name_;
  const Catalog& catalog_;
  std::map<std::string, v1::OperatorFile> files_;
  ImportedConfigs imported_;
};

}  // namespace

absl::StatusOr<ImportedConfigs> ImportConfigs(std::string_view records, const std::string& file_name,
                                              const Catalog& catalog) {
  Importer importer(file_name, catalog);
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(std::string(records), '\n'))) {
    if (line.empty()) continue;
    std::vector<std::string> fields = absl::StrSplit(line, '\t');
    for (std::string& field : fields) field = Unescape(field);
    if (!importer.Take(fields)) {
      return absl::InvalidArgumentError(absl::StrCat("no record of a case: ", line.substr(0, 200)));
    }
  }
  return importer.Finish();
}

}  // namespace diopi::cases
