/** Download files that the server writes. */
import type { App } from "./app";
import { h } from "./dom";

/** Fetch the file and save it; a refusal is shown, not saved. */
export async function download(app: App, as: string): Promise<void> {
  const reply = await fetch(app.address(`save?as=${as}`));
  if (!reply.ok) throw new Error(((await reply.json()) as { error?: string }).error ?? "it could not be saved");
  const name = /filename="?([^";]+)/.exec(reply.headers.get("content-disposition") ?? "")?.[1];
  const href = URL.createObjectURL(await reply.blob());
  h("a", { href, download: name ?? `map.${as}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
