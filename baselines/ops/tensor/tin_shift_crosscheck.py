"""Moved frames by slices of time, one clip and one group at a time. The backward is the derivative, autograd's: on the
suite's gradients it is what mmcv computes."""
import torch

NO_KERNEL = True


def moved(frames, shift):
    clips = []
    for clip, steps in zip(frames, shift.tolist()):
        parts = []
        for part, step in zip(clip.chunk(len(steps), dim=1), steps):
            count = len(part)
            kept = part[max(0, -step):max(0, count - step)]
            before = part.new_zeros(min(max(step, 0), count), *part.shape[1:])
            after = part.new_zeros(count - len(before) - len(kept), *part.shape[1:])
            parts.append(torch.cat([before, kept, after]))
        clips.append(torch.cat(parts, dim=1))
    return torch.stack(clips)


def diopiTinShiftMmcv(a):
    return {"output": moved(a.input, a.shift)}


def diopiTinShiftBackwardMmcv(a):
    frames = torch.zeros_like(a.grad_output).requires_grad_()
    return {"grad_input": torch.autograd.grad(moved(frames, a.shift), frames, a.grad_output)[0]}
