import { ActionIcon, Badge, Box, Code, CopyButton, Group, Paper, Text, TextInput, Tooltip, type TextInputProps } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode, Ref } from 'react';
import { useNow } from './clock';

export * from './figures';

const COLORS: Record<string, string> = {
  read: 'green',
  delivered: 'teal',
  sent: 'blue',
  accepted: 'blue',
  failed: 'red',
  succeeded: 'green',
  pending: 'gray',
  running: 'blue',
  skipped: 'yellow',
  scheduled: 'gray',
  paused: 'orange',
  completed: 'green',
  cancelled: 'yellow',
  APPROVED: 'green',
  PENDING: 'yellow',
  PAUSED: 'orange',
  REJECTED: 'red',
  DISABLED: 'red',
  connected: 'green',
  unchecked: 'gray',
  problem: 'red',
  not_connected: 'gray',
  replied: 'green',
  sending: 'blue',
};

/** A state in a word, with the same colour everywhere. */
export function State({ of, label }: { of: string; label?: string }) {
  return (
    <Badge
      variant="light"
      color={COLORS[of] ?? 'gray'}
      tt="none"
      style={{ color: 'var(--mantine-color-text)', flexShrink: 0, overflow: 'visible' }}
      styles={{ label: { overflow: 'visible' } }}
    >
      {label ?? of.replaceAll('_', ' ').toLowerCase()}
    </Badge>
  );
}

const STEPS: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [3_600, 'minute'],
  [86_400, 'hour'],
  [30 * 86_400, 'day'],
];

function relative(at: string): string {
  const seconds = Math.round((new Date(at).getTime() - Date.now()) / 1_000);
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  let divisor = 1;
  for (const [limit, unit] of STEPS) {
    if (Math.abs(seconds) < limit) return format.format(Math.round(seconds / divisor), unit);
    divisor = limit;
  }
  return new Date(at).toLocaleDateString();
}

/** When a message was written: the time, before today with its day. */
export function clockTime(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString([], { ...(!isToday && { month: 'short', day: 'numeric' }), hour: '2-digit', minute: '2-digit' });
}

/** How long ago; the exact time on hover. */
export function Ago({ at }: { at: string | null }) {
  useNow();
  if (at === null) return <span>never</span>;
  return (
    <Tooltip label={new Date(at).toLocaleString()}>
      <time dateTime={at}>{relative(at)}</time>
    </Tooltip>
  );
}

export function Copy({ value, label = 'Copy' }: { value: string; label?: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon variant="subtle" color={copied ? 'green' : 'gray'} onClick={copy} aria-label={label}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A line to copy: a command, a key, an address. */
export function Snippet({ text, label }: { text: string; label?: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code block style={{ flex: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <Copy value={text} label={label ?? 'Copy'} />
    </Group>
  );
}

/** A message as it looks on a phone. */
export function PhoneBubble({
  header,
  text,
  footer,
  buttons = [],
  mine = true,
  meta,
}: {
  header?: string | null;
  text: string;
  footer?: string | null;
  buttons?: string[];
  mine?: boolean;
  meta?: ReactNode;
}) {
  return (
    <Box maw="82%" style={{ alignSelf: mine ? 'flex-end' : 'flex-start' }}>
      <Paper
        px="sm"
        py={7}
        radius="md"
        shadow="xs"
        bg={mine ? 'light-dark(#d9fdd3, #0b4f3c)' : 'light-dark(#ffffff, #2a3036)'}
        style={{ color: 'light-dark(#10231b, #f1f5f3)', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {header && (
          <Text fw={650} size="sm" dir="auto">
            {header}
          </Text>
        )}
        <Text size="sm" dir="auto">
          {text || '—'}
        </Text>
        {footer && (
          <Text size="xs" dir="auto" style={{ opacity: 0.85 }}>
            {footer}
          </Text>
        )}
        {meta && (
          <Text size="xs" ta="right" component="div" style={{ opacity: 0.9 }}>
            {meta}
          </Text>
        )}
      </Paper>
      {buttons.map((button) => (
        <Paper key={button} mt={4} py={6} radius="md" shadow="xs" ta="center" fz="sm" fw={600} bg="light-dark(#ffffff, #2a3036)">
          {button}
        </Paper>
      ))}
    </Box>
  );
}

/** The paper behind bubbles. */
export function Wallpaper({ children, height, ref }: { children: ReactNode; height?: number | string; ref?: Ref<HTMLDivElement> }) {
  return (
    <Box
      ref={ref}
      p="md"
      bg="light-dark(#efe7dd, #15191c)"
      h={height}
      style={{ borderRadius: 12, display: 'flex', flexDirection: 'column', gap: 8, overflowY: 'auto', overflowAnchor: 'none' }}
      tabIndex={0}
      role="log"
      aria-label="Messages"
    >
      {children}
    </Box>
  );
}

/** For a table without anything to press: on a narrow screen the arrow keys have to reach all of it. */
export const byKeyboard = { viewportProps: { tabIndex: 0 } };

type NumberFieldProps = Omit<TextInputProps, 'value' | 'onChange'> & { value: number; onChange: (value: number) => void };

/** A whole number; the browser's own field, which weighs nothing. */
export function NumberField({ value, onChange, ...field }: NumberFieldProps) {
  return <TextInput type="number" {...field} value={value} onChange={(event) => onChange(event.currentTarget.valueAsNumber || 0)} />;
}
