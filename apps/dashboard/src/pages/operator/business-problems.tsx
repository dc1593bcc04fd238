import { Table, Text } from '@mantine/core';
import { RelativeTime } from '../../components/relative-time';
import type { BusinessDetail } from './business';
import { TitledCard } from '../../components/titled-card';
import { Dimmed } from '../../components/dimmed';
import { TYPED } from '../../components/typed-text';

export function BusinessProblems({ problems }: { problems: BusinessDetail['problems'] }) {
  return (
    <TitledCard title="Last problems">
      {problems.length === 0 ? (
        <Text c="dimmed">Nothing failed lately.</Text>
      ) : (
        <Table>
          <Table.Tbody>
            {problems.map(({ at, kind, text }, i) => (
              <Table.Tr key={i}>
                <Table.Td w={130}>
                  <Text size="sm">{kind}</Text>
                  <Dimmed size="xs">
                    <RelativeTime at={at} />
                  </Dimmed>
                </Table.Td>
                <Table.Td {...TYPED}>{text}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </TitledCard>
  );
}
