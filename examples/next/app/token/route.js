/** The token for the browser, for pages of this address only. Ask your sign-in here, and give the token that the visitor may have. */
export function GET(request) {
  if (request.headers.get("sec-fetch-site") !== "same-origin") return new Response(null, { status: 403 });
  return new Response(process.env.PILOTHOUSE_TOKEN ?? "", { headers: { "Cache-Control": "no-store" } });
}
