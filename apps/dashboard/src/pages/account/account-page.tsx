import { Grid } from '@mantine/core';
import { useMe } from '../../api/session';
import { PageTitle } from '../../components/page-title';
import { ChangePassword } from './change-password';
import { SessionList } from './session-list';

/** A person's own password and sessions. */
export function AccountPage() {
  const { user } = useMe();
  return (
    <>
      <PageTitle title="Your account" about={`${user.name} · ${user.email} · ${user.role}`} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <ChangePassword />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <SessionList />
        </Grid.Col>
      </Grid>
    </>
  );
}
