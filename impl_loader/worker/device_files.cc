// Two lists decide what a worker finds in /dev. kAccelerators has the names under which vendors' drivers make
// their device files; kHarmful and kHarmfulMajors have what reaches the kernel, other programs or the
// machine's other devices. The strict mode takes only the first list, so that a device file which is new in a
// kernel stays closed; the other modes take all that is not on the second, because nobody knows the next
// vendor's names. The files themselves are bind mounts: only root could make new ones.
#include "impl_loader/worker/device_files.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "impl_loader/worker/mounts.h"

namespace diopi::loader {
namespace {

namespace fs = std::filesystem;

constexpr char kDev[] = "/dev";
constexpr char kShm[] = "/dev/shm";

constexpr std::array kAlways = {"null", "zero",  "full",   "random", "urandom",
                                "fd",   "stdin", "stdout", "stderr"};

// clang-format off
// Patterns of fnmatch for names in /dev. A folder that matches is taken whole.
constexpr std::array kAccelerators = {
    "nvidia*", "nvhost*", "nvmap", "nvgpu*",          // NVIDIA, also Jetson
    "dri", "kfd", "accel", "accel[0-9]*",             // the kernel's: AMD, Intel, Habana, Qualcomm
    "davinci*", "devmm_svm", "hisi_hdc",              // Huawei Ascend
    "cambricon*",                                     // Cambricon
    "xpu*", "mxcd*", "mxgvm*", "mtgpu*",              // Kunlunxin, MetaX, Moore Threads
    "iluvatar*", "bi_*", "biren*", "gcu*", "dtu*",    // Iluvatar CoreX, Biren, Enflame
    "alixpu*", "bm-sophon*", "bm-tpu*", "bmdev-ctl",  // T-Head, Sophgo
    "kchar*", "vacc*", "vastai*",                     // Vastai
    "hl[0-9]*", "hl_*", "ipu*", "neuron*", "tenstorrent", "rbln*", "rngd*", "npu*", "hailo*", "apex_*",
    "qaic*", "galcore", "mali*", "kgsl*", "rknpu*", "tpu*",  // of embedded systems
};
// clang-format on

// Numbers from the kernel's Documentation/admin-guide/devices.txt: /dev/mem and its like, terminals (2 to 5),
// consoles, printers, tapes, input, sound, SCSI, frame buffers, cameras, buses, flash memory, PPP, terminals,
// USB, registers and identity of processors, serial lines.
constexpr std::array<unsigned, 37> kHarmfulMajors = {
    1,   2,   3,   4,   5,   6,   7,   9,   13,  14,  21,  29,  81,  86,  89,  90,  99,  108, 116,
    128, 136, 137, 138, 139, 140, 141, 142, 143, 153, 162, 166, 180, 188, 189, 202, 203, 204};
// Devices of major 10: KVM, FUSE, TUN, user input, loop devices, device mapper, VFIO, virtual hosts, ...
constexpr unsigned kMiscMajor = 10;
constexpr unsigned kFirstFixedMinor = 64;
constexpr unsigned kLastFixedMinor = 254;

// What has no fixed number, and folders of what is not an accelerator's.
// clang-format off
constexpr std::array kHarmful = {
    // Folders.
    "block", "bsg", "bus", "char", "cpu", "cxl", "disk", "fd", "hugepages", "input", "mapper", "mqueue", "net",
    "pts", "shm", "snd", "usb", "v4l", "vfio", "xen",
    // The kernel, virtual machines, and what only pretends to be a device.
    "kmsg", "*mem", "port", "kvm", "fuse", "cuse", "userfaultfd", "vsock", "vhost*", "vduse", "iommu", "udmabuf",
    "ntsync", "autofs", "btrfs-control", "cachefiles", "ecryptfs", "loop-control", "snapshot", "dlm*", "zfs",
    "binder*", "ashmem", "cpu_dma_latency", "vga_arbiter", "mcelog", "vmci", "vbox*", "nitro_enclaves", "sgx_*",
    "sev*", "tdx*",
    // Terminals, input and output.
    "tty*", "pty*", "console", "vcs*", "ptmx", "hvc*", "uinput", "uhid", "userio", "hidraw*", "usbmon*",
    "media*", "cec*", "lirc*", "video*", "drm_dp_aux*",
    // Disks and memory that lasts.
    "sg[0-9]*", "ng[0-9]*", "nvme*", "st[0-9]*", "mtd*", "ubi*", "dax*", "ndctl*", "nvram",
    // Clocks, keys, buses and radios.
    "rtc*", "ptp*", "pps*", "hpet", "watchdog*", "hwrng", "tpm*", "gpiochip*", "i2c-*", "i3c*", "spidev*",
    "iio:*", "rpmsg*", "remoteproc*", "wwan*", "rfkill", "mei[0-9]*", "ipmi*",
};
// clang-format on

// The names of a list are relative to /dev.
template <typename Patterns>
bool Matches(const std::string& name, const Patterns& patterns) {
  return std::any_of(std::begin(patterns), std::end(patterns),
                     [&](const char* pattern) { return fnmatch(pattern, name.c_str(), 0) == 0; });
}

std::vector<std::string> PatternsOfUser() {
  const char* text = std::getenv("DIOPI_DEVICE_FILES");
  return absl::StrSplit(text == nullptr ? "" : text, ':', absl::SkipEmpty());
}

bool IsHarmful(const struct stat& file) {
  const unsigned number = major(file.st_rdev);
  if (number == kMiscMajor) {
    return minor(file.st_rdev) >= kFirstFixedMinor && minor(file.st_rdev) <= kLastFixedMinor;
  }
  return std::find(kHarmfulMajors.begin(), kHarmfulMajors.end(), number) != kHarmfulMajors.end();
}

class Chooser {
 public:
  explicit Chooser(DeviceChoice choice) : choice_(choice), users_(PatternsOfUser()) {}

  // Whether the library gets the file; a folder: with all that it contains.
  bool Takes(const std::string& path, const struct stat& file) const {
    const bool users = std::any_of(users_.begin(), users_.end(), [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
    });
    if (users) return true;
    const std::string name = path.substr(sizeof(kDev));
    if (S_ISDIR(file.st_mode)) return Matches(name, kAccelerators);
    if (!S_ISCHR(file.st_mode) && !S_ISLNK(file.st_mode)) return false;
    if (Matches(name, kAlways) || Matches(name, kAccelerators)) return true;
    return choice_ == DeviceChoice::kNotHarmful && (S_ISLNK(file.st_mode) || !IsHarmful(file)) &&
           !Matches(name, kHarmful);
  }

  // Whether something in the folder may be taken.
  bool LooksInto(const std::string& path) const {
    return !users_.empty() || !Matches(path.substr(sizeof(kDev)), kHarmful);
  }

 private:
  const DeviceChoice choice_;
  const std::vector<std::string> users_;
};

// mount_setattr, which Linux has since 5.12.
absl::Status SetAttributes(int folder, const char* path, unsigned flags, uint64_t set) {
  mount_attr attributes{};
  attributes.attr_set = set;
  // glibc has had a function for it since 2.36, and the bundle runs on older ones.
  if (syscall(SYS_mount_setattr, folder, path, flags, &attributes, sizeof(attributes)) == 0) {
    return absl::OkStatus();
  }
  return Refused(absl::StrCat("changing the mount ", path));
}

absl::Status MountEmpty(const char* path, const char* options) {
  return mount("none", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0
             ? absl::OkStatus()
             : Refused(absl::StrCat("a folder of its own on ", path));
}

}  // namespace

std::vector<std::string> ChooseDeviceFiles(DeviceChoice choice) {
  const Chooser chooser(choice);
  std::vector<std::string> chosen;
  std::string dev = kDev;
  char* roots[] = {dev.data(), nullptr};
  const std::unique_ptr<FTS, decltype(&fts_close)> tree(
      fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, nullptr), fts_close);
  while (FTSENT* entry = tree == nullptr ? nullptr : fts_read(tree.get())) {
    if (entry->fts_level == 0 || entry->fts_info == FTS_DP || entry->fts_info == FTS_NS) continue;
    const std::string path(entry->fts_path, entry->fts_pathlen);
    if (chooser.Takes(path, *entry->fts_statp)) {
      chosen.push_back(path);
      fts_set(tree.get(), entry, FTS_SKIP);
    } else if (entry->fts_info == FTS_D && !chooser.LooksInto(path)) {
      fts_set(tree.get(), entry, FTS_SKIP);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

absl::Status MountOwnDev(const std::vector<std::string>& files, const std::vector<std::string>& shown,
                         bool share_shm) {
  std::vector<Clone> devices;
  std::vector<Clone> others;
  absl::Status status;
  for (const std::string& path : files) {
    if (status.ok()) status = AddClone(path, &devices);
  }
  // A device can be written to on a read-only mount; its name, owner and mode cannot be changed there.
  for (const Clone& device : devices) {
    if (!status.ok() || !device.mount.valid()) continue;
    status = SetAttributes(device.mount.get(), "", AT_EMPTY_PATH | AT_RECURSIVE,
                           MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID);
  }
  if (status.ok() && share_shm) status = AddClone(kShm, &others);
  for (const std::string& path : shown) {
    std::error_code error;
    const std::string resolved = fs::canonical(path, error);
    if (status.ok() && !error && IsWithin(resolved, kDev)) status = AddClone(resolved, &others);
  }
  if (status.ok()) status = SetAttributes(AT_FDCWD, "/", AT_RECURSIVE, MOUNT_ATTR_NODEV);
  if (status.ok()) status = MountEmpty(kDev, "size=1m,mode=0755");
  for (const Clone& device : devices) {
    if (status.ok()) status = Attach(device);
  }
  if (status.ok() && !share_shm) {
    std::error_code error;
    fs::create_directory(kShm, error);
    status = MountEmpty(kShm, "mode=1777");
  }
  for (const Clone& other : others) {
    if (status.ok()) status = Attach(other);
  }
  return status.ok() ? SetAttributes(AT_FDCWD, kDev, 0, MOUNT_ATTR_RDONLY) : status;
}

}  // namespace diopi::loader
