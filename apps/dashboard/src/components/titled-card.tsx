import { Card, Title, type CardProps } from '@mantine/core';
import type { ReactNode } from 'react';

export function TitledCard({ title, children, ...card }: CardProps & { title: string; children: ReactNode }) {
  return (
    <Card withBorder {...card}>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}
