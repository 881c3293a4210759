"""The windows of all places by PyTorch's unfold, of which the listed ones are taken; and an indexed assignment."""
import torch

NO_KERNEL = True


def diopiMaskedIm2colMmcv(a):
    # Places may lie in the padding beyond the last window: a margin of a kernel on the far sides.
    margin = [a.pad_w, a.pad_w + a.kernel_w, a.pad_h, a.pad_h + a.kernel_h]
    image = torch.nn.functional.pad(a.im[0], margin)
    windows = image.unfold(1, a.kernel_h, 1).unfold(2, a.kernel_w, 1)[:, a.mask_h_idx, a.mask_w_idx]
    return {"col": windows.permute(0, 2, 3, 1).flatten(0, 2)}


def diopiMaskedCol2imMmcv(a):
    image = a.im.clone()
    image[0, :, a.mask_h_idx, a.mask_w_idx] = a.col
    return {"im": image}


for function in (diopiMaskedIm2colMmcv, diopiMaskedCol2imMmcv):
    function.not_timed = "part of a masked convolution, no single call of PyTorch's"
