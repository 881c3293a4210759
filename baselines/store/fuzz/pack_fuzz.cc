// Everything that the reader takes from a pack. The first byte says what the rest is:
//   0  the whole file
//   1  edits (baselines/store/testing.h) of a pack that our writer has written
//   2  the lines of an operator's cases, which a pack with a matching checksum may hold
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "baselines/store/pack.h"
#include "baselines/store/pack_text.h"
#include "baselines/store/testing.h"

namespace {

namespace baselines = diopi::baselines;

std::string Written() {
  const diopi::TestFolder folder;
  const std::string path = folder / "pack.h5";
  baselines::PackHeader header{"core", {"vendor", "1", "sha", "tf32", "now"}, "oracle", 64, 4, "now"};
  auto writer = baselines::PackWriter::Create(path, header);
  if (!writer.ok()) std::abort();
  std::vector<baselines::PackCase> cases(3);
  for (int i = 0; i < 3; ++i) {
    cases[i].id = "add.float32.case" + std::to_string(i);
    cases[i].hash = "0123456789abcdef0123456789abcde" + std::to_string(i);
    cases[i].inputs = "0123456789abcdef";
  }
  for (const int size : {3, 40}) {
    const diopi::HostTensor tensor = baselines::SomeTensor(diopi::v1::Dtype::float32, {size}, size);
    cases[0].tensors.push_back(baselines::MakePackTensor("out" + std::to_string(size), tensor, header));
  }
  cases[1].quarantined = "wrong";
  cases[2].without = "no such function";
  if (!(*writer)->Add("add", cases).ok() || !(*writer)->Commit().ok()) std::abort();
  return baselines::ReadFileText(path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string& written = *new std::string(Written());
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] % 3 == 2) {
    std::vector<baselines::PackPlace> places;
    baselines::ParsePackLines(absl::StrSplit(rest, '\n'), 16, &places).status().IgnoreError();
    return 0;
  }
  const std::string file = data[0] % 3 == 0 ? rest : baselines::Edited(written, data + 1, size - 1);
  const int fd = memfd_create("pack", MFD_CLOEXEC);
  if (fd < 0 || write(fd, file.data(), file.size()) != static_cast<ssize_t>(file.size())) std::abort();
  const auto reader = baselines::PackReader::Open("/proc/self/fd/" + std::to_string(fd));
  if (reader.ok()) {
    for (const std::string& name : (*reader)->operators()) (*reader)->Read(name).status().IgnoreError();
  }
  close(fd);
  return 0;
}
