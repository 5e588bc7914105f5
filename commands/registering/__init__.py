"""What is written into the places and formats that coding agents read: pure, bytes in, bytes out.

    jsonc.py        JSON with or without comments, parsed with where everything stands
    json_edits.py   a member or an item put in or taken out, and no other byte touched
    hook_groups.py  commands that an agent runs at its own events, as several of them write it
    ours.py         whether a command in somebody's settings is one of ours

What may be changed is asked first: settings that are malformed, or that hold something else where ours is to
go, raise `SettingsError`, which names the line and the column.
"""
