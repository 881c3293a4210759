import torch

NO_KERNEL = True


# As a matrix that acts on each head: diag(cos) + diag(sin) times the matrix of the rotation by a right angle.
def turned(a, x):
    dim = a.dim
    right_angle = torch.zeros(dim, dim, dtype=x.dtype)
    for j in range(dim // 2):
        right_angle[j, j + dim // 2] = -1
        right_angle[j + dim // 2, j] = 1
    heads = x.reshape(x.shape[0], x.shape[1] // dim, dim)
    if x.isnan().any():  # zero times NaN would spread it over the head
        rotated = heads.roll(dim // 2, -1) * right_angle.sum(1)
    else:
        rotated = torch.einsum("ij,thj->thi", right_angle, heads)
    return (heads * a.cos + rotated * a.sin).reshape(x.shape)


def diopiRotaryEmbeddingV2(a):
    return {"query": turned(a, a.query), "key": turned(a, a.key)}
