-- Marks for rows of an older Moot: see events/store/listing.py.
UPDATE moot.listing SET folded = folded || row.marks FROM (
    SELECT stream, concat(
        CASE WHEN said ->> 'exhibition' IS NULL THEN U&'\E019' ELSE U&'\E018' END,
        CASE said ->> 'state' WHEN 'open' THEN U&'\E000' WHEN 'paused' THEN U&'\E001' WHEN 'halted' THEN U&'\E002'
            WHEN 'concluded' THEN U&'\E003' END,
        CASE said ->> 'format' WHEN 'exchange' THEN U&'\E008' WHEN 'protocol' THEN U&'\E009'
            WHEN 'deliberation' THEN U&'\E00A' WHEN 'calibration' THEN U&'\E00B' END,
        CASE said ->> 'winner' WHEN 'pro' THEN U&'\E010' WHEN 'con' THEN U&'\E011' WHEN 'neither' THEN U&'\E012' END
    ) AS marks
    FROM (SELECT stream, convert_from(summary, 'UTF8')::json AS said FROM moot.listing) AS known
) AS row
WHERE listing.stream = row.stream
