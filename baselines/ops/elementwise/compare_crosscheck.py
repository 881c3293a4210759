"""Comparisons, logical and bitwise functions, maximum, minimum and remainder by PyTorch."""
import torch


def out_of_place(call):
    return lambda a: {"out": call(a.input, a.other)}


def forms(call):
    """Out of place and in place."""
    return out_of_place(call), lambda a: {"input": call(a.input, a.other).to(a.input.dtype)}


diopiEq, diopiEqInp = diopiEqScalar, diopiEqInpScalar = forms(torch.eq)
diopiNe, diopiNeInp = diopiNeScalar, diopiNeInpScalar = forms(torch.ne)
diopiGe, diopiGeInp = diopiGeScalar, diopiGeInpScalar = forms(torch.ge)
diopiGt, diopiGtInp = diopiGtScalar, diopiGtInpScalar = forms(torch.gt)
diopiLe, diopiLeInp = diopiLeScalar, diopiLeInpScalar = forms(torch.le)
diopiLt, diopiLtInp = diopiLtScalar, diopiLtInpScalar = forms(torch.lt)
diopiLogicalAnd, diopiLogicalAndInp = forms(torch.logical_and)
diopiLogicalOr, diopiLogicalOrInp = forms(torch.logical_or)
diopiBitwiseAnd, diopiBitwiseAndInp = diopiBitwiseAndScalar, diopiBitwiseAndInpScalar = forms(torch.bitwise_and)
diopiBitwiseOr, diopiBitwiseOrInp = diopiBitwiseOrScalar, diopiBitwiseOrInpScalar = forms(torch.bitwise_or)
diopiMaximum = out_of_place(torch.maximum)
diopiMinimum = out_of_place(torch.minimum)
diopiRemainderTensor = diopiRemainderScalar = diopiRemainder = out_of_place(torch.remainder)
