import { Stack, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, request, untilGone } from '../../api/client';
import { NotFoundPage } from '../../components/not-found-page';
import { PageTitle } from '../../components/page-title';
import { QueryResult } from '../../components/query-result';
import { StateBadge } from '../../components/state-badge';
import { AuditList } from '../audit/audit-list';
import { BusinessConnection } from './business-connection';
import { BusinessKeys } from './business-keys';
import { BusinessPeople } from './business-people';
import { BusinessPlan } from './business-plan';
import { BusinessProblems } from './business-problems';
import { BusinessWebhooks } from './business-webhooks';
import { TitledCard } from '../../components/titled-card';
import { ConfirmButton } from '../../components/confirm-button';
import type { Business } from './business';
import { useChangeBusiness } from './use-change-business';
import { useZone } from '../../api/use-zone';
import { momentDate } from '../../components/clock-time';

function SuspendButton({ business: { id, name, suspended } }: { business: Business }) {
  const change = useChangeBusiness(id);
  if (suspended)
    return (
      <Button variant="default" loading={change.isPending} onClick={() => change.mutate({ suspended: false })}>
        Resume
      </Button>
    );
  return (
    <ConfirmButton
      color="red"
      variant="light"
      loading={change.isPending}
      question={`Suspend ${name}?`}
      consequence="Its API keys get 403, and replies, broadcasts and automatic replies stop within five seconds. Messages of customers are still stored and delivered to its webhooks."
      onConfirm={() => change.mutate({ suspended: true })}
    >
      Suspend
    </ConfirmButton>
  );
}

const route = getRouteApi('/inside/operator/business');

/** Everything that an operator sees and changes of one business. */
export function BusinessPage() {
  const { id } = route.useSearch() as { id?: string };
  const business_id = Number(id);
  const zone = useZone();
  const detail = useQuery({
    queryKey: ['business', business_id],
    queryFn: () => request(api.GET('/api/admin/businesses/{id}', { params: { path: { id: business_id } } })),
    refetchInterval: untilGone(15_000),
  });
  if (!Number.isInteger(business_id)) return <NotFoundPage />;
  const shown = detail.data?.business;
  return (
    <>
      {shown ? (
        <PageTitle title={shown.name} about={`Business ${shown.id}, since ${momentDate(shown.created_at, zone)}`}>
          {shown.suspended && <StateBadge of="failed" label="suspended" />}
          <SuspendButton business={shown} />
        </PageTitle>
      ) : (
        <PageTitle title={`Business ${business_id}`} />
      )}
      <QueryResult query={detail}>
        {({ business, connection, users, api_keys, webhooks, problems }) => (
          <Stack>
            <BusinessPlan key={business.id} business={business} />
            <BusinessConnection connection={connection} />
            <BusinessProblems problems={problems} />
            <BusinessPeople users={users} />
            <BusinessKeys keys={api_keys} />
            <BusinessWebhooks webhooks={webhooks} />
            <TitledCard title="Audit log">
              <AuditList path="/api/admin/audit" businessId={String(business_id)} />
            </TitledCard>
          </Stack>
        )}
      </QueryResult>
    </>
  );
}
