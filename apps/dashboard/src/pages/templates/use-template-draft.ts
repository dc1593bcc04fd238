import { changed } from '../../api/use-form-changes';
import { useKeptState } from '../../api/use-kept-state';
import type { TemplateForm } from './template-form';

/** The entries of the person, and the template as it was when they began. */
interface Draft {
  base: TemplateForm;
  form: TemplateForm;
}

/**
 * The entries of a person who writes a template. They stay in the tab until they are submitted or discarded.
 * @param id the template that they change; null for a new one
 */
export function useTemplateDraft(id: number | null, initial: TemplateForm) {
  const [draft, setDraft, forget] = useKeptState<Draft | null>(`template draft ${id ?? `new ${initial.name}`}`, null);
  const form = draft?.form ?? initial;
  return {
    form,
    isChanged: !isSame(initial, form),
    /** Whether somebody changed the template since the person began. */
    isOutdated: draft !== null && !isSame(draft.base, initial),
    /** Continues with the entries on top of the present template. */
    keep: () => setDraft({ base: initial, form }),
    change: (next: (now: TemplateForm) => TemplateForm) =>
      setDraft((now) => {
        const { base, form } = now ?? { base: initial, form: initial };
        const written = next(form);
        return isSame(base, written) ? null : { base, form: written };
      }),
    forget,
  };
}

export const isSame = (form: TemplateForm, other: TemplateForm): boolean => Object.keys(changed(other, form)).length === 0;
