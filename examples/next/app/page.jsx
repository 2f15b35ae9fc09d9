// A page with a session, rendered on the server: what the session says last is in the HTML.

import { headers } from "next/headers";

import { Session } from "./session.jsx";

/** What you would do here first: ask your sign-in whether this visitor may see the session. */
export default async function Page({ searchParams }) {
  const gateway = process.env.PILOTHOUSE_GATEWAY ?? "http://127.0.0.1:7878/";
  const { session } = await searchParams;
  const id = session ?? (await first(gateway));
  return <Session gateway={gateway} id={id} screen={id && (await ask(gateway, `api/sessions/${encodeURIComponent(id)}/screen`))} />;
}

/** The gateway's first session. */
async function first(gateway) {
  const list = await ask(gateway, "api/sessions");
  return list && JSON.parse(list)[0]?.sessionId;
}

/** An answer of the gateway, with the token, which stays on the server. Empty where there is none: then the page begins without. */
async function ask(gateway, path) {
  const language = (await headers()).get("accept-language");
  const token = process.env.PILOTHOUSE_TOKEN;
  const own = { ...(language && { "Accept-Language": language }), ...(token && { Authorization: `Bearer ${token}` }) };
  try {
    const answer = await fetch(new URL(path, gateway), { headers: own, cache: "no-store" });
    return answer.ok ? await answer.text() : "";
  } catch {
    return "";
  }
}
