import { useQuery } from '@tanstack/react-query';
import { formatBytes } from './format-bytes';
import { mediaAddress } from './media-address';

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
  if (info.data === null) return <>{kind ? `${kind}, cannot` : 'Cannot'} be downloaded now</>;
  return <>{[kind, info.data && formatBytes(info.data.file_size)].filter(Boolean).join(', ')}</>;
}
