/** The token of a server that is open to other machines: from the address, kept for this tab. */
export function token(): string {
  const here = new URL(location.href);
  const given = here.searchParams.get("token");
  if (given === null) return sessionStorage.getItem("footway-token") ?? "";
  sessionStorage.setItem("footway-token", given);
  // Neither the history of the browser nor a copied address shall hold it.
  here.searchParams.delete("token");
  history.replaceState(history.state, "", here);
  return given;
}
