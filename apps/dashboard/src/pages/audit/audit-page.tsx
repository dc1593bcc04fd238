import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { PageTitle } from '../../components/page-title';
import type { AuditSearch } from './audit-filters';
import { AuditList } from './audit-list';

const route = getRouteApi('/inside/audit');

/** The audit log of the owner's business. */
export function AuditPage() {
  const search = route.useSearch() as AuditSearch;
  const navigate = route.useNavigate();
  const team = useQuery({ queryKey: ['team'], queryFn: () => request(api.GET('/api/client/team')) });
  return (
    <>
      <PageTitle title="Audit log" about="Changes and logins of your business, by person and address" />
      <AuditList
        path="/api/client/audit"
        search={search}
        set={(change) => void navigate({ search: { ...search, ...change } })}
        people={(team.data?.users ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
        load={(page) => request(api.GET('/api/client/audit', { params: { query: { ...search, ...page } } }))}
      />
    </>
  );
}
