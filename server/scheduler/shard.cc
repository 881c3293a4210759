#include "server/scheduler/shard.h"

#include "cases/base/hash.h"

namespace diopi::server {

uint32_t ShardOf(std::string_view case_id, uint32_t count) {
  return count <= 1 ? 0 : static_cast<uint32_t>(Xxh64(case_id) % count);
}

}  // namespace diopi::server
