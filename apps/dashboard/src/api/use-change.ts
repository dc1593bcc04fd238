import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyError, notifySuccess } from './client';

/**
 * A change of what the gateway stores. It shows the response's message and reloads queries.
 * @param reloaded the first part of the queries' keys; without it, all queries are reloaded
 * @param onError `shownByForm` for a form
 */
export function useChange<R extends { message: string }, T = void>(
  mutationFn: (wanted: T) => Promise<R>,
  reloaded?: string,
  onError: (error: Error) => void = notifyError,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onError,
    onSuccess: (response) => {
      notifySuccess(response.message);
      void queries.invalidateQueries(reloaded === undefined ? {} : { queryKey: [reloaded] });
    },
  });
}
