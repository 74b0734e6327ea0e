/** Returns whether this is an administrator's name and password. */
export async function signsIn(url: string, username: string, password: string): Promise<boolean> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return response.ok && ((await response.json()) as { isAdmin: boolean }).isAdmin;
}
