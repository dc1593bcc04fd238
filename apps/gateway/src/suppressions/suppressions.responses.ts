import { Type } from '@sinclair/typebox';
import { ListSuppressions, SuppressionRecord } from '@mgw/contracts';

export const SuppressionsResponse = Type.Object(ListSuppressions.response.properties, { title: 'Suppressions' });
export const SuppressionResponse = Type.Object({ suppression: SuppressionRecord }, { title: 'Suppression' });
export const SuppressionsImported = Type.Object(
  {
    added: Type.Integer(),
    unchanged: Type.Integer({ description: 'People with a suppression that is as strict, or with a newer lift.' }),
    faults: Type.Array(Type.Object({ row: Type.Integer({ minimum: 1 }), field: Type.String(), message: Type.String() }), {
      description: 'Rows that were not taken, by their position in the list.',
    }),
  },
  { title: 'SuppressionsImported' },
);
