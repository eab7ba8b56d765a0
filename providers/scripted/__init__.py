"""The provider ``scripted``: it plays a JSON file in place of a model.  ``exhibitions`` holds the files of Moot."""
