"""cast_dtype in PyTorch's own words."""


def diopiCastDtype(a):
    return {"out": a.input.to(a.out_dtypes["out"], copy=True)}
