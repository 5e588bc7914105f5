"""Pure parsers and writers of foreign formats: bytes to events and back."""
