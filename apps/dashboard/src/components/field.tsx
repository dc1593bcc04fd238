import { cloneElement, createContext, useContext, type ReactElement, type ReactNode } from 'react';
import { sentenceOf } from './words-of-fault';

interface FormFaults {
  /** Messages of the form by field. */
  faults: Readonly<Record<string, string>>;
  clear: (field: string) => void;
}

export const Faults = createContext<FormFaults>({ faults: {}, clear: () => undefined });

interface FieldProps {
  /** The field of the request. */
  name: string;
  children: ReactElement<{ label?: ReactNode; error?: ReactNode; onChange?: (...values: never[]) => void }>;
}

/** Shows the form's fault at an input until the person changes its value. */
export function Field({ name, children }: FieldProps) {
  const { faults, clear } = useContext(Faults);
  const fault = faults[name];
  const { label, onChange } = children.props;
  return (
    <div data-field={name} style={{ display: 'contents' }}>
      {fault === undefined
        ? children
        : cloneElement(children, {
            error: sentenceOf(label, fault),
            ...(onChange && {
              onChange: (...values) => {
                clear(name);
                onChange(...values);
              },
            }),
          })}
    </div>
  );
}
