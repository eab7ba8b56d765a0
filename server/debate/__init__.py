"""Running a debate: the moderator, the writer of its log, the commands of people, and the formats.

``moderator`` one debate · ``moderators`` all debates of a process · ``formats`` what happens next ·
``stream_writer`` the log · ``calls`` ``speech`` model calls and speeches as events · ``acts`` ``ballots`` ``commands``
what people do · ``ownership`` which process may write a debate · ``setup`` the request for a debate.
"""
