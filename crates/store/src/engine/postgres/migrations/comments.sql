-- Comments on all tables and columns, which psql prints with \d+. Each migration replaces them.

COMMENT ON TABLE gleaner_schema IS 'Versions of these tables. The highest one is current.';
COMMENT ON COLUMN gleaner_schema.version IS 'Number of the version.';
COMMENT ON COLUMN gleaner_schema.at IS 'When the tables got this version.';

COMMENT ON TABLE urls IS 'Known URLs. A document has the key of its URL.';
COMMENT ON COLUMN urls.key IS 'Hash of the URL, also the id of its document.';
COMMENT ON COLUMN urls.url IS 'The URL in canonical form.';
COMMENT ON COLUMN urls.host IS 'The host: hosts.id.';
COMMENT ON COLUMN urls.role IS 'Expected kind of page: front, section, feed, sitemap or page.';
COMMENT ON COLUMN urls.state IS
    'ready: waits for its turn, or is in flight. retry: waits until due, after a failed attempt. revisit: was visited, '
    'and is due again at due. buffered: was fetched; its page is kept until the template of its host is learned. '
    'done: no visit is planned. kept: like done, and its page is kept for a later extraction.';
COMMENT ON COLUMN urls.rank IS 'Order within the host, in the states ready, retry and revisit. Smaller is earlier.';
COMMENT ON COLUMN urls.sequence IS
    'Order within the rank (state ready) or of buffering (state buffered). Smaller is earlier. The number from '
    'hosts.sequence, minus 2^63.';
COMMENT ON COLUMN urls.due IS 'Time before which the URL is not requested, in the states retry and revisit.';
COMMENT ON COLUMN urls.depth IS 'Number of links between a seed, sitemap or feed and this URL.';
COMMENT ON COLUMN urls.hops IS 'Number of consecutive redirects that led to this URL.';
COMMENT ON COLUMN urls.tries IS 'Number of failed attempts since the last outcome.';
COMMENT ON COLUMN urls.failure IS
    'Why the last of these attempts failed, such as timeout, dns or http_503. NULL if tries is 0.';
COMMENT ON COLUMN urls.outcome IS
    'How the last visit ended. NULL: no visit has ended. stored: the text is a new document. revised: the text of the '
    'document has changed. near_duplicate: the text is a document and is similar to another document. duplicate: the '
    'text is the document of another URL. unchanged: the same content as at the last visit. listing: a front page, '
    'section, feed or sitemap, read for its links. not_article, wrong_type: not an article, not a page. redirected, '
    'redirect_refused: a redirect to a URL that is visited, or not visited. disallowed: robots.txt forbids it. gone: '
    'HTTP 404 or 410. rejected: another HTTP status 4xx. too_large: longer than the limit. private_address: not on the '
    'public internet. unreadable: cannot be parsed. truncated: the archive has only a part. failed: all attempts '
    'failed. other_language, filtered, excluded: the settings keep the URL or its text out.';
COMMENT ON COLUMN urls.reason IS
    'Detail of the outcome: similarity in percent (near_duplicate), HTTP status (gone, rejected), limit in bytes '
    '(too_large), media type (wrong_type), language, rule, condition, or the label of a cause.';
COMMENT ON COLUMN urls.target IS
    'URL to which a redirect leads, or the key in hexadecimal of the URL whose document has the same text (duplicate) '
    'or a similar text (near_duplicate), at the time of the visit.';
COMMENT ON COLUMN urls.twin_of IS 'Key of another URL whose document has the text of this page.';
COMMENT ON COLUMN urls.dated IS 'Time of publication or last change that a feed or sitemap states.';
COMMENT ON COLUMN urls.etag IS 'ETag of the last response.';
COMMENT ON COLUMN urls.last_modified IS 'Last-Modified of the last response.';
COMMENT ON COLUMN urls.fetched IS 'When the last response with a body was fetched.';
COMMENT ON COLUMN urls.archive_file IS 'The WARC file with this response: files.number, of the kind archive.';
COMMENT ON COLUMN urls.archive_offset IS 'Position of the response in the WARC file, in bytes.';
COMMENT ON COLUMN urls.body_sha1 IS 'SHA-1 of the decoded body.';
COMMENT ON COLUMN urls.payload_sha1 IS 'SHA-1 of the body as archived. NULL if the archived body is not compressed.';
COMMENT ON COLUMN urls.nanoseconds IS '1000 times the nanoseconds of dated, plus those of fetched. NULL: 0.';
COMMENT ON COLUMN urls.first_visit IS 'When the URL was first visited.';
COMMENT ON COLUMN urls.last_visit IS 'When the URL last gave a response.';
COMMENT ON COLUMN urls.revisit_seconds IS 'Seconds from the last visit to the next.';
COMMENT ON COLUMN urls.links_digest IS 'Hash of the URLs that the last visit found.';
COMMENT ON COLUMN urls.page IS 'Raw page in the states buffered and kept, compressed (MessagePack in Zstandard).';

COMMENT ON VIEW urls_without_document IS 'URLs that have no document of their own, with the reason in words.';
COMMENT ON COLUMN urls_without_document.url IS 'The URL.';
COMMENT ON COLUMN urls_without_document.host IS 'Name of its host.';
COMMENT ON COLUMN urls_without_document.role IS 'See urls.role.';
COMMENT ON COLUMN urls_without_document.state IS 'See urls.state.';
COMMENT ON COLUMN urls_without_document.outcome IS 'See urls.outcome.';
COMMENT ON COLUMN urls_without_document.reason IS 'Why there is no document.';
COMMENT ON COLUMN urls_without_document.target IS
    'URL to which a redirect leads, or URL whose document has the text.';
COMMENT ON COLUMN urls_without_document.due IS
    'Time before which the URL is not requested: urls.due, or the end of a back-off of its host.';

COMMENT ON TABLE hosts IS 'Hosts with at least one known URL.';
COMMENT ON COLUMN hosts.name IS 'Name of the host, with its port if it is not the default.';
COMMENT ON COLUMN hosts.partition IS 'Partition of the host, 0 to 255. Hosts of a domain share it, except after a change of the '
    'Public Suffix List.';
COMMENT ON COLUMN hosts.id IS 'Number of the host. It begins with the partition: partition * 2^24 + a count.';
COMMENT ON COLUMN hosts.domain IS 'Registrable domain.';
COMMENT ON COLUMN hosts.sequence IS 'Next number for urls.sequence, where 2^63 is subtracted.';
COMMENT ON COLUMN hosts.queued IS 'Number of its URLs in the states ready, retry and revisit.';
COMMENT ON COLUMN hosts.buffered IS 'Number of its URLs in the state buffered.';
COMMENT ON COLUMN hosts.template IS 'Newest version of its template. 0: it has none.';
COMMENT ON COLUMN hosts.held_until IS 'End of its back-off: no request before.';
COMMENT ON COLUMN hosts.outdated IS 'Whether the template is out of date, and pages are buffered for the next one.';
COMMENT ON COLUMN hosts.paused IS 'Whether the user has paused requests to the host.';
COMMENT ON COLUMN hosts.announced_updates IS
    'Number of visits to articles that a feed or sitemap announced as changed. Large numbers are halved.';
COMMENT ON COLUMN hosts.confirmed_updates IS 'Number of these visits in which the article had changed.';
COMMENT ON COLUMN hosts.health IS 'How well the template fits the last pages, in an encoding of gleaner.';

COMMENT ON TABLE robots IS 'Rules of robots.txt files.';
COMMENT ON COLUMN robots.name IS 'Name of the host, or URL to which the robots.txt of another host redirects.';
COMMENT ON COLUMN robots.rules IS 'The rules, in an encoding of gleaner.';

COMMENT ON TABLE templates IS 'Templates of hosts, in all versions.';
COMMENT ON COLUMN templates.host IS 'The host: hosts.name.';
COMMENT ON COLUMN templates.version IS 'Version, from 1.';
COMMENT ON COLUMN templates.trained IS 'When the template was learned.';
COMMENT ON COLUMN templates.template IS 'The template.';

COMMENT ON TABLE runs IS 'Runs of the crawl.';
COMMENT ON COLUMN runs.number IS 'Number of the run, from 1.';
COMMENT ON COLUMN runs.started IS 'When the run began.';
COMMENT ON COLUMN runs.ended IS 'When the run ended. NULL: it is in progress or was interrupted.';
COMMENT ON COLUMN runs.replayed IS 'Whether the run read WARC files instead of the network.';

COMMENT ON TABLE host_counts IS 'Counts of each host in each run.';
COMMENT ON COLUMN host_counts.run IS 'The run: runs.number.';
COMMENT ON COLUMN host_counts.host IS 'The host: hosts.name.';
COMMENT ON COLUMN host_counts.fetched IS 'Number of responses with a body.';
COMMENT ON COLUMN host_counts.bytes IS 'Total size of the decoded bodies, in bytes.';
COMMENT ON COLUMN host_counts.milliseconds IS 'Total duration of the visits, in milliseconds.';
COMMENT ON COLUMN host_counts.requests IS
    'Number of requests, with retries and redirects, without robots.txt. 0 if the run read WARC files.';
COMMENT ON COLUMN host_counts.outcomes IS
    'Number of visits by outcome (urls.outcome), for some outcomes with the reason: {"stored": 3, "failed: timeout": 1}.';
COMMENT ON COLUMN host_counts.refused IS 'Number of links that were not followed, by reason.';
COMMENT ON COLUMN host_counts.broken_lists IS 'Number of sitemaps and feeds that could not be read, by reason.';

COMMENT ON TABLE documents IS 'Documents. Their texts are in object storage (files).';
COMMENT ON COLUMN documents.id IS 'Id of the document: the key of its URL (urls.key).';
COMMENT ON COLUMN documents.url IS 'URL under which the text was first stored.';
COMMENT ON COLUMN documents.host IS 'Host of this URL: hosts.name.';
COMMENT ON COLUMN documents.title IS 'Headline that the page declares.';
COMMENT ON COLUMN documents.language IS 'Language of the text, such as vi. und: not determined.';
COMMENT ON COLUMN documents.published IS 'Stated time of publication. Without a time zone, it counts as UTC.';
COMMENT ON COLUMN documents.fetched IS 'When the page was fetched.';
COMMENT ON COLUMN documents.words IS 'Number of words of the text.';
COMMENT ON COLUMN documents.confidence IS
    'Estimated probability, in percent, that the extracted text is good (word F1 of at least 0.9). NULL: unknown.';
COMMENT ON COLUMN documents.method IS
    'Method of extraction: template, detection, block-model, fast-content-extractor or content-extractor.';
COMMENT ON COLUMN documents.template IS 'Version of the template of the host. NULL: none was used.';
COMMENT ON COLUMN documents.file IS 'File with the text: files.number, of the kind documents.';
COMMENT ON COLUMN documents.position IS
    'Position of the text in a file below spool/, in bytes. It has no meaning for a Parquet file.';
COMMENT ON COLUMN documents.length IS 'Length in a file below spool/, in bytes. It has no meaning for a Parquet file.';
COMMENT ON COLUMN documents.content_hash IS 'Hash of the normalized text. No two documents have the same text.';
COMMENT ON COLUMN documents.number IS
    'Number of the document, which begins with its partition. NULL: the text is too short to find near-duplicates.';
COMMENT ON COLUMN documents.cluster IS 'Cluster of near-duplicates: clusters.cluster, if it has several documents.';
COMMENT ON COLUMN documents.is_member IS
    'Whether the document is in a cluster that another document represents.';
COMMENT ON COLUMN documents.signed_words IS 'Number of words that the signature counts.';
COMMENT ON COLUMN documents.signature IS 'MinHash values of the text.';
COMMENT ON COLUMN documents.related IS
    'Similar documents that are not near-duplicates: pairs of the id in hexadecimal and the similarity in percent.';

COMMENT ON TABLE clusters IS 'Clusters of near-duplicates with at least two documents.';
COMMENT ON COLUMN clusters.cluster IS 'Number of the cluster.';
COMMENT ON COLUMN clusters.representative IS 'Document that an export writes: documents.number.';
COMMENT ON COLUMN clusters.members IS 'Number of documents without the representative.';

COMMENT ON VIEW cluster_records IS 'Each cluster, followed by its members. gleaner reads clusters from this view.';
COMMENT ON COLUMN cluster_records.cluster IS 'See clusters.cluster.';
COMMENT ON COLUMN cluster_records.number IS 'See documents.number. -1: the row of the cluster.';
COMMENT ON COLUMN cluster_records.representative IS 'See clusters.representative.';
COMMENT ON COLUMN cluster_records.members IS 'See clusters.members.';
COMMENT ON COLUMN cluster_records.id IS 'See documents.id.';
COMMENT ON COLUMN cluster_records.signed_words IS 'See documents.signed_words.';
COMMENT ON COLUMN cluster_records.signature IS 'See documents.signature.';
COMMENT ON COLUMN cluster_records.related IS 'See documents.related.';

COMMENT ON TABLE aliases IS 'Further URLs with the text of a document.';
COMMENT ON COLUMN aliases.document IS 'The document: documents.id.';
COMMENT ON COLUMN aliases.key IS 'The URL: urls.key.';
COMMENT ON COLUMN aliases.url IS 'The URL.';

COMMENT ON TABLE revisions IS 'Earlier revisions of documents, and a row with the number 0 for each such document.';
COMMENT ON COLUMN revisions.document IS 'The document: documents.id.';
COMMENT ON COLUMN revisions.number IS 'Number of the revision, from 1. 0: the row with earlier and gone.';
COMMENT ON COLUMN revisions.earlier IS 'Number of earlier revisions (row 0).';
COMMENT ON COLUMN revisions.gone IS 'Since when the page no longer exists (row 0). NULL: it exists.';
COMMENT ON COLUMN revisions.file IS 'See documents.file.';
COMMENT ON COLUMN revisions.position IS 'See documents.position.';
COMMENT ON COLUMN revisions.length IS 'See documents.length.';

COMMENT ON TABLE files IS 'Valid files in object storage. A compaction joins several files in one object.';
COMMENT ON COLUMN files.kind IS 'archive: WARC records. documents: documents and their earlier revisions.';
COMMENT ON COLUMN files.number IS 'Number of the file, within its kind.';
COMMENT ON COLUMN files.name IS 'Name of the object that has the content of the file.';
COMMENT ON COLUMN files.bytes IS
    'Length in bytes. After a compaction of documents, one file has the length of the whole object, the others 0.';
COMMENT ON COLUMN files.records IS 'Number of documents or WARC records. After a compaction of documents, like bytes.';
COMMENT ON COLUMN files.stored IS 'When the file was first written to object storage.';
COMMENT ON COLUMN files.position IS 'Position of the file in the object, in bytes.';

COMMENT ON TABLE replays IS 'How far WARC files of other crawlers, or of this crawl, were read again.';
COMMENT ON COLUMN replays.purpose IS 'Command that reads them.';
COMMENT ON COLUMN replays.partition IS 'Partition for which they were read.';
COMMENT ON COLUMN replays.file IS 'Path of the file.';
COMMENT ON COLUMN replays.position IS 'Position up to which the file was read, in bytes.';

COMMENT ON TABLE messages IS 'What one partition requests of another. gleaner removes a message when it is done.';
COMMENT ON COLUMN messages.partition IS 'The receiver.';
COMMENT ON COLUMN messages.id IS 'Number of the message, in the order of sending.';
COMMENT ON COLUMN messages.message IS 'The message, in an encoding of gleaner.';

COMMENT ON TABLE records IS 'Totals of the partitions and records of the whole corpus, in an encoding of gleaner.';
COMMENT ON COLUMN records.key IS 'Name of the record, after the partition if it belongs to one.';
COMMENT ON COLUMN records.value IS 'The record (MessagePack).';

COMMENT ON TABLE leases IS 'Which worker owns which partition. A lease ends at workers.until of its owner.';
COMMENT ON COLUMN leases.partition IS 'The partition, 0 to 255.';
COMMENT ON COLUMN leases.owner IS 'The worker: workers.session. NULL: it is free.';
COMMENT ON COLUMN leases.epoch IS 'How often a worker has leased the partition.';

COMMENT ON TABLE workers IS 'Processes that work on the crawl. A process that starts again gets another session.';
COMMENT ON COLUMN workers.session IS 'Identifies this start of the process.';
COMMENT ON COLUMN workers.name IS 'The setting workers.name, or the host name and process number.';
COMMENT ON COLUMN workers.version IS 'Version of gleaner.';
COMMENT ON COLUMN workers.started IS 'When the worker started.';
COMMENT ON COLUMN workers.seen IS 'Time of the last heartbeat.';
COMMENT ON COLUMN workers.pages IS 'Number of pages that it has read since it started.';
COMMENT ON COLUMN workers.rate IS 'Pages per second between the last two heartbeats.';
COMMENT ON COLUMN workers.idle IS 'Whether it has nothing to do.';
COMMENT ON COLUMN workers.waiting IS 'Whether it waits for its next crawl, without partitions.';
COMMENT ON COLUMN workers.flushes IS 'Number of its last flush.';
COMMENT ON COLUMN workers.until IS 'When all its leases end, unless a heartbeat renews them.';

COMMENT ON TABLE settings IS 'Settings in which all workers must agree.';
COMMENT ON COLUMN settings.name IS 'Name of the setting. The empty name is a row that workers lock while they register.';
COMMENT ON COLUMN settings.value IS 'Value, or its hash.';

COMMENT ON TABLE corpus IS 'The corpus: one row.';
COMMENT ON COLUMN corpus.name IS 'Name of the corpus, which is also in the object corpus of its object storage.';
COMMENT ON COLUMN corpus.objects IS 'Address of the object storage.';

COMMENT ON TABLE counters IS 'Numbers that are given out.';
COMMENT ON COLUMN counters.name IS 'What is numbered.';
COMMENT ON COLUMN counters.next IS 'The next number.';
