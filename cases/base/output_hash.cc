#include "cases/base/output_hash.h"

#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>  // with the processor's widest registers
#endif

#include <algorithm>
#include <bit>
#include <vector>

#include "cases/base/hash.h"
#include "cases/base/parallel.h"

namespace diopi {

uint64_t HashOutput(std::string_view data) {
  return HashOutput(data, [](size_t, size_t) {});
}

uint64_t HashOutput(std::string_view data, absl::FunctionRef<void(size_t begin, size_t bytes)> then) {
  if (data.size() <= kWholeHashBytes) {
    const uint64_t hash = Xxh64(data);
    then(0, data.size());
    return hash;
  }
  static_assert(std::endian::native == std::endian::little);
  static_assert(kParallelBytes % kHashBlock == 0);
  std::vector<uint64_t> hashes((data.size() + kHashBlock - 1) / kHashBlock);
  ForRanges(static_cast<int64_t>(data.size()), kParallelBytes, [&](int64_t from, int64_t to) {
    const auto end = static_cast<size_t>(to);
    for (auto begin = static_cast<size_t>(from); begin < end; begin += kHashBlock) {
      const size_t bytes = std::min(kHashBlock, end - begin);
      hashes[begin / kHashBlock] = XXH3_64bits(data.data() + begin, bytes);
      then(begin, bytes);
    }
  });
  return Xxh64({reinterpret_cast<const char*>(hashes.data()), hashes.size() * sizeof(uint64_t)});
}

}  // namespace diopi
