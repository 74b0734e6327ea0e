/** Returns the built TypeScript client. */
export const loadClient = () => import('../../../clients/typescript/dist/index.js');

export type Client = Awaited<ReturnType<typeof loadClient>>;
