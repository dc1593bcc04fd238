import { JSONSchema } from 'class-validator-jsonschema';
import { IsListFormat, IsOneOf, Optional, SUPPRESSION_REASON, SUPPRESSION_STATE } from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { PageQuery } from '../requests/page';
import { IsImport } from './imported-rows';
import { STATES } from './suppression-states';

export class SuppressionsQuery extends PageQuery {
  /** `csv` downloads all, without pages, with the columns of an import. */
  @IsListFormat()
  format?: 'json' | 'csv';
}

/** Spec §10, decision 18. */
@JSONSchema({ example: { state: 'blocked', reason: 'Asked us by phone.' } })
export class SetSuppressionRequest {
  @JSONSchema({ description: SUPPRESSION_STATE })
  @IsOneOf(STATES)
  state!: (typeof STATES)[number];

  @JSONSchema({ description: SUPPRESSION_REASON })
  @Optional(IsText(1, 500))
  reason?: string | null;
}

@JSONSchema({ example: { rows: [{ phone: '+1 201 555 0177', state: 'opted_out', reason: 'Letter', since: '2026-10-01T00:00:00.000Z' }] } })
export class ImportSuppressionsRequest {
  @IsImport()
  rows!: unknown[];
}
