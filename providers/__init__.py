"""Models behind one small protocol: they stream text, and they answer typed questions.

``base`` the protocol · ``errors`` its errors · ``registry`` finds providers by name · ``anthropic`` ``gemini``
``ollama`` ``openai`` ``embedded`` ``scripted`` the providers of Moot · ``http`` ``answers`` ``catalog`` what they share
· ``limits`` queues and breakers · ``environment`` keys and addresses · ``imports`` SDKs, imported when first used ·
``testing`` the contract suite, for authors of providers.
"""
