import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, request, type Schemas } from '../../api/client';
import { counted } from '../../components/format-number';
import type { Draft } from './draft';
import { fieldsOf, mapByNames } from './mapping';
import { readTable } from './recipients-table';

/** An erased person has this instead of a number. */
const ERASED = 'erased';

/** Loads a draft with the template and the recipients of a broadcast. */
export function useDuplicate() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, name, template_name, language, total_recipients }: Schemas['Broadcast']): Promise<Omit<Draft, 'version'>> => {
      const params = { path: { id }, query: { format: 'csv' as const } };
      const csv = await request(api.GET('/api/client/broadcasts/{id}/recipients', { params, parseAs: 'text' }));
      const { templates } = await queries.fetchQuery({
        queryKey: ['templates'],
        queryFn: () => request(api.GET('/api/client/templates')),
      });
      const template = templates.find((one) => one.name === template_name && one.language === language);
      const { names, rows } = readTable(csv);
      const kept = rows.filter(({ cells }) => cells[0] !== ERASED);
      const places = ['phone', ...names.filter((column) => /^(header|body|button)_\d+$/.test(column))];
      const fields = template ? fieldsOf(template) : [];
      // The CSV names places, which have other variables in other languages.
      const columns = places.map((place) => fields.find((field) => field.names.includes(place))?.key ?? place);
      return {
        name: `${name.slice(0, 93)} (copy)`,
        template: `${template_name}/${language}`,
        ...{ text: '', file: `${counted(total_recipients, 'recipient')} of ${name}`, startsAt: null },
        table: { names: columns, rows: kept.map(({ line, cells }) => ({ line, cells: cells.slice(0, columns.length) })) },
        others: {},
        mapping: mapByNames(fields, columns),
      };
    },
  });
}
