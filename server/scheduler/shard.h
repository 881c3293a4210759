// The shard of a run that a case is in, by a hash of its id: machines agree without asking each other.
#ifndef SERVER_SCHEDULER_SHARD_H_
#define SERVER_SCHEDULER_SHARD_H_

#include <cstdint>
#include <string_view>

namespace diopi::server {

// 0 .. count-1, the same on every machine and in every version: never change it. Shards for different counts
// are unrelated. `count` is at least 1.
uint32_t ShardOf(std::string_view case_id, uint32_t count);

}  // namespace diopi::server

#endif  // SERVER_SCHEDULER_SHARD_H_
