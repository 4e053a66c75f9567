"""Settings that all tests share."""

from hypothesis import HealthCheck, settings

# A kernel's first call compiles, which no deadline should punish; the examples are the same on
# every run, so that a red test stays red until its cause is mended.
settings.register_profile(
    "trireme", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("trireme")
