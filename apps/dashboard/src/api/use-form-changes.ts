import { useEffect, useState } from 'react';
import { useKeptState } from './use-kept-state';

/** The fields of `after` that differ from `before`. */
export function changed<T extends object>(before: T, after: T): Partial<T> {
  const entries = Object.entries(after).filter(([name, value]) => !same(value, before[name as keyof T]));
  return Object.fromEntries(entries) as Partial<T>;
}

/** The fields that a person changed: the saved values when they began, and the new ones. */
interface Edit<T> {
  from: Partial<T>;
  to: Partial<T>;
}

/**
 * A form over saved values. It sends only the fields that the person changed, so that it never overwrites concurrent changes of others.
 * @param isSaving whether a request runs that changes the saved values
 */
export function useFormChanges<T extends object>(saved: T, isSaving = false) {
  const [edit, setEdit] = useState<Edit<T>>({ from: {}, to: {} });
  return formOver(saved, isSaving, edit, setEdit);
}

/** Like useFormChanges, for a form on a page: a navigation keeps its changes (decision 756). @param name unique in the dashboard */
export function useKeptFormChanges<T extends object>(name: string, saved: T, isSaving: boolean) {
  const [edit, , , change] = useKeptState<Edit<T>>(name, { from: {}, to: {} });
  const form = formOver(saved, isSaving, edit, change);
  // The response of a save may have been lost: its values must not return when a colleague changes them later.
  useEffect(() => {
    if (!isSaving && Object.keys(form.changes).length < Object.keys(edit.to).length) form.set({});
  });
  return form;
}

function formOver<T extends object>(saved: T, isSaving: boolean, edit: Edit<T>, setEdit: (next: (now: Edit<T>) => Edit<T>) => void) {
  const draft = { ...saved, ...edit.to };
  const changes = changed(saved, draft);
  return {
    draft,
    set: (more: Partial<T>) =>
      setEdit(({ from, to }) => {
        const all = { ...to, ...more };
        // A field with its saved value again is unchanged. While a request may change that value, restoring it is a change.
        const kept = isSaving ? all : changed<Partial<T>>(saved, all);
        return { from: fieldsOf(kept, { ...saved, ...from }), to: kept };
      }),
    changes,
    /** Whether a changed field has another saved value than when the person began. */
    isOutdated: !isSaving && Object.keys(changed(edit.from, fieldsOf(changes, saved))).length > 0,
    discard: () => setEdit(() => ({ from: {}, to: {} })),
    /** Drops the saved changes and keeps later ones, which a person made while the request ran. */
    done: (sent: Partial<T>) =>
      setEdit(({ from, to }) => {
        const later = changed(sent, to);
        return { from: fieldsOf(later, { ...from, ...sent }), to: later };
      }),
  };
}

/** The same fields with the values of another object. */
const fieldsOf = <T extends object>(fields: Partial<T>, values: Partial<T>) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, values[name as keyof T]])) as Partial<T>;

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
