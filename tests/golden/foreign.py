"""A log that other programs wrote, with all that is odd in such logs; one of our lines among them."""

from __future__ import annotations

__all__ = ["LINES"]

LINES = b"".join(
    (
        b'{"type":"config","name":"shrink","metricName":"bytes","metricUnit":"bytes","bestDirection":"lower"}\n',
        b'{"run":1,"commit":"0bc8633","metric":54498,"metrics":{"gzip_kb":17},"status":"keep",',
        b'"description":"baseline","timestamp":1781754986,"segment":0,"confidence":null}\n',
        b'{"run":1,"metric":"51200","metrics":{"gzip_kb":"16"},"status":"keep","description":"repeated"}\n',
        b'{"type":"run","run":7,"commit":"1f00d5e","metric":51200.5,"metrics":{},"status":"keep",',
        b'"description":"caf\\u00e9 \xe6\xa8\xa1","timestamp":1781755301.25,"segment":9,"confidence":null,',
        b'"asi":{"hypothesis":"fewer parts"}}\n',
        b'{"run":3,"commit":"1f00d5e","metric":0,"metrics":{},"status":"crash","description":"tree-shake",',
        b'"timestamp":"2026-06-18T05:13:10Z"}\n',
        b"\n",
        b"not json at all\n",
        b'{"type":"run","run":4,"status":"keep","metric":50000\n',
        b'{"type":"run","run":4,"status":"kept-ish","metric":50000,"note":{"deep":[1,2,{"x":null}]}}\r\n',
        b'{"type":"telemetry","tokens":123456789012345678901234567890}\n',
        b'{"type":"hook","stage":"after","exit_code":1,"duration_ms":12.5,"stdout_bytes":0,"timed_out":false}\n',
        b'{"run":5,"metric":null,"status":"checks_failed","description":"\\u001b[31mred\\u0000"}\n',
        b"[1,2,3]\n",
        b'{"type":"config","name":"next","metricName":"bytes","bestDirection":"higher"}\n',
        b'{"run":6,"metric":10,"metrics":{},"status":"keep","description":"a","by":"nobody we know"}\n',
        b'{"run":6,"metric":12,"metrics":{},"status":"discard","description":"b","run":8}\n',
        b'{"type":"note","detail":"from a later version","level":"shout","colour":"red"}\n',
        b'{"type":"run","run":9,"commit":null,"metric":11,"status":"keep","description":"no end"}',
    )
)
