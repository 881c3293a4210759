// Gives a worker a /dev of its own, with only the device files that a library may open.
#ifndef IMPL_LOADER_WORKER_DEVICE_FILES_H_
#define IMPL_LOADER_WORKER_DEVICE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace diopi::loader {

enum class DeviceChoice {
  kAccelerators,  // known by their names, as drivers document them
  kNotHarmful,    // all character devices except those known to do harm, for drivers that we do not know
};

// Which files of /dev a library may open: /dev/null and its like, those of `choice`, and those that a pattern
// of the variable DIOPI_DEVICE_FILES matches ("/dev/chip*:/dev/chips/*"). Sorted absolute paths of devices,
// symbolic links, and folders, which stand for all that they contain. Disks and other block devices are never
// among them, except by a pattern.
std::vector<std::string> ChooseDeviceFiles(DeviceChoice choice);

// Mounts a folder with only these files on /dev, read-only except for the devices, and a /dev/shm: an empty
// one, or the machine's if `share_shm`. `shown`: files and folders that stay where they are, even in /dev.
// Device files elsewhere cannot be opened any more. Call it after OwnMounts (mounts.h). Errors say what
// the kernel refused.
absl::Status MountOwnDev(const std::vector<std::string>& files, const std::vector<std::string>& shown,
                         bool share_shm);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_DEVICE_FILES_H_
