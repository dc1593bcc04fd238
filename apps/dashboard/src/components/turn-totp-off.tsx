import { ConfirmButton } from './confirm-button';
import { personShown } from './person-shown';

/** For a person other than the user. */
export function TurnTotpOff({ person, onConfirm }: { person: { name: string; email: string }; onConfirm: () => void }) {
  return (
    <ConfirmButton
      size="compact-sm"
      variant="default"
      aria-label={`Turn two-step login off for ${personShown(person)}`}
      question={`Turn two-step login off for ${person.name}?`}
      consequence="For somebody who lost their app and recovery codes. Their sessions end, and their password alone logs in."
      onConfirm={onConfirm}
    >
      Turn two-step login off
    </ConfirmButton>
  );
}
