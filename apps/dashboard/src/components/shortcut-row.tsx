import '@mantine/core/styles/Kbd.css';
import '@mantine/spotlight/styles.css';
import { Kbd, Table } from '@mantine/core';

export function ShortcutRow({ keys, children }: { keys: string[]; children: string }) {
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        {keys.map((key) => (
          <Kbd key={key} mr={4}>
            {key}
          </Kbd>
        ))}
      </Table.Td>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}
