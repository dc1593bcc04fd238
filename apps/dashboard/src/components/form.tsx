import { Alert, Stack, type StackProps } from '@mantine/core';
import { useContext, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { Faults } from './field';
import { UnsavedForms, valuesOf } from './unsaved-forms';
import { useUnsaved } from './use-unsaved';
import { wordsOf } from './words-of-fault';

interface FormProps extends Omit<StackProps, 'onSubmit'> {
  onSubmit: () => void;
  /** The error of the request that it sends, whose `onError` is `shownByForm`. */
  error?: unknown;
}

type Control = HTMLInputElement | HTMLTextAreaElement;

/**
 * A form whose page stays when it is submitted. Each fault stands at its field, in the words of the form, until the person changes the field;
 * the first one has the focus. A fault of the request that has no field here stands above the button.
 */
export function Form({ onSubmit, error, children, ...stack }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const dialog = useContext(UnsavedForms);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [general, setGeneral] = useState<string[]>([]);
  const initial = useRef('');
  useEffect(() => {
    if (dialog) beginAt(form.current);
  }, []);
  useEffect(() => void (initial.current = valuesOf(form.current)), []);
  useUnsaved(() => valuesOf(form.current) !== initial.current);
  const show = (found: [field: string, message: string][]) => {
    const places = fieldsOf(form.current);
    const placed = found.map(([field, message]) => ({
      place: places.find((name) => field === name || field.startsWith(`${name}.`)),
      message,
    }));
    setFaults(Object.fromEntries(placed.flatMap(({ place, message }) => (place === undefined ? [] : [[place, message]])).reverse()));
    const first = places.find((name) => placed.some(({ place }) => place === name));
    if (first !== undefined) focusOn(form.current, first);
    return found.filter((_, i) => placed[i]?.place === undefined).map(([field, message]) => `${field} ${message}`);
  };
  useEffect(() => {
    const details = error instanceof ApiError ? error.details : [];
    const others = show(details.map(({ field, message }) => [field, message]));
    setGeneral(error && others.length === details.length ? [...problemOf(error), ...others] : others);
  }, [error]);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // React passes events on from a dialog to the form that opened it.
        event.stopPropagation();
        // The second click of a double click, when the first one has closed the dialog.
        if (dialog?.isOpen === false) return;
        const names = fieldsOf(form.current);
        const invalid = names.flatMap((name) => {
          const words = controlsOf(form.current, name).map(wordsOf).find(Boolean);
          return words ? [[name, words] as [string, string]] : [];
        });
        setGeneral([]);
        show(invalid);
        if (invalid.length === 0) onSubmit();
      }}
    >
      <Faults value={{ faults, clear: (field) => setFaults(({ [field]: _, ...others }) => others) }}>
        <Stack {...stack}>
          {general.length > 0 && (
            <Alert color="red" role="alert" title={general[0]}>
              {general.slice(1).map((one) => (
                <div key={one}>{one}</div>
              ))}
            </Alert>
          )}
          {children}
        </Stack>
      </Faults>
    </form>
  );
}

const fieldsOf = (form: HTMLFormElement | null): string[] =>
  [...(form?.querySelectorAll('[data-field]') ?? [])].map((one) => one.getAttribute('data-field') ?? '');

const controlsOf = (form: HTMLFormElement | null, field: string): Control[] => [
  ...(form?.querySelectorAll<Control>(`[data-field="${field}"] :is(input, textarea):not([type=hidden])`) ?? []),
];

/** Gives the first field the focus when a dialog opens that begins with this form. By default its close button has it. */
function beginAt(form: HTMLFormElement | null): void {
  const body = form?.closest('[role=dialog] > :last-child');
  const first = body?.querySelector('a, :is(button, input:not([type=hidden]), textarea):enabled');
  if (form?.contains(first ?? null)) first?.setAttribute('data-autofocus', '');
}

/** The field of a file is a button; its input is hidden. */
function focusOn(form: HTMLFormElement | null, field: string): void {
  const shown = controlsOf(form, field).find(({ type }) => type !== 'file');
  (shown ?? form?.querySelector<HTMLElement>(`[data-field="${field}"] button`))?.focus();
}

/** The request id leads the operator to the log line. */
function problemOf(error: unknown): string[] {
  if (!(error instanceof ApiError)) return ['The server did not respond. Try again in a moment.'];
  const { message, hint, requestId } = error;
  return [message, hint, requestId && `Request ${requestId}`].flatMap((one) => one || []);
}
