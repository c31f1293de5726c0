"""What the API server's default admission plugins make of a new pod: decisions only.

``admit`` (admitting.py) asks them in the API server's order: LimitRanger fills in requests and limits, Priority the
priority, RuntimeClass overhead and placement; the pod is checked; LimitRanger and RuntimeClass check it again;
ResourceQuota, the last one, counts it. ``QuotaLedger`` (ledger.py) has what each quota counts. Nothing here has a clock
or a cluster: what is there is handed in (``AdmissionInputs``).
"""
