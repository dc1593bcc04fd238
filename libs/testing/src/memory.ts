import { readFileSync } from 'node:fs';

/** Resident memory of a process in megabytes: now, and its peak. */
export function memoryOf(pid: number): { residentMb: number; peakMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024);
  return { residentMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
}
