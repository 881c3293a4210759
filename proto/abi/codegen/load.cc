#include "proto/abi/codegen/load.h"

#include <google/protobuf/io/tokenizer.h>

#include <fstream>
#include <sstream>

namespace diopi::abi {
namespace {

class Collector : public google::protobuf::io::ErrorCollector {
 public:
  Collector(const std::string& file, Problems* problems) : file_(file), problems_(problems) {}
  void AddError(int line, int /*column*/, const std::string& message) override {
    problems_->Add(file_, line + 1, message);
  }

 private:
  const std::string& file_;
  Problems* problems_;
};

const google::protobuf::FieldDescriptor* Field(const google::protobuf::Descriptor* type, const char* name) {
  return type->FindFieldByName(name);
}

}  // namespace

void Problems::Add(const std::string& file, int line, const std::string& text) {
  messages_.push_back(file + ":" + std::to_string(line) + ": " + text);
}

int LoadedHeader::LineOfFunction(int function) const {
  return places.GetLocation(Field(Header::descriptor(), "function"), function).line + 1;
}

int LoadedHeader::LineOfParam(int function, int param) const {
  const auto* tree = places.GetTreeForNested(Field(Header::descriptor(), "function"), function);
  if (tree == nullptr) return LineOfFunction(function);
  return tree->GetLocation(Field(Function::descriptor(), "param"), param).line + 1;
}

bool LoadHeader(const std::string& path, LoadedHeader* out, Problems* problems) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    problems->Add(path, 0, "cannot be read");
    return false;
  }
  out->path = path;
  Collector collector(out->path, problems);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.WriteLocationsTo(&out->places);
  return parser.ParseFromString(text.str(), &out->header);
}

}  // namespace diopi::abi
