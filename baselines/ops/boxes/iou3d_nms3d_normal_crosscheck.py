"""Suppression of boxes seen from above by the distance of centres; what is kept is a fixed point."""
import torch

NO_KERNEL = True


def diopiIou3dNms3dNormalMmcv(a):
    boxes = a.boxes.double()
    centre, size = boxes[:, :2], boxes[:, 3:5]
    # Two boxes of one axis share (sum of sizes) / 2 - distance, at most the smaller size.
    apart = (centre[:, None] - centre).abs()
    side = torch.minimum((size[:, None] + size) / 2 - apart, torch.minimum(size[:, None], size.expand(len(size), -1, 2)))
    shared = side.clamp(min=0).prod(2)
    area = size.prod(1)
    covers = torch.triu(shared / (area[:, None] + area - shared) > a.nms_overlap_thresh, diagonal=1)
    alive = torch.ones(len(boxes), dtype=torch.bool)
    while True:  # the selection is the only fixed point: a box lives where no living box covers it
        again = ~(covers & alive[:, None]).any(0)
        if torch.equal(again, alive):
            break
        alive = again
    kept = alive.nonzero()[:, 0]
    keep = torch.zeros(len(boxes), dtype=torch.int64)
    keep[:len(kept)] = kept
    return {"keep": keep, "keep_num": torch.tensor(len(kept))}
