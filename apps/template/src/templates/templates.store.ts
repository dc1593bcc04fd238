import { Injectable } from '@nestjs/common';
import { MAX_EDITS, type ListTemplates, type RequestOf } from '@mgw/contracts';
import type { GraphTemplate, GraphTemplateComponent } from '@mgw/platform-api';
import { Database, pageOf, readCursor, type Tx, RowSet } from '@mgw/postgres';

/** A template as stored. */
export interface StoredTemplate {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  named: boolean;
  components: GraphTemplateComponent[];
  quality: string | null;
  rejected_reason: string | null;
  updated_at: Date;
}

/** The name of a template within its business. */
export type TemplateKey = Pick<StoredTemplate, 'name' | 'language'>;
/** The state of a template that `template.status` reports. */
export type TemplateState = Pick<StoredTemplate, 'id' | 'name' | 'language' | 'status'> & { quality: string | null };

/** A page of a list; without `limit` the whole list. */
type PageRequest = Pick<RequestOf<typeof ListTemplates>, 'limit' | 'cursor'>;
interface TemplatesPage {
  page: StoredTemplate[];
  next_cursor: string | null;
}

const COLUMNS = 'id, name, language, status, category, named, components, quality, rejected_reason, updated_at';

const TEMPLATES = new RowSet<GraphTemplate>(
  {
    name: ['text', ({ name }) => name],
    language: ['text', ({ language }) => language],
    platform_id: ['text', ({ id }) => String(id)],
    status: ['text', ({ status }) => status],
    category: ['text', ({ category }) => category],
    named: ['boolean', ({ parameter_format }) => parameter_format === 'NAMED'],
    components: ['text', ({ components }) => JSON.stringify(components ?? [])],
    quality: ['text', ({ quality_score }) => quality_score?.score ?? null],
    rejected_reason: ['text', ({ rejected_reason }) => (rejected_reason === 'NONE' ? null : (rejected_reason ?? null))],
  },
  2,
);

/** Names that a misspelt one is compared with: all other lookups of the process wait meanwhile. */
const MAX_COMPARED = 1_000;

const IS_LISTED_LATER = 't.updated_at < (SELECT started_at FROM template.syncs WHERE business_id = $1)';

@Injectable()
export class TemplatesStore {
  constructor(private readonly db: Database) {}

  /** Runs one sync of the business at a time. */
  async lockSync(tx: Tx, businessId: number): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`template.templates:${businessId}`]);
  }

  /** The states of one template, or of all. Under `lockSync` nobody else changes them. */
  states(tx: Tx, businessId: number, one?: TemplateKey): Promise<TemplateState[]> {
    return tx.query<TemplateState>(
      `SELECT id, name, language, status, quality FROM template.templates
       WHERE business_id = $1 ${one ? 'AND name = $2 AND language = $3' : ''} ORDER BY id`,
      [businessId, ...(one ? [one.name, one.language] : [])],
    );
  }

  /** Replaces the stored templates under `lockSync`. Existing ones keep their id, and a status that was set since the start of the sync. */
  async replaceAll(tx: Tx, businessId: number, templates: GraphTemplate[]): Promise<void> {
    await tx.query(
      `INSERT INTO template.templates AS t (business_id, name, language, platform_id, status, category, named, components, quality, rejected_reason)
         SELECT DISTINCT ON (name, language) $1, name, language, platform_id, status, category, named, components::jsonb, quality, rejected_reason
         FROM ${TEMPLATES.from('n')}
         ON CONFLICT (business_id, name, language) DO UPDATE SET platform_id = excluded.platform_id, category = excluded.category,
           named = excluded.named, components = excluded.components, quality = excluded.quality, updated_at = now(),
           status = CASE WHEN ${IS_LISTED_LATER} THEN excluded.status ELSE t.status END,
           rejected_reason = CASE WHEN ${IS_LISTED_LATER} THEN excluded.rejected_reason ELSE t.rejected_reason END
         WHERE (t.platform_id, t.category, t.named, t.components, t.quality)
           IS DISTINCT FROM (excluded.platform_id, excluded.category, excluded.named, excluded.components, excluded.quality)
           OR ${IS_LISTED_LATER} AND (t.status, t.rejected_reason) IS DISTINCT FROM (excluded.status, excluded.rejected_reason)`,
      [businessId, ...TEMPLATES.values(templates)],
    );
    await tx.query(
      `DELETE FROM template.templates WHERE business_id = $1 AND (name, language) NOT IN (SELECT * FROM unnest($2::text[], $3::text[]))`,
      [businessId, templates.map((template) => template.name), templates.map((template) => template.language)],
    );
  }

  /** @param change its reason is the one of a rejection, or null. @returns false if the template is not stored */
  async setStatus(
    tx: Tx,
    businessId: number,
    { name, language, status, rejected_reason }: Pick<StoredTemplate, 'name' | 'language' | 'status' | 'rejected_reason'>,
  ): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE template.templates SET status = $4, rejected_reason = $5, updated_at = now() WHERE business_id = $1 AND name = $2 AND language = $3 RETURNING id`,
      [businessId, name, language, status, rejected_reason],
    );
    return rows.length > 0;
  }

  list(businessId: number, request: PageRequest): Promise<TemplatesPage> {
    return this.page('', businessId, request);
  }

  listApproved(businessId: number, request: PageRequest): Promise<TemplatesPage> {
    return this.page(`AND status = 'APPROVED'`, businessId, request);
  }

  async findById(businessId: number, id: number): Promise<(StoredTemplate & { platform_id: string }) | undefined> {
    const sql = `SELECT ${COLUMNS}, platform_id FROM template.templates WHERE business_id = $1 AND id = $2`;
    return (await this.db.query<StoredTemplate & { platform_id: string }>(sql, [businessId, id]))[0];
  }

  /** @returns for each name, in order, its approved templates in all languages */
  async findApproved(names: { business_id: number; name: string }[]): Promise<StoredTemplate[][]> {
    const rows = await this.db.query<StoredTemplate & { place: string }>(
      `SELECT n.place, ${COLUMNS} FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS n (owner, wanted, place)
       JOIN template.templates t ON t.business_id = n.owner AND t.name = n.wanted AND t.status = 'APPROVED' ORDER BY n.place, t.language`,
      [names.map(({ business_id }) => business_id), names.map(({ name }) => name)],
    );
    const found: StoredTemplate[][] = names.map(() => []);
    for (const { place, ...template } of rows) found[Number(place) - 1]?.push(template);
    return found;
  }

  /** @returns for each name, in order, up to 1,000 approved names of about its length, among which a misspelt one may be */
  async findNamesLike(names: { business_id: number; name: string }[]): Promise<string[][]> {
    const rows = await this.db.query<{ place: string; name: string }>(
      `SELECT n.place, t.name FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS n (owner, wanted, place) CROSS JOIN LATERAL (
         SELECT DISTINCT name FROM template.templates WHERE business_id = n.owner AND status = 'APPROVED' AND abs(length(name) - length(n.wanted)) <= $3
         ORDER BY name LIMIT ${MAX_COMPARED}
       ) t`,
      [names.map(({ business_id }) => business_id), names.map(({ name }) => name), MAX_EDITS],
    );
    const found: string[][] = names.map(() => []);
    for (const { place, name } of rows) found[Number(place) - 1]?.push(name);
    return found;
  }

  /** Pages by name and language, so that a concurrent sync neither hides nor repeats an unchanged template. */
  private async page(filter: string, businessId: number, { limit, cursor }: PageRequest): Promise<TemplatesPage> {
    const after = readCursor(cursor ?? null, ['text', 'text']);
    const rows = await this.db.query<StoredTemplate>(
      `SELECT ${COLUMNS} FROM template.templates
       WHERE business_id = $1 AND (name, language) > (coalesce($2, ''), coalesce($3, '')) ${filter} ORDER BY name, language LIMIT $4::integer`,
      [businessId, after?.[0] ?? null, after?.[1] ?? null, limit === undefined ? null : limit + 1],
    );
    return pageOf(rows, limit ?? Infinity, (row) => [row.name, row.language]);
  }
}
