import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifySuccess } from './client';

/**
 * A change of what the gateway stores. It shows the response's message and reloads queries.
 * @param reloaded the first part of the queries' keys; without it, all queries are reloaded
 */
export function useChange<R extends { message: string }, T = void>(
  mutationFn: (wanted: T) => Promise<R>,
  reloaded?: string,
  done?: (response: R) => void,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (response) => {
      notifySuccess(response.message);
      void queries.invalidateQueries(reloaded === undefined ? {} : { queryKey: [reloaded] });
      done?.(response);
    },
  });
}
