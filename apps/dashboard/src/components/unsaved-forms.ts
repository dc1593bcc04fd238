import { createContext } from 'react';

interface Unsaved {
  /** False while the closed dialog fades. */
  isOpen: boolean;
  /** Each form of the dialog adds a function that returns whether its values differ from its first ones. */
  checks: Set<() => boolean>;
  /** Runs an action that discards input, after a confirmation if there is some. */
  leave: (action: () => void) => void;
}

/** The forms of a dialog; null outside a dialog that confirms. */
export const UnsavedForms = createContext<Unsaved | null>(null);

/** The values of a form's controls, as a text that can be compared. */
export function valuesOf(form: HTMLFormElement | null): string {
  const controls = [...(form?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea') ?? [])];
  return JSON.stringify(controls.map((control) => (control.type === 'checkbox' ? (control as HTMLInputElement).checked : control.value)));
}
