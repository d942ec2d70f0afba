-- The time at which the template was learned. It was the time of the row's first transaction.
ALTER TABLE templates ALTER COLUMN trained DROP DEFAULT, ALTER COLUMN trained DROP NOT NULL;
-- Digits after the microseconds are cut off, as in new rows.
UPDATE templates SET trained = CAST(regexp_replace(template->>'learned', '(\.\d{6})\d+', '\1') AS timestamptz);

-- Why the last attempt failed, until there is an outcome.
ALTER TABLE urls ADD COLUMN failure text;

-- URLs without a document, with the reason in words. Outcomes are explained as in `gleaner doctor`.
CREATE VIEW urls_without_document AS
    SELECT urls.url, hosts.name AS host, urls.role, urls.state, urls.outcome,
        CASE
            WHEN urls.state = 'buffered'
                THEN 'its page was fetched; its document follows when its host''s template is learned'
            WHEN urls.twin_of IS NOT NULL OR urls.outcome = 'duplicate' THEN 'its text is the document of another URL'
            WHEN urls.outcome IS NOT NULL THEN CASE urls.outcome
                WHEN 'not_article' THEN 'no article: ' || urls.reason
                WHEN 'listing' THEN 'read for its links'
                WHEN 'unchanged' THEN 'unchanged since the last visit'
                WHEN 'redirected' THEN 'redirected to another URL'
                WHEN 'redirect_refused' THEN 'redirected to a URL that is not followed: ' || urls.reason
                WHEN 'disallowed' THEN 'forbidden by robots.txt: ' || urls.reason
                WHEN 'gone' THEN 'not found: HTTP ' || urls.reason
                WHEN 'rejected' THEN 'refused by the server: HTTP ' || urls.reason
                WHEN 'too_large' THEN 'larger than the limit of ' || urls.reason || ' bytes'
                WHEN 'wrong_type' THEN 'not a page but ' || urls.reason
                WHEN 'private_address' THEN 'its address is not on the public internet'
                WHEN 'unreadable' THEN 'cannot be read: ' || urls.reason
                WHEN 'truncated' THEN 'only a part of it is in the archive: ' || urls.reason
                WHEN 'other_language' THEN 'kept out: its language is ' || urls.reason
                WHEN 'filtered' THEN 'kept out: ' || urls.reason || ' does not hold'
                WHEN 'excluded' THEN 'kept out by the settings: ' || urls.reason
                WHEN 'failed' THEN 'all attempts failed, the last with: ' || urls.reason
                ELSE 'its document was removed' END
            WHEN hosts.paused THEN 'its host is paused'
            WHEN urls.tries > 0 THEN format('waits for a retry; failed attempts: %s, the last with: %s', urls.tries,
                coalesce(urls.failure, 'an unknown failure'))
            WHEN hosts.held_until > now() THEN 'its host has a back-off'
            ELSE 'waits for its turn' END AS reason,
        coalesce(twin.url, CASE WHEN urls.outcome IN ('redirected', 'redirect_refused') THEN urls.target END) AS target,
        CASE WHEN urls.state IN ('ready', 'retry', 'revisit')
            THEN greatest(urls.due, CASE WHEN hosts.held_until > now() THEN hosts.held_until END) END AS due
    FROM urls
    LEFT JOIN hosts ON hosts.id = urls.host
    LEFT JOIN urls AS twin ON twin.key = coalesce(urls.twin_of,
        CASE WHEN urls.outcome = 'duplicate' THEN decode(urls.target, 'hex') END)
    WHERE NOT EXISTS (SELECT FROM documents WHERE documents.id = urls.key);
