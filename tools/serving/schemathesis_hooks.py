"""How schemathesis makes the bodies of which it cannot read the form from the document."""

import json

import schemathesis
from hypothesis import strategies

EVENTS = strategies.one_of(
    strategies.builds(
        lambda text: {"type": "habit.created", "title": text, "kind": "yesNo"},
        strategies.text(min_size=1, max_size=40)),
    strategies.dictionaries(
        strategies.sampled_from(["type", "habit", "title", "date", "id", "value"]),
        strategies.one_of(strategies.none(), strategies.integers(), strategies.text(max_size=20))))

# A batch of events: one JSON object per line.
schemathesis.openapi.media_type(
    "application/x-ndjson",
    strategies.lists(EVENTS, max_size=5).map(
        lambda events: "".join(json.dumps(one) + "\n" for one in events).encode()))
