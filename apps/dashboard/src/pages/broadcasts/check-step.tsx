import { Alert, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api, notifySuccess, request } from '../../api/client';
import { useCreateBroadcast } from '../../api/use-create-broadcast';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { DatetimeField } from '../../components/datetime-field';
import { counted, number, peopleCounted } from '../../components/format-number';
import { QueryResult } from '../../components/query-result';
import type { Template } from '../templates/template-values';
import { CostEstimate } from './cost-estimate';
import { DailyLimitNotice } from './daily-limit-notice';
import { useDraft } from './draft';
import { recipientsOf, type Field } from './mapping';
import type { RecipientsTable } from './recipients-table';
import { checkedFaults, longRows, longRowsLast } from './row-faults';
import { RowFaultsAlert } from './row-faults-alert';
import { localTime, momentOf } from '../../components/local-time';
import { startFault } from './start-time';
import { PhonesWithoutPlus } from './phones-without-plus';
import { SuppressedNotice } from './suppressed-notice';
import { useZone } from '../../api/use-zone';

/** Messages a second of one broadcast. */
const PER_SECOND = 40;
const HOUR_MS = 3_600_000;

/** Checks every row, estimates, and starts or schedules the broadcast. */
export function CheckStep({
  template,
  fields,
  table,
  onCreated,
}: {
  template: Template;
  fields: Field[];
  table: RecipientsTable;
  onCreated: (id: number) => void;
}) {
  const { draft, change, clear } = useDraft();
  const zone = useZone();
  const [asks, { open, close }] = useDisclosure(false);
  const moment = draft.startsAt === null ? null : momentOf(draft.startsAt, zone);
  const fault = startFault(draft.startsAt, zone);
  const checked = longRowsLast(table);
  const body = () => ({
    template_name: template.name,
    language: template.language,
    recipients: recipientsOf(fields, draft.mapping, checked),
    ...(moment && { scheduled_at: moment.toISOString() }),
  });
  const check = useQuery({
    queryKey: ['broadcast-check', draft.version, moment?.toISOString()],
    queryFn: () => request(api.POST('/api/client/broadcasts/check', { body: body() })),
    enabled: fault === null,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const start = useCreateBroadcast(({ message }) => {
    notifySuccess(message);
    clear();
  });
  const long = longRows(table);
  const when = moment?.toLocaleString('en', { dateStyle: 'full', timeStyle: 'short', timeZone: zone });
  const reached = (check.data?.total ?? 0) - (check.data?.suppressed ?? 0);
  const people = peopleCounted(reached);
  return (
    <Stack>
      <TextInput
        label="Name"
        description="Only your team sees it."
        placeholder="Autumn offers"
        maxLength={100}
        value={draft.name}
        onChange={(e) => change({ name: e.currentTarget.value })}
      />
      <Group align="flex-end">
        <Switch
          label="Send later"
          checked={draft.startsAt !== null}
          onChange={(e) => change({ startsAt: e.currentTarget.checked ? localTime(Date.now() + HOUR_MS, zone) : null })}
        />
        {draft.startsAt !== null && (
          <DatetimeField
            label={`Start, ${zone} time`}
            value={draft.startsAt}
            error={fault}
            onChange={(e) => change({ startsAt: e.currentTarget.value })}
          />
        )}
      </Group>
      {fault === null && (
        <QueryResult query={check} rows={2}>
          {({ total, wrong, faults, daily_limit, estimate, category, suppressed }) => {
            const all = [...long, ...checkedFaults(faults, checked, fields, draft.mapping)];
            const isValid = wrong === 0 && long.length === 0;
            const tooMany = total > daily_limit.left;
            return (
              <>
                {isValid ? (
                  <Alert role="status" color="green" title={total === 1 ? 'The row is valid' : `All ${number(total)} rows are valid`}>
                    {people} will get <b>{template.name}</b> ({template.language}). WhatsApp charges each message as{' '}
                    {template.category.toLowerCase()}. Sending takes about {lasts(total)}
                    {when ? `, from ${when} (${zone}).` : '.'}
                  </Alert>
                ) : (
                  <RowFaultsAlert
                    faults={all}
                    wrong={Math.max(wrong, new Set(all.map(({ line }) => line)).size)}
                    total={total}
                    onLeaveOut={(lines) => change({ table: { ...table, rows: table.rows.filter(({ line }) => !lines.has(line)) } })}
                  />
                )}
                {isValid && <PhonesWithoutPlus phones={recipientsOf([], draft.mapping, table).map(({ phone }) => phone)} />}
                <SuppressedNotice suppressed={suppressed} isCounted />
                <CostEstimate estimate={estimate} category={category} />
                <DailyLimitNotice {...daily_limit} tooMany={tooMany} startsAt={moment} />
                <Group justify="flex-end">
                  <Button
                    disabled={!isValid || tooMany || reached === 0 || draft.name.trim() === ''}
                    loading={start.isPending}
                    onClick={open}
                  >
                    {when ? 'Schedule' : 'Start sending'}
                  </Button>
                </Group>
                {draft.name.trim() === '' && isValid && (
                  <Text size="sm" ta="right" c="dimmed">
                    Give the broadcast a name first.
                  </Text>
                )}
              </>
            );
          }}
        </QueryResult>
      )}
      <ConfirmDialog
        opened={asks}
        question={`Send ${template.name} to ${people}?`}
        consequence={
          when ? `It starts on ${when} (${zone}). Until then you can cancel it.` : 'It starts at once. Sent messages cannot be recalled.'
        }
        action={when ? 'Schedule the broadcast' : `Send to ${people}`}
        onConfirm={() => start.mutate({ ...body(), name: draft.name.trim() }, { onSuccess: ({ id }) => onCreated(id) })}
        onClose={close}
      />
    </Stack>
  );
}

/** The time that a number of messages takes. */
function lasts(total: number): string {
  const seconds = Math.max(1, Math.ceil(total / PER_SECOND));
  return seconds < 90 ? counted(seconds, 'second') : `${Math.ceil(seconds / 60)} minutes`;
}
