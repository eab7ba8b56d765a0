"""Running a debate: the moderator, the writer of its log, the commands of people, and the formats.

``moderator`` one debate · ``moderators`` all debates of a process · ``formats`` what happens next ·
``stream_writer`` the log · ``calls`` ``speech`` ``time_limits`` model calls and speeches as events · ``commands``
``acts`` ``acting`` what people do · ``ownership`` which process may write a debate · ``opening`` the parts of an
opening · ``setup`` before a debate runs · ``adoption`` logs from elsewhere.
"""
