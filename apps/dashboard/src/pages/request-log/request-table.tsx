import { Group, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { number } from '../../components/format-number';
import { LogTable } from '../../components/log-table';
import { RelativeTime } from '../../components/relative-time';
import { StatusCode } from './status-code';
import './request-log.css';

export type FailedRequest = Schemas['RequestLog']['requests'][number];

/** Callers choose request ids, so that several requests may have one. */
const entryId = ({ request_id, at }: FailedRequest): string => `${request_id} ${at}`;

interface RequestTableProps {
  requests: FailedRequest[];
  opened: FailedRequest | undefined;
  onOpen: (request: FailedRequest) => void;
}

export function RequestTable({ requests, opened, onOpen }: RequestTableProps) {
  return (
    <LogTable
      label="Failed requests, the newest first"
      className="request-log"
      rows={requests}
      idOf={entryId}
      opened={opened && entryId(opened)}
      onOpen={onOpen}
      columns={[
        { name: 'When', className: 'request-when', cell: ({ at }) => <RelativeTime at={at} /> },
        {
          name: 'Request',
          className: 'request-name',
          isButton: true,
          title: ({ route }) => route,
          cell: ({ method, route }) => (
            <Text size="sm" truncate>
              {method} {route}
            </Text>
          ),
        },
        {
          name: 'Status',
          className: 'request-status',
          cell: ({ status, count }) => (
            <Group gap={6} wrap="nowrap">
              <StatusCode status={status} />
              {count > 1 && <span>×{number(count)}</span>}
            </Group>
          ),
        },
        { name: 'Error', className: 'request-code', title: reason, cell: reason },
        { name: 'API key', className: 'request-key', title: ({ api_key }) => api_key.name, cell: ({ api_key }) => api_key.name },
        { name: 'Address', className: 'request-ip', title: ({ ip }) => ip, cell: ({ ip }) => ip },
        { name: 'Duration', className: 'request-duration', cell: ({ duration_ms }) => `${number(duration_ms)} ms` },
      ]}
    />
  );
}

const reason = ({ error_code, fields }: FailedRequest): string =>
  fields.length === 0 ? error_code : `${error_code}: ${fields.join(', ')}`;
