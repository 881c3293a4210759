// Reads the ABI's textproto and checks it, with file and line in every message.
#ifndef PROTO_ABI_CODEGEN_LOAD_H_
#define PROTO_ABI_CODEGEN_LOAD_H_

#include <google/protobuf/text_format.h>

#include <set>
#include <string>
#include <vector>

#include "proto/abi/schema/abi.pb.h"

namespace diopi::abi {

// Collects messages of the form "FILE:LINE: TEXT".
class Problems {
 public:
  void Add(const std::string& file, int line, const std::string& text);
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
};

// One textproto file, with the places of its parts.
struct LoadedHeader {
  std::string path;
  Header header;
  google::protobuf::TextFormat::ParseInfoTree places;

  // 1-based lines.
  int LineOfFunction(int function) const;
  int LineOfParam(int function, int param) const;
};

// False, with the reason in `problems`, when the file cannot be read or parsed.
bool LoadHeader(const std::string& path, LoadedHeader* out, Problems* problems);

// Operator functions must meet more conditions than the others.
enum class HeaderRole { kOperators, kOthers };

// Checks one header; `names` holds the function names seen in the headers before it.
void ValidateHeader(const LoadedHeader& loaded, HeaderRole role, std::set<std::string>* names,
                    Problems* problems);

}  // namespace diopi::abi

#endif  // PROTO_ABI_CODEGEN_LOAD_H_
