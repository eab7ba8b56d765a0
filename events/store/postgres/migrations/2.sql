CREATE INDEX listing_unconcluded ON moot.listing (state) WHERE state <> 'concluded'
