// The HDF5 file driver through which baselines are written. HDF5 1.10 crashes when the program ends if a
// write failed while it closed a file, as on a full disk. This driver hides failures from HDF5: it keeps the
// first errno for the writer, and from then on accepts everything and writes nothing.
#ifndef BASELINES_STORE_DRIVER_H_
#define BASELINES_STORE_DRIVER_H_

#include <hdf5.h>

#include "baselines/store/h5.h"

namespace diopi::baselines::hdf5 {

// Shared by driver and writer; outlives the HDF5 file.
struct Target {
  int fd = -1;    // open for reading and writing, not owned
  int error = 0;  // the first errno that a write met
};

// Registers the driver; valid as long as the handle lives.
Handle RegisterDriver();

// Makes `access` create files through `driver` into `target`.
bool UseDriver(hid_t access, hid_t driver, Target* target);

}  // namespace diopi::baselines::hdf5

#endif  // BASELINES_STORE_DRIVER_H_
