import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { teamQuery } from '../../api/team';
import { PageTitle } from '../../components/page-title';
import { AuditList } from './audit-list';

/** The audit log of the owner's business. */
export function AuditPage() {
  const team = useQuery(teamQuery);
  const people = (team.data?.users ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <>
      <PageTitle title="Audit log" about="Changes and logins of your business, by person and address" />
      <AuditList path="/api/client/audit" people={people} />
    </>
  );
}

/** The audit log of one business or of all, for operators. */
export function OperatorAuditPage() {
  const list = useQuery({ queryKey: ['businesses'], queryFn: () => request(api.GET('/api/admin/businesses')) });
  const businesses = (list.data?.businesses ?? []).map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }));
  return (
    <>
      <PageTitle title="Audit log" about="Changes and logins of all businesses and operators" />
      <AuditList path="/api/admin/audit" businesses={businesses} />
    </>
  );
}
