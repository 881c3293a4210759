// For tests: writes a baseline of COUNT cases of 64 KiB to PATH. With "kill" it kills itself after the last
// case, before Commit; with "limit" no file of its own may grow beyond 4 MiB, as if the disk were full.
// Prints the status code and message; exits 0 when everything went well.
#include <sys/resource.h>

#include <csignal>
#include <iostream>
#include <string>

#include "baselines/store/store.h"
#include "cases/base/status_macros.h"

namespace {

diopi::baselines::Baseline MakeCase(int number) {
  diopi::baselines::Baseline baseline;
  baseline.c.set_id("add.float32.case" + std::to_string(number));
  baseline.c.set_hash("hash" + std::to_string(number));
  baseline.inputs["input"] = {diopi::v1::Dtype::float32, {16, 1024}, std::string(64 << 10, 'x')};
  return baseline;
}

absl::Status Write(const std::string& path, int count, bool kill_self) {
  ASSIGN_OR_RETURN(auto writer, diopi::baselines::BaselineWriter::Create(path, "add", {}));
  for (int i = 0; i < count; ++i) {
    RETURN_IF_ERROR(writer->Add(MakeCase(i)));
  }
  if (kill_self) raise(SIGKILL);
  return writer->Commit();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string how = argc > 3 ? argv[3] : "";
  if (how == "limit") {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4 << 20, 4 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  absl::Status status = Write(argv[1], std::stoi(argv[2]), how == "kill");
  std::cout << status << "\n";
  return status.ok() ? 0 : 1;
}
