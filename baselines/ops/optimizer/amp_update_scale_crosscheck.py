def diopiAmpUpdateScaleInp(a):
    """PyTorch 1.13 has this on GPUs only."""
    scale, tracker = a.current_scale.clone(), a.growth_tracker + 1
    if a.found_inf.item() > 0:
        scale, tracker = scale * a.scale_backoff_factor, tracker * 0
    elif tracker.item() == a.growth_interval:
        scale, tracker = scale * a.scale_growth_factor, tracker * 0
    return {"current_scale": scale, "growth_tracker": tracker}


diopiAmpUpdateScaleInp.not_timed = "PyTorch has it on GPUs only"
