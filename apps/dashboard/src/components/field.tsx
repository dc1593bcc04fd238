import { cloneElement, createContext, useContext, type ReactElement, type ReactNode } from 'react';
import { sentenceOf } from './words-of-fault';

/** Messages of a form by field. */
export const Faults = createContext<Readonly<Record<string, string>>>({});

interface FieldProps {
  /** The field of the request. */
  name: string;
  children: ReactElement<{ label?: ReactNode; error?: ReactNode }>;
}

/** Shows the form's fault at an input. */
export function Field({ name, children }: FieldProps) {
  const fault = useContext(Faults)[name];
  return (
    <div data-field={name} style={{ display: 'contents' }}>
      {fault === undefined ? children : cloneElement(children, { error: sentenceOf(children.props.label, fault) })}
    </div>
  );
}
