import { Grid, Stack } from '@mantine/core';
import { useMe } from '../../api/session';
import { PageTitle } from '../../components/page-title';
import { ChangePassword } from './change-password';
import { SessionList } from './session-list';
import { TwoStepLogin } from './two-step-login';

/** A person's own login and sessions. */
export function AccountPage() {
  const { user } = useMe();
  return (
    <>
      <PageTitle title="Your account" about={`${user.name} · ${user.email} · ${user.role}`} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            <TwoStepLogin />
            <ChangePassword />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <SessionList />
        </Grid.Col>
      </Grid>
    </>
  );
}
