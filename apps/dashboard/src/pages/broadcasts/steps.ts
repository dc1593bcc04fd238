export const STEPS = [
  { name: 'template', label: 'Template' },
  { name: 'recipients', label: 'Recipients' },
  { name: 'values', label: 'Values' },
  { name: 'check', label: 'Check and send' },
] as const;
export type Step = (typeof STEPS)[number]['name'];
