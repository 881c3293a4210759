def diopiPermute(a):
    return {"out": a.input.permute(a.dims)}
