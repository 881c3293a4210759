"""All distances of a batch at once; every step takes the minimum over the chosen rows anew. Two furthest points would
leave the order open: that is an error of the case."""
import torch

NO_KERNEL = True


def sampled(distances, wanted):
    chosen = [0]
    while len(chosen) < wanted:
        nearest = distances[chosen].min(0).values
        first = nearest.topk(2)
        if first.values[0] <= first.values[1] * (1 + 1e-6):
            raise ValueError(f"two furthest points: {first.indices.tolist()}")
        chosen.append(int(first.indices[0]))
    return torch.tensor(chosen, dtype=torch.int32)


def diopiFurthestPointSamplingMmcv(a):
    apart = (a.points_xyz[:, :, None] - a.points_xyz[:, None]).square().sum(3)
    return {"idx_tensor": torch.stack([sampled(batch, a.num_points) for batch in apart])}


def diopiFurthestPointSamplingWithDistMmcv(a):
    return {"idx_tensor": torch.stack([sampled(batch, a.num_points) for batch in a.points_dist])}
