import { Button, Stack, Text, Title } from '@mantine/core';
import type { Account } from '../../api/client';
import { Dimmed } from '../../components/dimmed';
import { TYPED } from '../../components/typed-text';

interface AccountPickerProps {
  accounts: Account[];
  isPending: boolean;
  onChoose: (userId: number) => void;
  onBack: () => void;
}

/** Asks a person whose login is right for several accounts which one they want. */
export function AccountPicker({ accounts, isPending, onChoose, onBack }: AccountPickerProps) {
  return (
    <>
      <div>
        <Title order={1} size="h3">
          Choose an account
        </Title>
        <Dimmed>You have several accounts here.</Dimmed>
      </div>
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {accounts.map(({ user_id, business, role }, place) => (
          <li key={user_id}>
            <Button
              variant="default"
              fullWidth
              h="auto"
              py="sm"
              px="md"
              justify="space-between"
              autoFocus={place === 0}
              disabled={isPending}
              // A name is shown in full: those of two businesses may begin alike.
              styles={{ label: { whiteSpace: 'normal' } }}
              onClick={() => onChoose(user_id)}
              rightSection={<Dimmed span>{role}</Dimmed>}
            >
              <Text span size="sm" fw={600} {...TYPED}>
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
