import { createContext } from 'react';

/** Each form of a dialog adds a function that says whether its values differ from those that it began with. */
export const UnsavedForms = createContext<Set<() => boolean> | null>(null);

/** The values of a form's controls, as a text that can be compared. */
export function valuesOf(form: HTMLFormElement | null): string {
  const controls = [...(form?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea') ?? [])];
  return JSON.stringify(controls.map((control) => (control.type === 'checkbox' ? (control as HTMLInputElement).checked : control.value)));
}
