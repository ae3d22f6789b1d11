"""Hostile clients, and honest ones beside them.

- `hostile_client`: what attacks share; `queries`, `pushes`, `floods`, `crowds`: the attacks;
- `honest`: devices that write and receive, and what they measure; `probes`: log-ins and refreshes;
- `measure`: windows of time, percentiles, the server's memory and processor;
- `run`: one attack, or all of them, beside honest devices.
"""
