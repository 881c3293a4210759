import torch


def solve(a, b, transpose):
    return torch.triangular_solve(b, a.mat, upper=a.upper, transpose=transpose, unitriangular=a.unitriangular)[0]


def diopiTriangularSolve(a):
    return {"out": solve(a, a.b, a.transpose), "cloned_mat": a.mat.expand(a.shapes["cloned_mat"])}


def diopiTriangularSolveBackward(a):
    """The solution is given, where autograd would solve for one of its own."""
    grad_b = solve(a, a.grad_x, not a.transpose)
    product = -(a.x @ grad_b.mT if a.transpose else grad_b @ a.x.mT)
    diagonal = 1 if a.unitriangular else 0
    triangle = product.triu(diagonal) if a.upper else product.tril(-diagonal)
    return {"grad_b": grad_b, "grad_mat": triangle + a.grad_cloned_mat}


diopiTriangularSolveBackward.not_timed = "PyTorch has it within autograd only"
