import { VisuallyHidden } from '@mantine/core';
import { useEffect, useRef } from 'react';

/** The heading of a step. It takes the focus when another step opens, because the button that had it is gone. */
export function StepHeading({ children: label }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const opened = useRef(label);
  useEffect(() => {
    if (opened.current !== label) heading.current?.focus();
    opened.current = label;
  }, [label]);
  return (
    <VisuallyHidden component="h2" ref={heading} tabIndex={-1}>
      {label}
    </VisuallyHidden>
  );
}
