"""The errors of a scenario."""


class ScenarioFailure(Exception):
    """The scenario cannot go on."""


class AttributeFailure(Exception):
    """The server refused, with an ATT error code."""

    def __init__(self, code):
        super().__init__(f"ATT error {code:#04x}")
        self.code = code


class LinkFailure(Exception):
    """The link, or the request on it, failed in another way."""
