"""Turned boxes as Shapely's polygons (GEOS). PyTorch is timed without Shapely, so only calls import it."""
import torch


def turned(x, y, width, height, angle):
    from shapely import affinity, geometry
    box = geometry.box(-width / 2, -height / 2, width / 2, height / 2)
    return affinity.translate(affinity.rotate(box, angle, origin=(0, 0), use_radians=True), x, y)


def of_corners(numbers):
    from shapely import geometry
    return geometry.Polygon(list(zip(numbers[::2], numbers[1::2])))


def shared(first, second):
    """A matrix of the areas that polygons of two lists share."""
    return torch.tensor([[a.intersection(b).area if a.intersects(b) else 0.0 for b in second] for a in first],
                        dtype=torch.float64)


def areas(polygons):
    return torch.tensor([p.area for p in polygons], dtype=torch.float64)


def overlaps(first, second, mode=0):
    both = shared(first, second)
    return both / (areas(first)[:, None] if mode == 1 else areas(first)[:, None] + areas(second) - both)


def kept(polygons, threshold):
    """Which polygons stay, the best first: those that overlap no better one that stays by more than the threshold."""
    stay = []
    for i, polygon in enumerate(polygons):
        if all(overlaps([polygons[k]], [polygon]) <= threshold for k in stay):
            stay.append(i)
    return stay
