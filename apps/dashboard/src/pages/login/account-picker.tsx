import { Button, Stack, Text, Title } from '@mantine/core';
import type { Account } from '../../api/client';
import { Dimmed } from '../../components/dimmed';

interface AccountPickerProps {
  accounts: Account[];
  isPending: boolean;
  onChoose: (userId: number) => void;
  onBack: () => void;
}

/** Asks a person whose login is right for several businesses which one they want. */
export function AccountPicker({ accounts, isPending, onChoose, onBack }: AccountPickerProps) {
  return (
    <>
      <div>
        <Title order={1} size="h3">
          Choose an account
        </Title>
        <Dimmed>You are in the teams of several businesses.</Dimmed>
      </div>
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {accounts.map(({ user_id, business, role }, place) => (
          <li key={user_id}>
            <Button
              variant="default"
              fullWidth
              h="auto"
              py="sm"
              justify="space-between"
              autoFocus={place === 0}
              disabled={isPending}
              onClick={() => onChoose(user_id)}
              rightSection={<Dimmed span>{role}</Dimmed>}
            >
              <Text span fw={600} truncate>
                {business ?? 'Messaging gateway'}
              </Text>
            </Button>
          </li>
        ))}
      </Stack>
      <Button variant="subtle" onClick={onBack}>
        Log in as somebody else
      </Button>
    </>
  );
}
