import { Card, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function BusinessCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}
