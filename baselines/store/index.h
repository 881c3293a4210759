// The table of contents of a baseline file: its dataset /index, lines of text, one for the file, one per
// case, one per tensor. The file's last bytes, the footer, locate it, so that a reader needs no HDF5.
//
//   diopi-baselines 2 1                          format version, generator version
//   operator add
//   provenance library diopi cpu reference 0.1
//   case add.float32.small HASH 81920 1234 CHECKSUM      file offset, bytes and checksum of its JSON
//   quarantined REASON                           only where there is one
//   in input float32 2x3 4096 24 CHECKSUM        key, dtype, shape ("-": 0-d), file offset, bytes
//   out out.sigma float32 2x3 4120 24 CHECKSUM
//   end
#ifndef BASELINES_STORE_INDEX_H_
#define BASELINES_STORE_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "baselines/store/store.h"
#include "cases/base/dtype.h"

namespace diopi::baselines {

// Raised when older files can no longer be read, or older programs cannot read new files.
inline constexpr int64_t kStoreFormatVersion = 2;

// A byte range of the file.
struct Piece {
  uint64_t offset = 0;
  uint64_t nbytes = 0;
  std::string checksum;
};

struct TensorEntry {
  bool output = false;
  std::string key;
  Dtype dtype = v1::Dtype::float32;
  std::vector<int64_t> shape;
  Piece piece;
};

struct CaseEntry {
  std::string id;
  std::string hash;
  Piece json;
  std::string quarantined = "";
  std::vector<TensorEntry> tensors;
};

struct Index {
  std::string operator_name;
  Provenance provenance;
  std::vector<CaseEntry> cases;
};

std::string FormatIndex(const Index& index);

// FailedPrecondition for another format or generator version, naming both; DataLoss for anything that
// FormatIndex does not write: also for a tensor whose bytes do not follow from its shape, or lie outside a
// file of `file_size` bytes. Messages do not name the file.
absl::StatusOr<Index> ParseIndex(std::string_view text, uint64_t file_size);

// The footer that points to the index: kFooterBytes long, at the very end of the file, beyond what HDF5 uses.
inline constexpr size_t kFooterBytes = 80;
std::string FormatFooter(const Piece& index);
bool ParseFooter(std::string_view text, Piece* index);

// Names go into HDF5 paths and into lines of the index: not empty, no white space, no '/', not '.' or '..'.
bool IsStorableName(std::string_view name);

}  // namespace diopi::baselines

#endif  // BASELINES_STORE_INDEX_H_
