-- The code with which the reason of a failure begins: the platform's (libs/platform-api/src/failure-reason.ts), or OUTCOME_UNKNOWN of an
-- unclear send; else `other`.
CREATE OR REPLACE FUNCTION status.failure_code(p_status text, p_reason text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_status = 'failed' THEN coalesce(substring(p_reason FROM '^(\d{1,10}|OUTCOME_UNKNOWN): '), 'other') END
$$;

-- Usage is summed from counts, because a busy business has millions of messages a year. Each statement that changes records also inserts
-- the change of the counts, in rows of its own, so that no two writers wait for each other. The service folds them later (usage.store.ts).
CREATE OR REPLACE FUNCTION status.count_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO status.usage (business_id, bucket, kind, sent_by, template, api_key_id, failure_code, sent, delivered, read, failed, refused)
    SELECT business_id, date_bin('15 minutes', sent_at, timestamptz 'epoch'), coalesce(type, 'unknown'),
           sent_by, template, api_key_id, status.failure_code(status, failure_reason),
           count(*) FILTER (WHERE accepted),
           count(*) FILTER (WHERE accepted AND status IN ('delivered', 'read')),
           count(*) FILTER (WHERE accepted AND status = 'read'),
           count(*) FILTER (WHERE accepted AND status = 'failed'),
           count(*) FILTER (WHERE NOT accepted)
    FROM new_rows WHERE sent_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7;
  ELSE
    WITH changed AS MATERIALIZED (SELECT *, 1 AS sign FROM new_rows UNION ALL SELECT *, -1 FROM old_rows),
    -- A message is charged when it is delivered. An inserted record is never delivered and accepted at once.
    billed AS (
      INSERT INTO status.billing (business_id, bucket, category, price_type, billable, market, sent_by, broadcast_id, count)
      SELECT business_id, date_bin('15 minutes', sent_at, timestamptz 'epoch'), category, price_type, billable, market, sent_by, broadcast_id, sum(sign)
      FROM changed WHERE sent_at IS NOT NULL AND category IS NOT NULL AND status IN ('delivered', 'read')
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(sign) <> 0
    )
    INSERT INTO status.usage (business_id, bucket, kind, sent_by, template, api_key_id, failure_code, sent, delivered, read, failed, refused)
    SELECT * FROM (
      SELECT business_id, date_bin('15 minutes', sent_at, timestamptz 'epoch'), coalesce(type, 'unknown'),
             sent_by, template, api_key_id, status.failure_code(status, failure_reason),
             coalesce(sum(sign) FILTER (WHERE accepted), 0) AS sent,
             coalesce(sum(sign) FILTER (WHERE accepted AND status IN ('delivered', 'read')), 0) AS delivered,
             coalesce(sum(sign) FILTER (WHERE accepted AND status = 'read'), 0) AS read,
             coalesce(sum(sign) FILTER (WHERE accepted AND status = 'failed'), 0) AS failed,
             coalesce(sum(sign) FILTER (WHERE NOT accepted), 0) AS refused
      FROM changed
      WHERE sent_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) change
    WHERE (sent, delivered, read, failed, refused) <> (0, 0, 0, 0, 0);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER counts_new AFTER INSERT ON status.records
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION status.count_usage();

CREATE OR REPLACE TRIGGER counts_changed AFTER UPDATE ON status.records
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION status.count_usage();
