import { Group, Text } from '@mantine/core';
import { itemsOf } from './untyped-details';

/** The cart that a customer sent. */
export function Order({ order }: { order: unknown }) {
  const { note, items } = itemsOf(order);
  return (
    <>
      <Text size="sm" fw={600}>
        🛒 Order
      </Text>
      {items.map(({ count, product, price }, i) => (
        <Group key={i} gap="lg" justify="space-between" wrap="nowrap">
          <Text size="sm" dir="auto">
            {count} × {product}
          </Text>
          <Text size="sm">{price}</Text>
        </Group>
      ))}
      {note && (
        <Text size="sm" dir="auto">
          {note}
        </Text>
      )}
    </>
  );
}
