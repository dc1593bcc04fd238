import { useQuery } from '@tanstack/react-query';
import { mediaAddress } from './media-address';

const UNITS = ['B', 'kB', 'MB'];

function inBytes(size: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  return `${Number((size / 1000 ** power).toFixed(power === 0 ? 0 : 1))} ${UNITS[power]}`;
}

/** The kind and size of a file. WhatsApp names the size only on request. */
export function MediaSize({ id, type }: { id: string; type: string }) {
  const info = useQuery({
    queryKey: ['media', id],
    queryFn: async () => {
      const response = await fetch(`${mediaAddress(id)}?info=1`);
      if (!response.ok) return null;
      return (await response.json()) as { file_size: number };
    },
    staleTime: Infinity,
    retry: false,
  });
  const kind = type.split(';')[0]?.split('/').pop()?.toUpperCase() ?? '';
  if (info.data === null) return <>{kind}, cannot be downloaded now</>;
  return <>{[kind, info.data && inBytes(info.data.file_size)].filter(Boolean).join(', ')}</>;
}
