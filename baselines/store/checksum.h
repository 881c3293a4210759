// The signature of an HDF5 file, and the checksum of a piece of one.
#ifndef BASELINES_STORE_CHECKSUM_H_
#define BASELINES_STORE_CHECKSUM_H_

#include <string>
#include <string_view>

#include "cases/base/hash.h"

namespace diopi::baselines {

// The first bytes of an HDF5 file.
inline constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";

// XXH64 with seed 0, 16 hex digits.
inline std::string Checksum(const std::string& data) {
  return Xxh64Hex(data);
}

}  // namespace diopi::baselines

#endif  // BASELINES_STORE_CHECKSUM_H_
