// Whether a disk takes more data.
#ifndef SERVER_STORE_DISK_ROOM_H_
#define SERVER_STORE_DISK_ROOM_H_

#include <string>

#include "absl/status/status.h"

namespace diopi::server {

// What must fit on the disk beside the data for the folder to have room: some batches of verdicts.
inline constexpr long kRoomBytes = 1 << 20;

// Reserves kRoomBytes in a file without a name in `folder`, writes a page of it, waits until the page is on
// the disk and gives everything back; a process that is killed meanwhile leaves nothing either.
// ResourceExhausted: the disk is full, or a quota is used up; otherwise the status of errno, with the reason
// alone.
absl::Status CheckRoom(const std::string& folder);

}  // namespace diopi::server

#endif  // SERVER_STORE_DISK_ROOM_H_
