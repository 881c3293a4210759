#include "client/cli/output.h"

#include <iostream>

#include "cases/base/write_file.h"

namespace diopi::cli {

absl::Status WriteOutput(std::string_view text, const std::string& path) {
  if (!path.empty()) return ReplaceFile(path, text);
  std::cout << text << std::flush;
  return std::cout ? absl::OkStatus() : absl::UnavailableError("standard output cannot be written");
}

absl::Status WriteTable(const reports::Table& table, const std::string& format, const std::string& path) {
  const absl::StatusOr<std::string> text = reports::WriteList(table, format);
  return text.ok() ? WriteOutput(*text, path) : text.status();
}

}  // namespace diopi::cli
