// Files of captured calls. The first byte says what the rest is:
//   0  the whole file
//   1  edits (baselines/store/testing.h) of a capture that our writer has written
//   2  a file's name
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "baselines/store/testing.h"
#include "baselines/tap/capture.h"

namespace {

namespace tap = diopi::tap;

std::string Written() {
  const diopi::TestFolder folder;
  tap::CaptureFolder capture(folder.path(), int64_t{1} << 20, "library");
  const diopi::baselines::Baseline call = diopi::baselines::SomeBaseline("add.float32.case", 1);
  if (!capture.Add(call.c, call.inputs, call.references, {1, 2, nullptr, 3, 4.5, 6.5, 0}).ok()) std::abort();
  const auto files = tap::CaptureFiles(folder.path());
  if (!files.ok() || files->size() != 1) std::abort();
  return diopi::baselines::ReadFileText(files->front());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string& written = *new std::string(Written());
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] % 3 == 2) {
    tap::ParseCaptureName(rest);
    return 0;
  }
  const std::string file = data[0] % 3 == 0 ? rest : diopi::baselines::Edited(written, data + 1, size - 1);
  const int fd = memfd_create("capture", MFD_CLOEXEC);
  if (fd < 0 || write(fd, file.data(), file.size()) != static_cast<ssize_t>(file.size())) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const auto call = tap::ReadCapturedCall(path);
  if (call.ok()) tap::TensorsText(call->c);
  tap::ReadCallSummary(path).status().IgnoreError();
  close(fd);
  return 0;
}
