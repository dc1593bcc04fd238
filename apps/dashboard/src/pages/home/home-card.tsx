import { Card, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** @param height the least, so that its neighbours keep their place while it loads */
export function HomeCard({ title, height, children }: { title: string; height: number; children: ReactNode }) {
  return (
    <Card withBorder h="100%" mih={{ md: height }}>
      <Title order={2} size="h6" c="dimmed" mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}
