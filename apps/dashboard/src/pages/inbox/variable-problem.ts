/** Why a text with a variable of a template cannot be sent or saved; null if it has none. Nothing fills `{{name}}` in a reply. */
export function variableProblem(text: string): string | null {
  const variable = /\{\{[^{}]*\}\}/.exec(text)?.[0];
  return variable === undefined ? null : `Only templates have variables: write the words in place of ${variable}.`;
}
