import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export function BusinessLink({ id, children }: { id: number; children: ReactNode }) {
  return (
    <Anchor component={Link} to="/operator/business" search={{ id: String(id) } as never}>
      {children}
    </Anchor>
  );
}
