// One spelling of the checksum for every piece of a baseline file.
#ifndef BASELINES_STORE_CHECKSUM_H_
#define BASELINES_STORE_CHECKSUM_H_

#include <string>

#include "cases/base/hash.h"

namespace diopi::baselines {

// XXH64 with seed 0, 16 hex digits.
inline std::string Checksum(const std::string& data) {
  return Xxh64Hex(data);
}

}  // namespace diopi::baselines

#endif  // BASELINES_STORE_CHECKSUM_H_
