"""Pure parsers and writers of foreign formats: bytes to events and back, never anything else.

A parser returns a `fates.Reading` (events, each line's fate) or a `fates.Question`; none ever raises. Formats
are told apart in `recognise`, which also reads them: `pi` (logs of pi-autoresearch, of its ports and our own,
by way of `runs`, `verdicts`, `measurements`, `own`) and `tsv` (tables: `tables`, `columns`, `remarks`,
`runs_csv`). `state` reads the long-horizon protocol's folder (`protocol`, `task_spec`). What other programs
call things lies in `words`, as data.

The writers: `pi_writer`, `table_writer`, `runs_csv`, `state_writer`, given `rows`; `redaction` masks events
first. `docs/formats.md` says all of it for people.
"""
