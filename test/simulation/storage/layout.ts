/** Partitions of the stocks. */
export const LAYOUT = { generation: 1, partitions: 2, drained: false, resizeTo: null } as const;
