/**
 * Returns the text fields of a form, by name. Fields keep their own values, which are read when the
 * form is sent.
 */
export function fieldsOf(form: HTMLFormElement): (name: string) => string {
  const data = new FormData(form);
  return (name) => {
    const value = data.get(name);
    return typeof value === 'string' ? value : '';
  };
}
