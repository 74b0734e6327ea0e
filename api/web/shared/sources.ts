/** What the operator allows the page to load from elsewhere; its policy refuses the rest. */
export const allowedSources = (name: string): readonly string[] =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content.split(' ') ?? [];
