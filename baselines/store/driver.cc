#include "baselines/store/driver.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace diopi::baselines::hdf5 {
namespace {

// HDF5 keeps its own data in `pub`, which must come first.
struct DriverFile {
  H5FD_t pub;
  Target* target;
  haddr_t eoa;  // end of what is allocated
  haddr_t eof;  // end of what is written
};

struct DriverInfo {
  Target* target;
};

DriverFile* Of(H5FD_t* file) {
  return reinterpret_cast<DriverFile*>(file);
}
const DriverFile* Of(const H5FD_t* file) {
  return reinterpret_cast<const DriverFile*>(file);
}

H5FD_t* Open(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*maxaddr*/) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr || ftruncate(info->target->fd, 0) != 0) return nullptr;
  auto* file = new DriverFile{};
  file->target = info->target;
  return &file->pub;
}

herr_t Close(H5FD_t* file) {
  delete Of(file);
  return 0;
}

herr_t Query(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t GetEoa(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return Of(file)->eoa;
}
haddr_t GetEof(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return Of(file)->eof;
}
herr_t SetEoa(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  Of(file)->eoa = address;
  return 0;
}

herr_t Read(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address, size_t size,
            void* buffer) {
  auto* bytes = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = pread(Of(file)->target->fd, bytes, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    bytes += got;
    size -= static_cast<size_t>(got);
    address += static_cast<haddr_t>(got);
  }
  std::memset(bytes, 0, size);
  return 0;
}

herr_t Write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address, size_t size,
             const void* buffer) {
  DriverFile* f = Of(file);
  const auto* bytes = static_cast<const char*>(buffer);
  f->eof = std::max(f->eof, address + size);
  while (size > 0 && f->target->error == 0) {
    const ssize_t put = pwrite(f->target->fd, bytes, size, static_cast<off_t>(address));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      f->target->error = put < 0 ? errno : ENOSPC;
      break;
    }
    bytes += put;
    size -= static_cast<size_t>(put);
    address += static_cast<haddr_t>(put);
  }
  return 0;
}

herr_t Truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  DriverFile* f = Of(file);
  if (f->target->error == 0 && f->eoa != f->eof &&
      ftruncate(f->target->fd, static_cast<off_t>(f->eoa)) != 0) {
    f->target->error = errno;
  }
  f->eof = f->eoa;
  return 0;
}

}  // namespace

Handle RegisterDriver() {
  H5FD_class_t driver{};
  driver.name = "diopi_latch";
  driver.maxaddr = static_cast<haddr_t>(1) << 62;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = Open;
  driver.close = Close;
  driver.query = Query;
  driver.get_eoa = GetEoa;
  driver.set_eoa = SetEoa;
  driver.get_eof = GetEof;
  driver.read = Read;
  driver.write = Write;
  driver.truncate = Truncate;
  const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), std::begin(driver.fl_map));
  return Handle(H5FDregister(&driver), H5FDunregister);
}

bool UseDriver(hid_t access, hid_t driver, Target* target) {
  const DriverInfo info{target};
  return H5Pset_driver(access, driver, &info) >= 0;
}

}  // namespace diopi::baselines::hdf5
