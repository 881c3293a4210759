// The HDF5 file driver that a baseline is written through. HDF5 1.10 loses its footing (it crashes when the
// program ends) if a write fails while it closes a file, as on a full disk. This driver never lets it see a
// failure: it keeps the first errno for the writer, and from then on takes everything and writes nothing.
#ifndef BASELINES_STORE_DRIVER_H_
#define BASELINES_STORE_DRIVER_H_

#include <hdf5.h>

#include "baselines/store/h5.h"

namespace diopi::baselines::hdf5 {

// What driver and writer share; outlives the HDF5 file.
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
