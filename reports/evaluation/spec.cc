#include "reports/evaluation/spec.h"

#include <google/protobuf/text_format.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/status_macros.h"
#include "cases/base/textproto.h"

namespace diopi::reports {
namespace {

using google::protobuf::TextFormat;

class Findings {
 public:
  explicit Findings(std::string_view file) : file_(file) {}
  // `line` from 0; below 0: unknown.
  void Add(int line, const std::string& message) {
    findings_.push_back(line < 0 ? absl::StrCat(file_, ": ", message)
                                 : absl::StrCat(file_, ":", line + 1, ": ", message));
  }
  absl::Status status() const {
    return findings_.empty() ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrJoin(findings_, "\n"));
  }

 private:
  const std::string file_;
  std::vector<std::string> findings_;
};

// Checks one block of the file: one or several figures, and their source. Uses reflection, so that a new
// block is checked as soon as it is declared.
class BlockChecker {
 public:
  BlockChecker(const google::protobuf::Message& block, const std::string& name, int line,
               const TextFormat::ParseInfoTree* tree, Findings* findings)
      : block_(block), name_(name), line_(line), tree_(tree), findings_(findings) {}

  void Check() {
    const google::protobuf::Descriptor& type = *block_.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const google::protobuf::FieldDescriptor& field = *type.field(i);
      if (field.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_DOUBLE) CheckFigure(field);
    }
    for (const char* needed : {"source", "dtype", "type", "name", "item", "text"}) {
      const google::protobuf::FieldDescriptor* field = type.FindFieldByName(needed);
      if (field != nullptr && block_.GetReflection()->GetString(block_, field).empty())
        findings_->Add(line_, absl::StrCat(name_, " has no ", needed));
    }
  }

 private:
  void CheckFigure(const google::protobuf::FieldDescriptor& field) {
    const double value = block_.GetReflection()->GetDouble(block_, &field);
    const int line = tree_ == nullptr ? -1 : tree_->GetLocation(&field, -1).line;
    if (line < 0) {
      findings_->Add(
          line_, absl::StrCat(name_, " has no ", field.name(), "; omit the whole block when it is unknown"));
    } else if (!std::isfinite(value) || value <= 0) {
      findings_->Add(
          line, absl::StrCat(field.name(), " of ", name_, " is ", value, ", expected a positive number"));
    }
  }

  const google::protobuf::Message& block_;
  const std::string name_;
  const int line_;
  const TextFormat::ParseInfoTree* tree_;
  Findings* findings_;
};

void CheckBlocks(const v1::ChipSpec& spec, const TextFormat::ParseInfoTree& tree, Findings* findings) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  spec.GetReflection()->ListFields(spec, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? spec.GetReflection()->FieldSize(spec, field) : 1;
    for (int i = 0; i < count; ++i) {
      const int index = field->is_repeated() ? i : -1;
      const google::protobuf::Message& block = field->is_repeated()
                                                   ? spec.GetReflection()->GetRepeatedMessage(spec, field, i)
                                                   : spec.GetReflection()->GetMessage(spec, field);
      BlockChecker(block, field->name(), tree.GetLocation(field, index).line,
                   tree.GetTreeForNested(field, index), findings)
          .Check();
    }
  }
}

void CheckOnce(const v1::ChipSpec& spec, const TextFormat::ParseInfoTree& tree, Findings* findings) {
  std::set<std::pair<std::string, bool>> seen;
  const google::protobuf::FieldDescriptor* field = v1::ChipSpec::descriptor()->FindFieldByName("compute");
  for (int i = 0; i < spec.compute_size(); ++i) {
    const v1::ComputeSpec& compute = spec.compute(i);
    if (!seen.insert({compute.dtype(), compute.sparse()}).second) {
      findings->Add(tree.GetLocation(field, i).line, absl::StrCat("a second figure for ", compute.dtype(),
                                                                  compute.sparse() ? " (sparse)" : ""));
    }
  }
}

}  // namespace

absl::StatusOr<v1::ChipSpec> ParseSpec(std::string_view text, std::string_view file_name) {
  v1::ChipSpec spec;
  ASSIGN_OR_RETURN(const SourceLines lines, ParseTextproto(text, std::string(file_name), &spec));
  Findings findings(file_name);
  if (spec.chip().empty()) findings.Add(-1, "no chip: the name given to diopi-agent --chip was expected");
  CheckBlocks(spec, *lines.tree(), &findings);
  CheckOnce(spec, *lines.tree(), &findings);
  RETURN_IF_ERROR(findings.status());
  return spec;
}

}  // namespace diopi::reports
