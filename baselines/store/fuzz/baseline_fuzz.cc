// Tests everything that the reader takes from baseline files. The first byte says what the rest is:
//   0  the whole file
//   1  an index without its first line, the versions, with a matching footer and checksums, behind 4 KiB
//      that its pieces may point into
//   2  edits (baselines/store/testing.h) of a file that our writer has written
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "baselines/store/checksum.h"
#include "baselines/store/index.h"
#include "baselines/store/store.h"
#include "baselines/store/testing.h"

namespace {

namespace baselines = diopi::baselines;

std::string Written() {
  const diopi::TestFolder folder;
  const std::string path = folder / "add.h5";
  auto writer =
      baselines::BaselineWriter::Create(path, "add", {"cpu", "library", "hash", "device", "1", "now"});
  if (!writer.ok()) std::abort();
  for (int i = 0; i < 2; ++i) {
    if (!(*writer)->Add(baselines::SomeBaseline("add.float32.case" + std::to_string(i), i)).ok())
      std::abort();
  }
  if (!(*writer)->Commit().ok()) std::abort();
  return baselines::ReadFileText(path);
}

std::string AroundIndex(const std::string& rest) {
  const std::string empty = baselines::FormatIndex({});
  const std::string index = empty.substr(0, empty.find('\n') + 1) + rest;
  std::string file = "\x89HDF\r\n\x1a\n";
  file.resize(4096, 'x');
  const baselines::Piece piece{file.size(), index.size(), baselines::Checksum(index)};
  return file + index + baselines::FormatFooter(piece);
}

void ReadAll(const std::string& path) {
  const auto reader = baselines::BaselineReader::Open(path);
  if (!reader.ok()) return;
  for (const std::string& id : (*reader)->case_ids()) {
    (*reader)->HashOf(id);
    (*reader)->Read(id).status().IgnoreError();
    (*reader)->ReadCase(id).status().IgnoreError();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string& written = *new std::string(Written());
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const int mode = data[0] % 3;
  const std::string file = mode == 0   ? rest
                           : mode == 1 ? AroundIndex(rest)
                                       : baselines::Edited(written, data + 1, size - 1);
  const int fd = memfd_create("baseline", MFD_CLOEXEC);
  if (fd < 0 || write(fd, file.data(), file.size()) != static_cast<ssize_t>(file.size())) std::abort();
  ReadAll("/proc/self/fd/" + std::to_string(fd));
  close(fd);
  return 0;
}
