import { useMutation } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { shownByForm } from '../../api/client';
import { UnsavedForms } from '../../components/unsaved-forms';

interface Options<Draft> {
  empty: Draft;
  save: (draft: Draft) => Promise<unknown>;
  onSaved: (draft: Draft) => void;
}

/** The form beside a list that creates an item or edits one of the list. */
export function useDraftForm<Draft extends { id: number | null }>({ empty, save, onSaved }: Options<Draft>) {
  const [draft, setDraft] = useState(empty);
  /** Changes when the form begins again, with other values. */
  const [begun, setBegun] = useState(0);
  const leave = useContext(UnsavedForms)?.leave;
  const saving = useMutation({ mutationFn: save, onError: shownByForm, onSuccess: (_, saved: Draft) => onSaved(saved) });
  const begin = (values: Draft) => {
    setDraft(values);
    setBegun((nth) => nth + 1);
    saving.reset();
  };
  const clear = () => begin(empty);
  return {
    draft,
    setDraft,
    begun,
    saving,
    /** Puts an item into the form, after a confirmation if that discards input. */
    edit: (values: Draft) => leave?.(() => begin(values)),
    clear,
    submit: () => saving.mutate(draft, { onSuccess: clear }),
  };
}
