// vendor_early: an early state of a vendor's port, for the demo. The functions that it has are correct; it
// has no convolution, sorting, optimizer, interpolation or detection yet.
#include "baselines/injected/injected.h"

DIOPI_OVERRIDE_MISSING(diopiConvolution2d);
DIOPI_OVERRIDE_MISSING(diopiConvolution2dBackward);
DIOPI_OVERRIDE_MISSING(diopiConvTranspose2d);
DIOPI_OVERRIDE_MISSING(diopiConvTranspose2dBackward);
DIOPI_OVERRIDE_MISSING(diopiSort);
DIOPI_OVERRIDE_MISSING(diopiSortBackward);
DIOPI_OVERRIDE_MISSING(diopiTopk);
DIOPI_OVERRIDE_MISSING(diopiAdamW);
DIOPI_OVERRIDE_MISSING(diopiClipGradNorm);
DIOPI_OVERRIDE_MISSING(diopiSgd);
DIOPI_OVERRIDE_MISSING(diopiNms);
DIOPI_OVERRIDE_MISSING(diopiUpsampleNearest);
DIOPI_OVERRIDE_MISSING(diopiUpsampleNearestBackward);
DIOPI_OVERRIDE_MISSING(diopiUpsampleLinear);
DIOPI_OVERRIDE_MISSING(diopiUpsampleLinearBackward);
