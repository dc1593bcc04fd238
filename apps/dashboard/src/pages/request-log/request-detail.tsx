import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useZone } from '../../api/use-zone';
import { exactTime } from '../../components/clock-time';
import { CopyIcon } from '../../components/copy-icon';
import { counted, number } from '../../components/format-number';
import { Snippet } from '../../components/snippet';
import { Fact } from '../messages/fact';
import { requestSample } from './request-sample';
import type { FailedRequest } from './request-table';
import { StatusCode } from './status-code';

/** Everything that the log has of a request, the page of its error, and a call of its route. */
export function RequestDetail({ request }: { request: FailedRequest }) {
  const zone = useZone();
  const { at, request_id, method, route, status, error_code, fields, duration_ms, api_key, ip, count } = request;
  const sample = requestSample(method, route, window.location.origin);
  return (
    <Stack>
      <dl style={{ margin: 0, display: 'grid', gridTemplateColumns: 'max-content minmax(0, 1fr)', gap: '6px 16px', alignItems: 'center' }}>
        <Fact label="Request">
          {method} {route}
        </Fact>
        <Fact label="Status">
          <StatusCode status={status} />
        </Fact>
        <Fact label="Error code">
          {error_code}{' '}
          <Anchor size="sm" href={`/docs/errors/${error_code}`} target="_blank">
            What it means and what to do
          </Anchor>
        </Fact>
        {fields.length > 0 && <Fact label="Faulty fields">{fields.join(', ')}</Fact>}
        <Fact label="Time">
          {exactTime(at, zone)}, {zone}
        </Fact>
        <Fact label="Duration">{number(duration_ms)} ms</Fact>
        <Fact label="API key">
          {api_key.name} (no. {api_key.id})
        </Fact>
        <Fact label="Address">{ip}</Fact>
        <Fact label="Request id">
          <span>{request_id}</span> <CopyIcon value={request_id} label="Copy the request id" />
        </Fact>
      </dl>
      {count > 1 && (
        <Text size="sm">
          This entry counts {counted(count, 'request')} in a row with the same key, path, status and error. The time, the address and the
          request id are those of the last one.
        </Text>
      )}
      {sample !== undefined && (
        <>
          <Title order={3} size="h5">
            A correct request with example values
          </Title>
          <Snippet text={sample} label="Copy as curl" />
        </>
      )}
      <Text size="sm" c="dimmed">
        The log has no body, query or phone number of a request.
      </Text>
    </Stack>
  );
}
