import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { PageTitle } from '../../components/page-title';
import type { AuditSearch } from './audit-filters';
import { AuditList } from './audit-list';

const route = getRouteApi('/inside/operator/audit');

/** The audit log of one business or of all, for operators. */
export function OperatorAuditPage() {
  const search = route.useSearch() as AuditSearch;
  const navigate = route.useNavigate();
  const businesses = useQuery({ queryKey: ['businesses'], queryFn: () => request(api.GET('/api/admin/businesses')) });
  return (
    <>
      <PageTitle title="Audit log" about="Changes and logins of all businesses and operators" />
      <AuditList
        path="/api/admin/audit"
        search={search}
        set={(change) => void navigate({ search: { ...search, ...change } })}
        businesses={(businesses.data?.businesses ?? []).map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }))}
        load={(page) => request(api.GET('/api/admin/audit', { params: { query: { ...search, ...page } } }))}
      />
    </>
  );
}
