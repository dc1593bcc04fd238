import { Button, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../components/form';

const GRACES = [
  { value: '0', label: 'At once' },
  { value: '15', label: 'After 15 minutes' },
  { value: '60', label: 'After an hour' },
  { value: '360', label: 'After 6 hours' },
  { value: '1440', label: 'After a day' },
] as const;
export type Grace = 0 | 15 | 60 | 360 | 1440;

export function RotateKeyForm({ isPending, rotate }: { isPending: boolean; rotate: (grace: Grace) => void }) {
  const [grace, setGrace] = useState<string>('60');
  return (
    <Form onSubmit={() => rotate(Number(grace) as Grace)}>
      <Text size="sm">
        The new key has the same name, permissions, limits and addresses. Both keys share one daily count until the old one ends. Broadcasts
        of the old key go on with the new one.
      </Text>
      <Select
        label="The old key ends"
        data={[...GRACES]}
        value={grace}
        allowDeselect={false}
        onChange={(value) => value !== null && setGrace(value)}
      />
      <Button type="submit" loading={isPending}>
        Rotate
      </Button>
    </Form>
  );
}
