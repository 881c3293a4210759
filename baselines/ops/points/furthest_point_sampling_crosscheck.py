"""Every step chooses the point whose distance to the nearest chosen one is greatest. Two such points would leave the order open:
that is an error of the case."""
import torch

NO_KERNEL = True


def sampled(distances_from, wanted):
    chosen = [0]
    nearest = distances_from(0)
    while len(chosen) < wanted:
        first = nearest.topk(2)
        if first.values[0] <= first.values[1] * (1 + 1e-6):
            raise ValueError(f"two furthest points: {first.indices.tolist()}")
        chosen.append(int(first.indices[0]))
        nearest = torch.minimum(nearest, distances_from(chosen[-1]))
    return torch.tensor(chosen, dtype=torch.int32)


def diopiFurthestPointSamplingMmcv(a):
    def of(points):
        return sampled(lambda i: (points - points[i]).square().sum(1), a.num_points)
    return {"idx_tensor": torch.stack([of(points) for points in a.points_xyz])}


def diopiFurthestPointSamplingWithDistMmcv(a):
    return {"idx_tensor": torch.stack([sampled(distances.__getitem__, a.num_points) for distances in a.points_dist])}
