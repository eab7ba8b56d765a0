"""Running a debate: its moderator, the writer of its log, people's commands, and the formats that say what is next."""
